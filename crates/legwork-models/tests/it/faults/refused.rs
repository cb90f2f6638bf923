//! Servers that refuse, are full, or send the client elsewhere.

use std::time::Duration;

use legwork_models::answer::Streaming;
use legwork_models::retry::Policy;
use legwork_port::model::Kind;
use serde_json::json;

use super::{Asked, BOTH, SECRET, deltas, ignore, wires};
use crate::clock::Turned;
use crate::server::{Act, Server, answer};

impl Asked {
    /// A whole answer, as it is asked for.
    fn answer(&self, streaming: Streaming) -> Act {
        match streaming {
            Streaming::Yes => self.stream(&self.said.whole()),
            Streaming::No => self.body(),
        }
    }
}

#[tokio::test]
async fn s11_5_a_full_server_is_asked_again_when_it_says() {
    // A number of seconds, and the date that is as far away from the clock of the test.
    let waits = ["retry-after: 7\r\n", "retry-after: Sun, 18 Oct 2015 07:28:07 GMT\r\n"];
    let full = [("429 Busy", waits[0]), ("429 Busy", waits[1]), ("529 Oh", ""), ("503 No", "")];
    for (asked, streaming) in wires().iter().flat_map(|asked| BOTH.map(|how| (asked, how))) {
        for (status, header) in full {
            let error = json!({"error": {"message": "busy"}}).to_string();
            let full = Act::Close(answer(status, "application/json", header, &error));
            let server = Server::start([full, asked.answer(streaming)]).await;
            let clock = Turned::new();
            let model = asked.at(&server, &clock).build().unwrap();
            let came = asked.ask(&model, deltas(streaming, &mut ignore)).await.unwrap();
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
    for (asked, streaming) in wires().iter().flat_map(|asked| BOTH.map(|how| (asked, how))) {
        for status in [301, 302, 303, 307, 308] {
            let other = Server::start([asked.body()]).await;
            let to = other.base_url.replace("127.0.0.1", "localhost");
            let to = format!("location: {to}\r\n");
            let moved = Act::Close(answer(&format!("{status} Moved"), "text/html", &to, "moved"));
            let (server, clock) = (Server::start([moved]).await, Turned::new());
            let model = asked.at(&server, &clock).retry(Policy::never()).build().unwrap();
            let came = asked.ask(&model, deltas(streaming, &mut ignore)).await;
            let error = came.unwrap_err();
            assert_eq!((error.kind, error.status), (Kind::BadRequest, Some(status)), "{asked}");
            assert_eq!((server.requests().len(), other.connections()), (1, 0), "{asked}");
            assert!(!error.message.contains(SECRET), "{asked}");
        }
    }
}
