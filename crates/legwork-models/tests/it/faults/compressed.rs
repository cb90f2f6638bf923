//! Compressed answers: whole, cut, and those that grow without end.

use legwork_core::inference::Incomplete;
use legwork_models::answer::Streaming;
use legwork_port::model::Kind;

use super::{Asked, MUCH, SOME, wires};
use crate::compressed::sent;
use crate::gzip::gzipped;
use crate::server::Act;

const JSON: &str = "application/json";

#[tokio::test]
async fn a_compressed_stream_is_read_on_each_wire() {
    for asked in wires() {
        let body = gzipped(&[asked.said.begun(), asked.said.rest()]);
        let came = asked.once(sent("200 OK", asked.said.stream, "gzip", &body));
        let came = came.await.unwrap();
        assert_eq!((came.text().as_str(), came.incomplete), ("Héllo", None), "{asked}");
        // Its end is missing, and the last of the text with it.
        let cut = sent("200 OK", asked.said.stream, "gzip", &body[..1]);
        let came = asked.once(cut).await.unwrap();
        let said = (came.text(), came.incomplete);
        assert_eq!(said, ("Hé".to_owned(), Some(Incomplete::Cut)), "{asked}");
    }
}

#[tokio::test]
async fn a_compressed_body_is_read_on_each_wire() {
    for asked in wires() {
        let body = gzipped(&[asked.said.body.to_string()]);
        let came = asked.once_whole(sent("200 OK", JSON, "gzip", &body)).await.unwrap();
        assert_eq!((came.text().as_str(), came.incomplete), ("Héllo", None), "{asked}");
        for at in (0..body[0].len()).step_by(8) {
            let cut = sent("200 OK", JSON, "gzip", &[body[0][..at].to_vec()]);
            let error = asked.once_whole(cut).await.unwrap_err();
            assert_eq!(error.kind, Kind::Unreachable, "{asked} at {at}: {error}");
            assert_eq!(error.charged_attempts, 1, "{asked} at {at}: {error}");
        }
    }
}

/// A small answer that becomes one of 1 GB.
fn bomb(status: &str, content_type: &str, begun: &[u8]) -> Act {
    let mib = gzipped(&[vec![b'x'; 1 << 20]]).concat();
    // Members of gzip may follow each other.
    let body = [gzipped(&[begun]).concat(), mib.repeat(1 << 10)].concat();
    assert!(body.len() < 2 << 20, "{} bytes", body.len());
    sent(status, content_type, "gzip", &[body])
}

impl Asked {
    /// The beginning of a whole body, inside its text.
    fn begun_body(&self) -> Vec<u8> {
        let body = self.said.body.to_string();
        body.split_once("llo").unwrap().0.into()
    }
}

#[tokio::test]
async fn s13_10_a_few_bytes_that_become_1_gb_meet_their_bounds() {
    for asked in wires() {
        let line = [asked.said.begun(), asked.said.endless.clone()].concat();
        let line = bomb("200 OK", asked.said.stream, &line);
        let came = asked.once_holding(MUCH, Streaming::Yes, line).await.unwrap();
        let said = (came.text(), came.incomplete);
        assert_eq!(said, ("Hé".to_owned(), Some(Incomplete::OverBound)), "{asked}");

        let body = bomb("200 OK", JSON, &asked.begun_body());
        let came = asked.once_holding(MUCH, Streaming::No, body).await.unwrap();
        assert_eq!(came.incomplete, Some(Incomplete::OverBound), "{asked}");
        assert!(came.bound.unwrap().contains("`answer_bytes`"), "{asked}");

        let error = bomb("500 Oh", JSON, b"{\"error\": {\"message\": \"");
        let error = asked.once_holding(SOME, Streaming::No, error).await;
        let error = error.unwrap_err();
        assert_eq!((error.kind, error.status), (Kind::Server, Some(500)), "{asked}: {error}");
    }
}
