//! Requests over real HTTP: keys, signatures, credentials that change, errors.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use legwork_models::credentials::{Credential, Error};
use legwork_models::{Builder, bedrock};
use legwork_port::Model;
use legwork_port::model::Kind;
use serde_json::json;

use crate::clock::Turned;
use crate::server::{Act, Server, answer};
use crate::traffic::question;

const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

fn said(text: &str) -> Act {
    let body = json!({"output": {"message": {"role": "assistant", "content": [{"text": text}]}},
        "stopReason": "end_turn", "usage": {"inputTokens": 1, "outputTokens": 1}});
    Act::Keep(answer("200 OK", "application/json", "", &body.to_string()))
}

fn model_at(server: &Server) -> Builder {
    bedrock::converse_at(&server.base_url, super::CLAUDE).clock(Turned::new())
}

#[tokio::test]
async fn a_key_is_a_bearer_token_and_the_model_is_in_the_path() {
    let server = Server::start([said("Hello.")]).await;
    let model = model_at(&server).api_key("bedrock-api-key-x").build().unwrap();
    assert_eq!(model.infer(question("Hi?"), None).await.unwrap().text(), "Hello.");
    let sent = &server.requests()[0];
    let path = "/v1/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse";
    assert!(sent.starts_with(&format!("POST {path} HTTP/1.1")), "{sent}");
    assert!(sent.contains("authorization: Bearer bedrock-api-key-x"), "{sent}");
}

#[tokio::test]
async fn each_attempt_is_signed_and_no_secret_is_shown() {
    let busy = answer("503 Busy", "application/json", "", &format!("{{\"message\":\"{SECRET}\"}}"));
    let server = Server::start([Act::Keep(busy)]).await;
    let clock = Turned::new();
    let model = model_at(&server)
        .clock(Arc::clone(&clock) as Arc<_>)
        .aws("AKIDEXAMPLE", SECRET, Some("session-token-123".to_owned()))
        .region("eu-west-1")
        .retry(legwork_models::retry::Policy::never())
        .build()
        .unwrap();
    assert!(!format!("{model:?}").contains(SECRET));
    assert_eq!(model.mask().text(SECRET), "[redacted]");
    let error = model.infer(question("Hi?"), None).await.unwrap_err();
    assert!(error.message.contains("[redacted]") && !error.message.contains("wJalr"), "{error:?}");
    let sent = &server.requests()[0];
    let scope = "/eu-west-1/bedrock/aws4_request, \
                 SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, Signature=";
    assert!(sent.contains("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/"), "{sent}");
    assert!(sent.contains(scope), "{sent}");
    assert!(sent.contains("x-amz-security-token: session-token-123"));
    // The time is that of the clock.
    assert!(sent.contains("x-amz-date: 20151018T072800Z"), "{sent}");
    assert!(!sent.contains(SECRET));
}

#[tokio::test]
async fn without_a_region_nothing_is_signed_or_sent() {
    let server = Server::start([]).await;
    let model = model_at(&server).aws("AKID", SECRET, None).build().unwrap();
    let error = model.infer(question("Hi?"), None).await.unwrap_err();
    assert_eq!((error.kind, error.charged_attempts), (Kind::Unauthorized, 0));
    assert!(error.message.contains("no region"), "{}", error.message);
    assert!(model.exposes_key().is_none());
}

#[tokio::test]
async fn a_source_is_asked_before_each_attempt() {
    let server = Server::start([said("1"), said("2")]).await;
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let source = move || {
        let number = count.fetch_add(1, Ordering::Relaxed);
        async move { Ok(Credential::Bearer(format!("token-number-{number}"))) }
    };
    let model = model_at(&server).credentials(Arc::new(source)).build().unwrap();
    for text in ["1", "2"] {
        assert_eq!(model.infer(question("Hi?"), None).await.unwrap().text(), text);
    }
    assert_eq!(asked.load(Ordering::Relaxed), 2);
    for (number, sent) in server.requests().iter().enumerate() {
        assert!(sent.contains(&format!("authorization: Bearer token-number-{number}")), "{sent}");
    }
    assert_eq!(model.mask().text("token-number-1"), "[redacted]");
}

#[tokio::test]
async fn a_source_without_a_credential_fails_the_attempt_uncharged() {
    let server = Server::start([]).await;
    for (why, kind) in [
        (Error::Refused("no profile".to_owned()), Kind::Unauthorized),
        (Error::Unavailable("no network".to_owned()), Kind::Unreachable),
    ] {
        let message = why.to_string();
        let source = move || {
            let why = why.clone();
            async move { Err(why) }
        };
        let model = model_at(&server).credentials(Arc::new(source));
        let model = model.retry(legwork_models::retry::Policy::never()).build().unwrap();
        let error = model.infer(question("Hi?"), None).await.unwrap_err();
        assert_eq!((error.kind, error.charged_attempts), (kind, 0));
        assert!(error.message.contains(&message), "{}", error.message);
    }
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test]
async fn the_name_of_an_error_is_in_a_header() {
    let named = "x-amzn-ErrorType: ValidationException:http://internal.amazon.com/coral/\r\n";
    let long = r#"{"message":"Input is too long for requested model."}"#;
    let refused = answer("400 Bad Request", "application/json", named, long);
    let denied = answer("403 Forbidden", "application/json", "", r#"{"Message":"No."}"#);
    let server = Server::start([Act::Keep(refused), Act::Keep(denied)]).await;
    let model = model_at(&server).api_key("k").build().unwrap();
    let error = model.infer(question("Hi?"), None).await.unwrap_err();
    assert_eq!((error.kind, error.status), (Kind::ContextOverflow, Some(400)));
    assert_eq!(error.code.as_deref(), Some("ValidationException"));
    let error = model.infer(question("Hi?"), None).await.unwrap_err();
    assert_eq!(error.kind, Kind::Unauthorized);
    assert!(error.message.contains("\"No.\""), "{}", error.message);
}
