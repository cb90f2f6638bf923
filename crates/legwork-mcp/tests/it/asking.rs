//! A tool of the server for tests that asks a person, in both revisions.

use std::collections::BTreeMap;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientResult, ContentBlock,
    ElicitRequest, ElicitRequestParams, ElicitationAction, ElicitationSchema, InputRequest,
    InputRequiredResult, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext, RoleServer};
use serde_json::{Value, json};

use crate::fixture::Shared;

fn form(message: &str, schema: Value) -> ElicitRequestParams {
    let requested_schema: ElicitationSchema = serde_json::from_value(schema).unwrap();
    let message = message.to_owned();
    ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema }
}

/// Which colour, one of two.
fn colour() -> ElicitRequestParams {
    let colour = json!({"type": "string", "enum": ["red", "green"]});
    let schema =
        json!({"type": "object", "properties": {"colour": colour}, "required": ["colour"]});
    form("Which colour?", schema)
}

/// How many, three unless somebody says otherwise.
fn count() -> ElicitRequestParams {
    let count = json!({"type": "integer", "default": 3, "minimum": 1, "maximum": 9});
    form("How many?", json!({"type": "object", "properties": {"count": count}}))
}

fn text(text: impl Into<String>) -> CallToolResponse {
    CallToolResult::success(vec![ContentBlock::text(text.into())]).into()
}

pub(crate) async fn answer(
    request: &CallToolRequestParams,
    cx: &RequestContext<RoleServer>,
    fixture: &Shared,
) -> CallToolResponse {
    fixture.asks.open();
    if request.name == "visits" {
        let asks = ElicitRequestParams::UrlElicitationParams {
            meta: None,
            message: "Visit this".to_owned(),
            url: "https://example.com/".to_owned(),
            elicitation_id: String::new(),
        };
        let asks = InputRequest::Elicitation(ElicitRequest::new(asks));
        return needs([("page", asks)], "visited");
    }
    if request.name == "hurries" {
        let asks = ServerRequest::ElicitRequest(ElicitRequest::new(colour()));
        let options = PeerRequestOptions::with_timeout(Duration::from_secs(1));
        let asked = cx.peer.send_cancellable_request(asks, options).await.unwrap();
        return text(asked.await_response().await.unwrap_err().to_string());
    }
    match cx.protocol_version().is_none_or(|version| version.has_initialize()) {
        true => tokio::select! {
            biased;
            // It is told that before its question is dismissed.
            () = cx.ct.cancelled() => {
                fixture.cancelled.open();
                text("it is over")
            }
            said = asks_meanwhile(cx) => said,
        },
        false => asks_at_once(request),
    }
}

/// Asks one after the other while the call is under way.
async fn asks_meanwhile(cx: &RequestContext<RoleServer>) -> CallToolResponse {
    let mut said = Vec::new();
    for question in [colour(), count()] {
        let asks = ServerRequest::ElicitRequest(ElicitRequest::new(question));
        let answer = cx.peer.send_request(asks).await.unwrap();
        let ClientResult::ElicitResult(answer) = answer else { panic!("{answer:?}") };
        if answer.action != ElicitationAction::Accept {
            return text("nobody answered");
        }
        said.push(answer.content.unwrap());
    }
    text(json!(said).to_string())
}

fn needs<const N: usize>(asks: [(&'static str, InputRequest); N], state: &str) -> CallToolResponse {
    let asks: BTreeMap<_, _> = asks.map(|(name, asks)| (name.to_owned(), asks)).into();
    InputRequiredResult::new(Some(asks).filter(|asks| !asks.is_empty()), Some(state.into())).into()
}

/// Asks for both at once, and then wants its state back once more.
fn asks_at_once(request: &CallToolRequestParams) -> CallToolResponse {
    let responses = request.input_responses.clone().unwrap_or_default();
    match request.request_state.as_deref() {
        None => {
            let elicit = |params| InputRequest::Elicitation(ElicitRequest::new(params));
            needs([("b", elicit(colour())), ("a", elicit(count()))], "both-of-them")
        }
        Some("both-of-them") => {
            let content = |name: &str| {
                assert_eq!(responses[name]["action"], "accept");
                responses[name]["content"].clone()
            };
            needs([], &json!([content("b"), content("a")]).to_string())
        }
        Some(said) => {
            assert!(responses.is_empty());
            text(said)
        }
    }
}
