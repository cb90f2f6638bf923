//! Servers that refuse, are full, or send the client elsewhere.

use std::time::Duration;

use legwork_port::Model;
use legwork_port::model::Kind;
use serde_json::json;

use super::{SECRET, wires};
use crate::clock::Turned;
use crate::server::{Act, Server, answer};
use crate::traffic::question;

#[tokio::test]
async fn s11_5_a_full_server_is_asked_again_when_it_says() {
    // A number of seconds, and the date that is as far away from the clock of the test.
    let waits = ["retry-after: 7\r\n", "retry-after: Sun, 18 Oct 2015 07:28:07 GMT\r\n"];
    let full = [("429 Busy", waits[0]), ("429 Busy", waits[1]), ("529 Oh", ""), ("503 No", "")];
    for asked in wires() {
        for (status, header) in full {
            let error = json!({"error": {"message": "busy"}}).to_string();
            let full = Act::Close(answer(status, "application/json", header, &error));
            let (server, clock) = (Server::start([full, asked.body()]).await, Turned::new());
            let model = asked.at(&server, &clock).build().unwrap();
            let came = model.infer(question("Hi?"), None).await.unwrap();
            assert_eq!((came.text().as_str(), came.charged_attempts), ("Héllo", 0), "{asked}");
            let least = if header.is_empty() { Duration::ZERO } else { Duration::from_secs(7) };
            let waited = clock.waits().into_iter().max().unwrap();
            assert!(waited >= least, "{asked} {status} {header}: {waited:?}");
        }
    }
}

#[tokio::test]
async fn s11_5_an_error_with_status_200_is_an_error() {
    for asked in wires() {
        let body = asked.said.error_body.to_string();
        let error = || Act::Close(answer("200 OK", "application/json", "", &body));
        // A server that is asked for a stream may answer so, too.
        let came = [asked.once_whole(error()).await, asked.once(error()).await];
        for error in came.map(Result::unwrap_err) {
            assert_eq!(error.kind, Kind::Server, "{asked}: {error}");
            assert!(error.message.contains("busy"), "{asked}: {error}");
        }
    }
}

#[tokio::test]
async fn the_key_does_not_follow_a_redirect() {
    for asked in wires() {
        let other = Server::start([asked.body()]).await;
        let to = format!("location: {}\r\n", other.base_url);
        let moved = answer("307 Moved", "text/html", &to, "moved");
        let error = asked.once_whole(Act::Close(moved)).await.unwrap_err();
        assert_eq!((error.kind, error.status), (Kind::BadRequest, Some(307)), "{asked}");
        assert!(other.requests().is_empty(), "{asked}");
        assert!(!error.message.contains(SECRET), "{asked}");
    }
}
