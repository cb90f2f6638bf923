//! Servers that refuse, are full, or send the client elsewhere.

use std::time::Duration;

use legwork_port::model::Kind;
use serde_json::json;

use super::super::all_wires;
use super::{
    Act, BOTH, End, JSON, LITTLE, OFFERED, Policy, Sent, Server, Turned, deltas, ignore, said, sent,
};

#[tokio::test]
async fn s11_5_a_full_server_is_asked_again_when_it_says() {
    // A number of seconds, and the date that is as far away from the clock of the test.
    let waits = ["7", "Sun, 18 Oct 2015 07:28:07 GMT"];
    let full = [(429, Some(waits[0])), (429, Some(waits[1])), (529, None), (503, None)];
    let error = json!({"error": {"message": "busy"}}).to_string();
    for wire in all_wires() {
        for (streaming, (status, wait)) in
            BOTH.into_iter().flat_map(|how| full.map(|full| (how, full)))
        {
            let mut full = sent(status, JSON, [error.clone().into()], End::Whole);
            full.headers.extend(wait.map(|wait| ("retry-after", wait.to_owned())));
            let server =
                Server::start(OFFERED, [full, wire.answer(streaming)].map(Act::Send)).await;
            let clock = Turned::new();
            let model = wire.at(&server, |model| model.clock(clock.clone()));
            let came = wire.ask(LITTLE, &model, deltas(streaming, &mut ignore)).await.unwrap();
            assert_eq!(came.charged_attempts, 0, "{wire}");
            assert_eq!(said(came), ("Héllo".to_owned(), None), "{wire}");
            let least = Duration::from_secs(if wait.is_some() { 7 } else { 0 });
            let waited = clock.waits().into_iter().max().unwrap();
            assert!(waited >= least, "{wire} {status} {wait:?}: {waited:?}");
            assert_eq!(server.connections(), 1, "{wire}");
        }
    }
}

#[tokio::test]
async fn s11_5_an_error_with_status_200_is_an_error() {
    for wire in all_wires() {
        for streaming in BOTH {
            let error = sent(200, JSON, [wire.said.error_body.to_string().into()], End::Whole);
            let error = wire.once(streaming, error).await.unwrap_err();
            assert_eq!(error.kind, Kind::Server, "{wire}: {error}");
            assert!(error.message.contains("busy"), "{wire}: {error}");
        }
    }
}

#[tokio::test]
async fn the_key_does_not_follow_a_redirect() {
    for wire in all_wires() {
        for status in [301, 302, 303, 307, 308] {
            let other = Server::start(OFFERED, []).await;
            let to = vec![("location", other.base_url.replace("localhost", "127.0.0.1"))];
            let moved = Sent { headers: to, ..sent(status, JSON, [b"moved".to_vec()], End::Whole) };
            let server = Server::start(OFFERED, [Act::Send(moved)]).await;
            let model = wire.at(&server, |model| model.clock(Turned::new()).retry(Policy::never()));
            let error = wire.ask(LITTLE, &model, None).await.unwrap_err();
            assert_eq!((error.kind, error.status), (Kind::BadRequest, Some(status)), "{wire}");
            assert_eq!((server.requests().len(), other.connections()), (1, 0), "{wire}");
            assert!(!error.message.contains("sk-secret"), "{wire}");
        }
    }
}
