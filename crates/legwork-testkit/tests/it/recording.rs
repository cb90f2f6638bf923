//! Recordings over real connections.

use std::path::{Path, PathBuf};

use legwork_testkit::{Recording, Replay, Server};
use serde_json::json;

use crate::client::{ask_streamed, post, read, send};

/// The recordings of real answers next to the workspace, if they are there.
fn recordings(name: &str) -> Option<PathBuf> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/recordings");
    let path = shared.join(name);
    if !path.exists() {
        println!("skipped: {} is not there", path.display());
        return None;
    }
    Some(path)
}

fn row(status: u16, content_type: &str, body: &str) -> Recording {
    let row = json!({
        "name": "one", "index": 0, "method": "POST", "path": "/v1/chat/completions",
        "request": {}, "status": status, "response_body": body,
        "response_headers": {"content-type": content_type, "retry-after": "3"},
    });
    Recording::from_line(&row.to_string()).unwrap()
}

#[test]
fn rows_are_answered_in_order() {
    let rows = [row(200, "text/event-stream", "data: 1\n\n"), row(429, "text/plain", "slow")];
    let server = Server::start(Replay::new(rows)).unwrap();
    let first = post(&server, &ask_streamed());
    assert_eq!((first.status, first.text().as_str()), (200, "data: 1\n\n"));
    let second = read(send(&server, "POST /any/other/path", "{}"));
    assert_eq!((second.status, second.text().as_str()), (429, "slow"));
    assert!(second.headers.contains("retry-after: 3"));
    assert_eq!(post(&server, &ask_streamed()).status, 400);
}

#[test]
fn bodies_come_whole_however_they_are_cut() {
    let body = "data: Grüße\r\n\r\ndata: 日本\r\n\r\n";
    let cut_anywhere = |at| Replay::new([row(200, "text/event-stream", body)]).split_at([at, 3]);
    for at in 0..=body.len() + 1 {
        let server = Server::start(cut_anywhere(at)).unwrap();
        assert_eq!(post(&server, &ask_streamed()).text(), body, "cut at {at}");
    }
    let bytewise = Replay::new([row(200, "text/event-stream", body)]).split_every(1);
    let server = Server::start(bytewise).unwrap();
    assert_eq!(post(&server, &ask_streamed()).text(), body);
}

#[test]
fn real_recordings_are_played_byte_for_byte() {
    let Some(path) = recordings("openai_chat.jsonl") else { return };
    let rows = Recording::read(path).unwrap();
    assert!(rows.len() > 100);
    let server = Server::start(Replay::new(rows.clone()).split_every(97)).unwrap();
    for row in &rows {
        let answer = post(&server, &row.request);
        assert_eq!(answer.status, row.status, "{}", row.name);
        assert_eq!(answer.body, row.response_body.as_bytes(), "{}", row.name);
    }
    assert_eq!(server.requests().len(), rows.len());
}

#[test]
fn a_damaged_file_is_reported_with_its_line() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bad.jsonl");
    std::fs::write(&path, "\n{\"name\": 1}\n").unwrap();
    let error = Recording::read(&path).unwrap_err().to_string();
    assert!(error.contains("line 2 of the recordings"), "{error}");
    let error = Recording::read(dir.path().join("none")).unwrap_err().to_string();
    assert!(error.contains("cannot be read"), "{error}");
}
