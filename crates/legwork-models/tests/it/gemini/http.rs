//! The Gemini API over real HTTP.

use std::time::Duration;

use legwork_models::retry::Policy;
use legwork_models::{Api, Builder, gemini};
use legwork_port::model::Kind;
use legwork_port::{Ability, Delta, Model, Support};
use serde_json::{Value, json};

use crate::answers::Seen;
use crate::server::{Act, Server, answer};
use crate::traffic::question;

fn chunk(text: &str, reason: Option<&str>) -> Value {
    let content = json!({"role": "model", "parts": [{"text": text}]});
    json!({"candidates": [{"content": content, "finishReason": reason}], "responseId": "r"})
}

fn whole(text: &str) -> Act {
    let body = chunk(text, Some("STOP")).to_string();
    Act::Close(answer("200 OK", "application/json", "", &body))
}

fn at(server: &Server, model: &str) -> Builder {
    gemini::generate_content(&*server.base_url, model).retry(Policy::never())
}

#[tokio::test]
async fn an_answer_comes_back_whole_and_streamed() {
    let stream =
        format!("data: {}\r\n\r\ndata: {}\r\n\r\n", chunk("Hel", None), chunk("lo.", Some("STOP")));
    let stream = Act::Close(answer("200 OK", "text/event-stream", "", &stream));
    let server = Server::start([whole("Hello."), stream]).await;
    let model = at(&server, "gemini-2.5-flash").api_key("secret-key").build().unwrap();
    assert_eq!((model.name(), model.api()), ("google:gemini-2.5-flash", Api::GenerateContent));
    assert_eq!(model.infer(question("Hi?"), None).await.unwrap().text(), "Hello.");
    let mut seen = Seen::default();
    let mut show = |delta: Delta<'_>| seen.take(delta);
    let response = model.infer(question("Hi?"), Some(&mut show)).await.unwrap();
    assert_eq!((&*response.text(), &*seen.text, response.incomplete), ("Hello.", "Hello.", None));
    let requests = server.requests();
    let post = "POST /v1/models/gemini-2.5-flash:";
    assert!(requests[0].starts_with(&format!("{post}generateContent HTTP/1.1\r\n")));
    assert!(requests[1].starts_with(&format!("{post}streamGenerateContent?alt=sse HTTP/1.1\r\n")));
    for request in requests {
        assert!(request.contains("x-goog-api-key: secret-key\r\n"), "{request}");
        assert!(!request.contains("authorization"), "{request}");
    }
}

#[tokio::test]
async fn a_token_is_sent_as_a_bearer_token_and_not_shown() {
    let echo =
        json!({"error": {"code": 401, "message": "bad ya29.secret", "status": "UNAUTHENTICATED"}});
    let refused = Act::Close(answer("401 Unauthorized", "application/json", "", &echo.to_string()));
    let server = Server::start([refused]).await;
    let model = at(&server, "m").bearer("ya29.secret").build().unwrap();
    let error = model.infer(question("Hi?"), None).await.unwrap_err();
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Unauthorized, Some("UNAUTHENTICATED")));
    assert!(!error.message.contains("ya29.secret"), "{}", error.message);
    assert!(server.requests()[0].contains("authorization: Bearer ya29.secret\r\n"));
    assert!(gemini::vertex("p", "global", "m").bearer("a\nb").build().is_err());
}

#[tokio::test]
async fn the_name_of_a_model_stays_one_segment_of_the_path() {
    for (name, path) in [
        ("../../v1/x?key=1#", "..%2F..%2Fv1%2Fx%3Fkey%3D1%23"),
        ("..", ".."),
        ("a b\r\nHost: x", "a%20b%0D%0AHost%3A%20x"),
        ("gemini@001%2F", "gemini%40001%252F"),
    ] {
        let server = Server::start([whole("Hi.")]).await;
        let model = at(&server, name).build().unwrap();
        assert_eq!(model.infer(question("Hi?"), None).await.unwrap().text(), "Hi.");
        let line = format!("POST /v1/models/{path}:generateContent HTTP/1.1\r\n");
        assert!(server.requests()[0].starts_with(&line), "{:?}", server.requests());
    }
}

#[test]
fn vertex_is_asked_where_the_project_is() {
    let shown = |location: &str| {
        let model = gemini::vertex("my-project", location, "gemini-2.5-pro").build().unwrap();
        assert_eq!(model.name(), "vertex:gemini-2.5-pro");
        format!("{model:?}")
    };
    let path = "/v1/projects/my-project/locations";
    let regional = format!(
        "https://europe-west4-aiplatform.googleapis.com{path}/europe-west4/publishers/google/models/gemini-2.5-pro:generateContent"
    );
    assert!(shown("europe-west4").contains(&regional), "{}", shown("europe-west4"));
    let global =
        format!("https://aiplatform.googleapis.com{path}/global/publishers/google/models/");
    assert!(shown("global").contains(&global));
    for (project, location) in
        [("p", "evil.com/"), ("p", "x@evil.com"), ("..", "global"), ("p", "a b")]
    {
        let built = gemini::vertex(project, location, "m").build();
        assert!(built.is_err(), "{built:?}");
    }
}

#[test]
fn a_path_names_the_api() {
    let path = "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse";
    assert_eq!(Api::of_path(path), Some(Api::GenerateContent));
    assert_eq!(Api::of_path("/v1beta/models/x:generateContent"), Some(Api::GenerateContent));
    assert_eq!(Api::of_path("/v1beta/models/x:countTokens"), None);
    assert_eq!("gemini".parse(), Ok(Api::GenerateContent));
}

#[tokio::test]
async fn s11_5_the_delay_of_a_quota_is_waited_for_and_a_daily_one_is_spent() {
    let quota = |id: &str| {
        let details = json!([
            {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": id}]},
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34s"}]);
        json!({"error": {"code": 429, "message": "Quota exceeded.", "status": "RESOURCE_EXHAUSTED",
                         "details": details}})
    };
    let key = json!({"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT",
        "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]}});
    let large = json!({"error": {"code": 400, "status": "INVALID_ARGUMENT", "message":
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."}});
    let seconds = |seconds| Some(Duration::from_secs(seconds));
    for (status, header, error, kind, wait) in [
        ("429 Too Many", "", quota("RequestsPerMinute"), Kind::RateLimited, seconds(34)),
        (
            "429 Too Many",
            "retry-after: 5\r\n",
            quota("RequestsPerMinute"),
            Kind::RateLimited,
            seconds(5),
        ),
        ("429 Too Many", "", quota("RequestsPerDayPerProject"), Kind::QuotaExceeded, seconds(34)),
        ("400 Bad Request", "", key, Kind::Unauthorized, None),
        ("400 Bad Request", "", large, Kind::ContextOverflow, None),
    ] {
        let refused = Act::Close(answer(status, "application/json", header, &error.to_string()));
        let server = Server::start([refused]).await;
        let model = at(&server, "gemini-2.5-flash").build().unwrap();
        let failed = model.infer(question("Hi?"), None).await.unwrap_err();
        assert_eq!((failed.kind, failed.retry_after), (kind, wait), "{error}");
        assert_eq!(failed.code.as_deref(), error["error"]["status"].as_str());
    }
}

#[tokio::test]
async fn the_models_are_listed_without_their_resource() {
    let list =
        json!({"models": [{"name": "models/gemini-2.5-flash", "inputTokenLimit": 1_048_576}]});
    let server =
        Server::start([Act::Close(answer("200 OK", "application/json", "", &list.to_string()))])
            .await;
    let models = at(&server, "any").offered().await.unwrap();
    assert_eq!((&*models[0].id, models[0].context_window), ("gemini-2.5-flash", Some(1_048_576)));
}

#[test]
fn s9_1_bytes_of_messages_are_kept_for_each_generation() {
    let request = question("Hi?");
    super::sent(&super::model("gemini-3-flash-preview"), &request);
    super::sent(&super::model("gemini-2.5-flash"), &request);
    let kept = format!("{:?}", request.messages().first().unwrap());
    assert!(kept.contains("gemini 3 google") && kept.contains("gemini google"), "{kept}");
}

#[test]
fn what_is_known_of_a_model_is_its_profile() {
    let profile = |name| super::model(name).profile().clone();
    let known = profile("gemini-2.5-pro");
    assert_eq!((known.context_window, known.max_output), (Some(1_048_576), Some(65_536)));
    assert_eq!(known.supports(Ability::Tools), Support::Yes);
    assert_eq!(known.supports(Ability::Audio), Support::Yes);
    let unknown = profile("gemini-9");
    assert_eq!(unknown.supports(Ability::Images), Support::Unknown);
    assert_eq!(unknown.context_window, None);
}
