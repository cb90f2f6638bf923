//! The tokens of a request, counted by providers over real HTTP.

use std::sync::Arc;

use legwork_core::message::Message;
use legwork_core::tool::{ToolSpec, ToolSpecs};
use legwork_core::{ModelRequest, ModelSettings};
use legwork_models::http::Timeouts;
use legwork_models::{Builder, anthropic, gemini, openai};
use legwork_port::model::Kind;
use legwork_port::{Count, Model};
use serde_json::{Value, json};

use crate::server::{Act, Server, answer};

fn json(status: &str, body: &Value) -> Act {
    Act::Close(answer(status, "application/json", "", &body.to_string()))
}

/// A request that asks for more than is counted.
fn request() -> ModelRequest {
    let settings =
        ModelSettings { temperature: Some(0.5), max_output: Some(100), ..ModelSettings::default() };
    let mut request = ModelRequest::blank(Arc::new(settings));
    request.instructions = "Be brief.".into();
    let schema = json!({"type": "object", "properties": {}});
    request.tools =
        Arc::new(ToolSpecs::new(vec![Arc::new(ToolSpec::new("look", "Looks.", schema))]));
    request.with_message(Message::user("Hi?"))
}

/// What a server was asked: the request line, and the body.
fn asked(server: &Server) -> (String, Value) {
    let request = server.requests().remove(0);
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    (head.lines().next().unwrap().to_owned(), serde_json::from_str(body).unwrap())
}

async fn counted(at: impl Fn(&str) -> Builder, says: Value) -> (Count, String, Value) {
    let server = Server::start([json("200 OK", &says)]).await;
    let model = at(&server.base_url).api_key("sk-secret").build().unwrap();
    let count = model.count_tokens(&request()).await.unwrap();
    let (line, body) = asked(&server);
    (count, line, body)
}

fn names(body: &Value) -> Vec<&str> {
    let mut names: Vec<_> = body.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}

#[tokio::test]
async fn s11_8_anthropic_counts_what_a_request_would_send() {
    let at = |url: &str| anthropic::messages(url, "claude-haiku-4-5");
    let (count, line, body) = counted(at, json!({"input_tokens": 403})).await;
    assert_eq!(count, Count::Exact(403));
    assert_eq!(line, "POST /v1/messages/count_tokens HTTP/1.1");
    assert_eq!(names(&body), ["messages", "model", "system", "tools"]);
    assert_eq!(body["model"], "claude-haiku-4-5");
}

#[tokio::test]
async fn s11_8_responses_counts_what_a_request_would_send() {
    let at = |url: &str| openai::responses(url, "gpt-5-mini");
    let says = json!({"object": "response.input_tokens", "input_tokens": 11});
    let (count, line, body) = counted(at, says).await;
    assert_eq!(count, Count::Exact(11));
    assert_eq!(line, "POST /v1/responses/input_tokens HTTP/1.1");
    assert_eq!(names(&body), ["input", "instructions", "model", "tools"]);
}

#[tokio::test]
async fn s11_8_gemini_counts_the_whole_request_and_vertex_its_parts() {
    let at = |url: &str| gemini::generate_content(url, "gemini-2.5-flash");
    let (count, line, body) = counted(at, json!({"totalTokens": 31})).await;
    assert_eq!(count, Count::Exact(31));
    assert_eq!(line, "POST /v1/models/gemini-2.5-flash:countTokens HTTP/1.1");
    let whole = &body["generateContentRequest"];
    assert_eq!(whole["model"], "models/gemini-2.5-flash");
    assert_eq!(
        names(whole),
        ["contents", "generationConfig", "model", "systemInstruction", "tools"]
    );
    let at = |url: &str| gemini::generate_content(url, "gemini-2.5-flash").provider("vertex");
    let (_, _, body) = counted(at, json!({"totalTokens": 31})).await;
    assert_eq!(names(&body), ["contents", "generationConfig", "systemInstruction", "tools"]);
}

#[cfg(feature = "bedrock")]
#[tokio::test]
async fn s11_8_bedrock_counts_and_each_count_is_signed() {
    use legwork_models::bedrock;

    let at = |url: &str| bedrock::converse_at(url, "anthropic.claude-haiku-4-5-20251001-v1:0");
    let at = |url: &str| at(url).aws("AKIDEXAMPLE", "secret", None).region("eu-central-1");
    let server = Server::start([json("200 OK", &json!({"inputTokens": 15}))]).await;
    let model = at(&server.base_url).build().unwrap();
    assert_eq!(model.count_tokens(&request()).await.unwrap(), Count::Exact(15));
    let (line, body) = asked(&server);
    let path = "/v1/model/anthropic.claude-haiku-4-5-20251001-v1%3A0/count-tokens";
    assert_eq!(line, format!("POST {path} HTTP/1.1"));
    assert_eq!(names(&body["input"]["converse"]), ["messages", "system", "toolConfig"]);
    let head = server.requests().remove(0).to_ascii_lowercase();
    assert!(head.contains("authorization: aws4-hmac-sha256 credential=akidexample/"), "{head}");
}

#[tokio::test]
async fn s11_8_where_nobody_counts_it_is_an_estimate_and_nothing_is_sent() {
    let server = Server::start([]).await;
    let chat = openai::chat(&*server.base_url, "gpt-5-mini").build().unwrap();
    let request = request();
    let estimate = Count::Estimated(request.estimated_tokens());
    assert_eq!(chat.count_tokens(&request).await.unwrap(), estimate);
    assert_eq!(server.connections(), 0);
    assert!(!estimate.is_exact() && estimate.tokens() > 0);
    // A server of somebody else speaks the API without counting.
    for status in ["404 Not Found", "405 Method Not Allowed", "501 Not Implemented"] {
        let server = Server::start([json(status, &json!({"error": {"message": "no"}}))]).await;
        let model = anthropic::messages(&*server.base_url, "clerk-1").build().unwrap();
        assert_eq!(model.count_tokens(&request).await.unwrap(), estimate, "{status}");
    }
}

#[tokio::test]
async fn s11_8_a_model_that_is_not_known_is_an_error_of_a_count() {
    let anthropic = |url: &str| anthropic::messages(url, "claude-nope");
    let google = |url: &str| gemini::generate_content(url, "gemini-nope");
    let responses = |url: &str| openai::responses(url, "gpt-nope");
    type At<'a> = &'a dyn Fn(&str) -> legwork_models::Builder;
    let unknown: [(At<'_>, _); 3] = [
        (
            &anthropic,
            json!({"error": {"type": "not_found_error", "message": "model: claude-nope"}}),
        ),
        (
            &google,
            json!({"error": {"code": 404, "status": "NOT_FOUND", "message": "models/gemini-nope is \
                not found for API version v1beta, or is not supported for countTokens."}}),
        ),
        (&responses, json!({"error": {"code": "model_not_found", "message": "no such model"}})),
    ];
    for (at, body) in unknown {
        let server = Server::start([json("404 Not Found", &body)]).await;
        let model = at(&server.base_url).build().unwrap();
        let error = model.count_tokens(&request()).await.unwrap_err();
        assert_eq!((error.kind, error.charged_attempts), (Kind::UnknownModel, 0), "{error}");
    }
    // The path that is not there has the name in it, or the name is in another word.
    let path = "Cannot POST /v1/models/gemini-nope:countTokens";
    let missing: [(At<'_>, _); 3] = [
        (&google, json!({"error": {"message": path}})),
        (&anthropic, json!({"error": {"type": "not_found_error", "message": "File Not Found"}})),
        (&anthropic, json!({"detail": "no claude-nope2"})),
    ];
    for (at, body) in missing {
        let server = Server::start([json("404 Not Found", &body)]).await;
        let model = at(&server.base_url).build().unwrap();
        let count = model.count_tokens(&request()).await.unwrap();
        assert!(!count.is_exact(), "{body}");
    }
}

#[tokio::test]
async fn s11_8_a_count_that_fails_says_how_and_costs_nothing() {
    let table = [
        ("401 Unauthorized", json!({"error": {"message": "bad sk-secret"}}), Kind::Unauthorized),
        ("429 Too Many Requests", json!({"error": {"message": "slow"}}), Kind::RateLimited),
        ("400 Bad Request", json!({"error": {"message": "odd"}}), Kind::BadRequest),
        ("502 Bad Gateway", json!({}), Kind::Server),
        ("200 OK", json!({"tokens": "many"}), Kind::Malformed),
    ];
    for (status, body, kind) in table {
        let server = Server::start([json(status, &body)]).await;
        let model = anthropic::messages(&*server.base_url, "claude-haiku-4-5");
        let model = model.api_key("sk-secret").build().unwrap();
        let error = model.count_tokens(&request()).await.unwrap_err();
        assert_eq!((error.kind, error.charged_attempts), (kind, 0), "{error}");
        assert!(error.message.contains("/v1/messages/count_tokens: "), "{error}");
        assert!(!error.message.contains("sk-secret"), "{error}");
        assert_eq!(server.requests().len(), 1, "it is asked once");
    }
}

#[tokio::test]
async fn s11_8_a_server_that_stalls_ends_a_count() {
    let server = Server::start([Act::Stall(String::new())]).await;
    let first_byte = std::time::Duration::from_millis(100);
    let model = anthropic::messages(&*server.base_url, "claude-haiku-4-5");
    let model = model.timeouts(Timeouts { first_byte, ..Timeouts::default() }).build().unwrap();
    let error = model.count_tokens(&request()).await.unwrap_err();
    assert_eq!((error.kind, error.charged_attempts), (Kind::Timeout, 0));
}

#[tokio::test]
async fn s11_8_what_cannot_be_sent_is_refused_before_it_is_counted() {
    let server = Server::start([]).await;
    let model = anthropic::messages(&*server.base_url, "claude-haiku-4-5").build().unwrap();
    let settings = ModelSettings { seed: Some(1), ..ModelSettings::default() };
    let request = ModelRequest::blank(Arc::new(settings)).with_message(Message::user("Hi?"));
    let error = model.count_tokens(&request).await.unwrap_err();
    assert_eq!((error.kind, server.connections()), (Kind::BadRequest, 0));
}
