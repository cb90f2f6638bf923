//! What a child process does with a Postgres store.

use std::time::Duration;

use legwork_core::inbox::Item;
use legwork_core::{ExecutionStatus, Seq, Summary, Timestamp};
use legwork_port::Store as _;
use legwork_port::store::{Batch, Range};
use legwork_store::postgres::{Options, Store};

use super::LONG;
use crate::child::{says, waits};
use crate::sample::{append, entries, session};

/// Plays a role; false if there is none of this name.
pub(crate) async fn play(role: &str, url: &str) -> bool {
    let short = || Options::new().lease(Duration::from_secs(1)).open(url).unwrap();
    match role {
        "postgres open" => {
            says("ready");
            waits();
            let store = Store::open(url).unwrap();
            let key = std::process::id().to_string();
            store.post(&session("s"), &key, &Item::Stop("enough".into())).await.unwrap();
            says("opened");
        }
        "postgres hold" | "postgres keep" => {
            let store = match role {
                "postgres hold" => short(),
                _ => Options::new().lease(LONG).open(url).unwrap(),
            };
            let claim = store.claim(&session("s")).await.unwrap();
            append(&*claim, 1..=3).await;
            says(claim.fence().0);
            waits();
        }
        "postgres append" => {
            let (store, name) = (short(), session("s"));
            let claim = loop {
                match store.claim(&name).await {
                    Ok(claim) => break claim,
                    Err(error) => assert!(error.is_conflict(), "{error}"),
                }
            };
            let mut last = store.read(&name, Range::ALL).await.unwrap().journal.version().0;
            loop {
                append(&*claim, last + 1..=last + 3).await;
                last += 3;
                says(last);
            }
        }
        "postgres due" => {
            let claim = short().claim(&session("s")).await.unwrap();
            let mut summary = Summary::default();
            summary.status = Some(ExecutionStatus::InProgress);
            summary.due_at = Some(Timestamp(1));
            let entries = entries(1..=1);
            let batch = Batch::of(&entries).with_summary(&summary);
            claim.append(Seq::ZERO, batch).await.unwrap();
            says("in progress");
            waits();
        }
        _ => return false,
    }
    true
}
