//! A tool of the server for tests that asks the model, in both revisions.
#![expect(deprecated, reason = "the library marks sampling so")]

use std::collections::BTreeMap;

use rmcp::model::{
    AudioContent, CallToolRequestParams, CallToolResponse, CallToolResult, ClientResult,
    ContentBlock, CreateMessageRequest, CreateMessageRequestParams, InputRequest,
    InputRequiredResult, SamplingMessage, SamplingMessageContentBlock, ServerRequest, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};

fn text(text: impl Into<String>) -> CallToolResponse {
    CallToolResult::success(vec![ContentBlock::text(text.into())]).into()
}

/// What is asked; `with` of the arguments says what it asks with.
fn prompt(request: &CallToolRequestParams) -> CreateMessageRequestParams {
    let of = |name: &str| request.arguments.as_ref().and_then(|all| all.get(name)).cloned();
    let with = of("with").unwrap_or_default();
    let mut messages = vec![
        SamplingMessage::user_text("Name a colour."),
        SamplingMessage::assistant_text("Which kind?"),
        SamplingMessage::user_text(
            of("text").map_or("A warm one.".to_owned(), |text| text.as_str().unwrap().to_owned()),
        ),
    ];
    match with.as_str() {
        Some("audio") => {
            let audio = AudioContent::new("aGk=", "audio/wav");
            messages.push(SamplingMessage::new_multiple(
                rmcp::model::Role::User,
                vec![SamplingMessageContentBlock::Audio(audio)],
            ));
        }
        Some("much") => messages.push(SamplingMessage::user_text("x".repeat(256 << 10))),
        _ => {}
    }
    let asks = CreateMessageRequestParams::new(messages, 100).with_system_prompt("Be brief.");
    match with.as_str() {
        Some("tools") => {
            let Value::Object(schema) = json!({"type": "object"}) else { unreachable!() };
            asks.with_tools(vec![Tool::new("paint", "Paints.", schema)])
        }
        _ => asks,
    }
}

/// What the server says of an answer: the text, the model and why it ended.
fn said(answer: &Value) -> String {
    assert_eq!(answer["role"], "assistant");
    let said = ["model", "stopReason"].map(|name| answer[name].as_str().unwrap());
    format!("{} ({})", answer["content"]["text"].as_str().unwrap(), said.join(", "))
}

/// Whether the client says that the model may be asked: once, or with each request.
pub(crate) fn is_offered(cx: &RequestContext<RoleServer>) -> bool {
    let once = cx.peer.peer_info().map(|info| info.capabilities.clone());
    let capabilities = cx.meta.client_capabilities().or(once);
    capabilities.is_some_and(|all| all.sampling.is_some())
}

pub(crate) async fn answer(
    request: &CallToolRequestParams,
    cx: &RequestContext<RoleServer>,
) -> CallToolResponse {
    let asks = CreateMessageRequest::new(prompt(request));
    if cx.protocol_version().is_none_or(|version| version.has_initialize()) {
        let times = if request.name == "samples_on" { 100 } else { 1 };
        let mut last = String::new();
        for _ in 0..times {
            let asks = ServerRequest::CreateMessageRequest(asks.clone());
            last = match cx.peer.send_request(asks).await {
                Ok(ClientResult::CreateMessageResult(answer)) => said(&json!(answer)),
                Ok(other) => panic!("{other:?}"),
                Err(error) => return text(format!("refused: {error}")),
            };
        }
        return text(last);
    }
    let responses = request.input_responses.clone().unwrap_or_default();
    match responses.get("model").filter(|_| request.name == "samples") {
        Some(answer) => text(said(answer)),
        None => {
            // One that does not end asks three things at once.
            let names = if request.name == "samples" {
                &["model"][..]
            } else {
                &["model", "other", "third"]
            };
            let asks = names
                .iter()
                .map(|name| ((*name).to_owned(), InputRequest::CreateMessage(asks.clone())));
            InputRequiredResult::new(Some(BTreeMap::from_iter(asks)), None).into()
        }
    }
}
