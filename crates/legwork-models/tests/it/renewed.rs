//! A credential that a server refuses is renewed, on each wire.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use legwork_core::Mask;
use legwork_models::credentials::{Credential, Credentials, Kept};
use legwork_models::retry::Policy;
use legwork_models::{Api, Builder};
use legwork_port::Model;
use legwork_port::model::Kind;

use crate::server::{Act, Server, answer};
use crate::traffic::question;
use crate::wires::Said;

fn said(api: Api) -> Act {
    let body = Said::by(api.name()).body.to_string();
    Act::Keep(answer("200 OK", "application/json", "", &body))
}

fn refused() -> Act {
    let body = r#"{"error":{"message":"The token has expired."}}"#;
    Act::Keep(answer("401 Unauthorized", "application/json", "", body))
}

/// A source that gives another token each time.
fn source() -> impl Credentials {
    let count = AtomicUsize::new(0);
    move || {
        let number = count.fetch_add(1, Ordering::SeqCst) + 1;
        std::future::ready(Ok(Credential::Bearer(token(number))))
    }
}

fn token(number: usize) -> String {
    format!("token-0123456789-{number}")
}

fn builder(api: Api, server: &Server) -> Builder {
    Builder::new(api, &server.base_url, "m").retry(Policy::never())
}

/// The numbers of the tokens that were sent.
fn sent(server: &Server) -> Vec<usize> {
    let number = |request: &String| {
        (1..9).find(|number| request.contains(&format!("authorization: Bearer {}", token(*number))))
    };
    server.requests().iter().map(|request| number(request).unwrap()).collect()
}

#[tokio::test]
async fn s11_5_a_refused_token_is_renewed_and_the_request_sent_again() {
    for api in Api::ALL.iter().copied() {
        let server = Server::start([said(api), refused(), said(api), said(api)]).await;
        let model = builder(api, &server).credentials(Arc::new(Kept::new(source())));
        let model = model.build().unwrap();
        for _ in 0..3 {
            assert_eq!(model.infer(question("Hi?"), None).await.unwrap().text(), "Héllo", "{api}");
        }
        assert_eq!(sent(&server), [1, 1, 2, 2], "{api}");
    }
}

#[tokio::test]
async fn s11_5_a_new_token_that_is_refused_too_is_the_error() {
    for api in Api::ALL.iter().copied() {
        let server = Server::start([refused(), refused()]).await;
        let model = builder(api, &server).credentials(Arc::new(Kept::new(source())));
        let error = model.build().unwrap().infer(question("Hi?"), None).await.unwrap_err();
        assert_eq!((error.kind, error.status), (Kind::Unauthorized, Some(401)), "{api}");
        assert_eq!(sent(&server), [1, 2], "{api}");
    }
}

#[tokio::test]
async fn s11_5_a_key_that_stays_the_same_is_not_sent_again() {
    for api in Api::ALL.iter().copied() {
        let server = Server::start([refused()]).await;
        let model = builder(api, &server).bearer(token(1)).build().unwrap();
        let error = model.infer(question("Hi?"), None).await.unwrap_err();
        assert_eq!(error.kind, Kind::Unauthorized, "{api}");
        assert_eq!(sent(&server), [1], "{api}");
    }
}

#[tokio::test]
async fn s13_11_a_mask_that_was_made_before_covers_what_was_renewed() {
    let api = Api::ALL[0];
    let server = Server::start([refused(), said(api)]).await;
    let model = builder(api, &server).credentials(Arc::new(Kept::new(source())));
    let model = model.build().unwrap();
    let mask = Mask::default().and(&model.mask());
    assert!(!mask.is_none(), "there may be a secret later");
    model.infer(question("Hi?"), None).await.unwrap();
    for number in [1, 2] {
        assert_eq!(mask.text(&token(number)), "[redacted]");
    }
    assert_eq!(mask.text(&token(3)), token(3));
}

#[cfg(feature = "bedrock")]
#[tokio::test]
async fn s11_5_a_token_that_aws_says_has_expired_is_renewed() {
    let api = Api::Converse;
    let expired = |name: &str| {
        let head = format!("x-amzn-ErrorType: {name}:http://internal.amazon.com/\r\n");
        Act::Keep(answer("403 Forbidden", "application/json", &head, r#"{"message":"No."}"#))
    };
    let server = Server::start([
        expired("ExpiredTokenException"),
        said(api),
        expired("AccessDeniedException"),
    ])
    .await;
    let model = builder(api, &server).credentials(Arc::new(Kept::new(source())));
    let model = model.build().unwrap();
    assert_eq!(model.infer(question("Hi?"), None).await.unwrap().text(), "Héllo");
    assert_eq!(model.infer(question("Hi?"), None).await.unwrap_err().status, Some(403));
    assert_eq!(sent(&server), [1, 2, 2]);
}

#[cfg(feature = "anthropic")]
#[tokio::test]
async fn s11_8_counting_renews_a_token_as_well() {
    let count = Act::Keep(answer("200 OK", "application/json", "", r#"{"input_tokens":7}"#));
    let server = Server::start([refused(), count]).await;
    let model = builder(Api::Messages, &server).credentials(Arc::new(Kept::new(source())));
    let count = model.build().unwrap().count_tokens(&question("Hi?")).await.unwrap();
    assert_eq!(count, legwork_port::model::Count::Exact(7));
    assert_eq!(sent(&server), [1, 2]);
}
