//! A process that holds a claim, and is killed.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use legwork_port::Store as _;
use legwork_port::core::{Seq, SessionId};
use legwork_port::store::{Batch, Range};
use stranger::jsonl::Jsonl;

use crate::Folder;
use crate::store::entries;

/// Says in which folder the child works; without it, the test is not the child.
const FOLDER: &str = "STRANGER_TEST_FOLDER";

#[tokio::test]
async fn the_claim_of_a_killed_process_is_taken_over() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return hold(Jsonl::open(folder).unwrap()).await;
    }
    let folder = Folder::new();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["child::the_claim_of_a_killed_process_is_taken_over", "--exact", "--nocapture"])
        .env(FOLDER, &folder.0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|line| line.contains("holds it")));

    let (store, session) = (Jsonl::open(&folder.0).unwrap(), SessionId::new("held"));
    let refused = store.claim(&session).await.map(|_| ());
    assert!(refused.is_err_and(|error| error.is_conflict()));
    child.kill().unwrap();
    child.wait().unwrap();
    let claim = store.claim(&session).await.unwrap();
    claim.append(Seq(2), Batch::of(&entries(3..=3))).await.unwrap();
    assert_eq!(store.read(&session, Range::ALL).await.unwrap().journal.entries(), entries(1..=3));
}

/// Claims, appends, says so, and waits for its end.
async fn hold(store: Jsonl) {
    let claim = store.claim(&SessionId::new("held")).await.unwrap();
    claim.append(Seq(0), Batch::of(&entries(1..=2))).await.unwrap();
    println!("holds it");
    std::io::stdin().read_line(&mut String::new()).unwrap();
}
