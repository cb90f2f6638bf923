//! What the checks write, and how they say what went wrong.

use std::sync::Arc;

use legwork_core::event::{ExecutionStarted, HeadMoved, SessionStarted, Unknown};
use legwork_core::inbox::{Cursor, Item};
use legwork_core::{Entry, Event, Message, Seq, SessionId, Timestamp};
use legwork_port::store::{Batch, Error, Range};
use legwork_port::{Claim, Store};
use serde_json::json;

/// A time that is not a round number.
pub(super) const NOON: u64 = 1_760_000_000_123;

pub(super) fn session(name: &str) -> SessionId {
    SessionId::new(name)
}

pub(super) fn entry(seq: u64, event: Event) -> Arc<Entry> {
    let parent = Seq(seq.saturating_sub(1));
    Arc::new(Entry { seq: Seq(seq), parent, at: Timestamp(NOON + seq), event })
}

pub(super) fn said(seq: u64, text: &str) -> Arc<Entry> {
    entry(seq, Event::MessageAdded(Arc::new(Message::user(text))))
}

/// Entries from one number to another.
pub(super) fn said_all(range: std::ops::RangeInclusive<u64>) -> Vec<Arc<Entry>> {
    range.map(|seq| said(seq, &format!("this is entry {seq}"))).collect()
}

/// Entries of several kinds, with texts that are hard to keep.
pub(super) fn varied(name: &SessionId) -> Vec<Arc<Entry>> {
    let start = SessionStarted {
        session: name.clone(),
        agent: "clerk".into(),
        parent: None,
        forked_from: None,
    };
    let hard = "line one\nline two\r\n\"quoted\" \\ tab\t nul\u{0} é 漢字 🧵 \u{2028} end";
    let input = vec![Arc::new(Message::user(hard)), Arc::new(Message::user(""))];
    let body = json!({"float": 0.1, "large": u64::MAX, "deep": [[{"": null}]], "text": hard});
    vec![
        entry(1, Event::SessionStarted(start)),
        entry(2, Event::ExecutionStarted(ExecutionStarted { input })),
        entry(3, Event::Other(Unknown::new("from_the_future", &body))),
        entry(4, Event::HeadMoved(HeadMoved { to: Seq(2) })),
    ]
}

pub(super) fn note(text: &str) -> Item {
    Item::Steer(Arc::new(Message::user(text)))
}

/// Says what was tried when it failed.
pub(super) fn tried<T>(what: &str, result: Result<T, Error>) -> Result<T, String> {
    result.map_err(|error| format!("{what} failed: {error}"))
}

/// Nothing if it was refused because somebody holds the claim of this session.
pub(super) fn held<T>(
    what: &str,
    name: &SessionId,
    result: Result<T, Error>,
) -> Result<(), String> {
    let is_held = |error: &Error| matches!(error, Error::Held { session, .. } if session == name);
    refused(what, result, is_held, "Held")
}

/// Nothing if it was refused because the claim was lost.
pub(super) fn lost<T>(what: &str, result: Result<T, Error>) -> Result<(), String> {
    refused(what, result, |error| matches!(error, Error::Lost { .. }), "Lost")
}

/// Nothing if it was refused because a journal that should end with one entry ends with
/// another.
pub(super) fn moved<T>(
    what: &str,
    (expected, found): (u64, u64),
    result: Result<T, Error>,
) -> Result<(), String> {
    let numbers = (Seq(expected), Seq(found));
    let is_moved = |error: &Error| matches!(error, Error::Moved { expected, found, .. } if (*expected, *found) == numbers);
    refused(what, result, is_moved, "Moved")
}

fn refused<T>(
    what: &str,
    result: Result<T, Error>,
    is_wanted: impl FnOnce(&Error) -> bool,
    wanted: &str,
) -> Result<(), String> {
    match result {
        Err(error) if is_wanted(&error) && error.is_conflict() => Ok(()),
        Err(error) => Err(format!("{what} is not refused as {wanted} but: {error}")),
        Ok(_) => Err(format!("{what} was not refused")),
    }
}

pub(super) async fn claim(store: &dyn Store, name: &SessionId) -> Result<Box<dyn Claim>, String> {
    tried(&format!("claiming {name}"), store.claim(name).await)
}

pub(super) async fn append(
    claim: &dyn Claim,
    expected: u64,
    entries: &[Arc<Entry>],
) -> Result<Cursor, String> {
    let what = format!("appending {} entries after {expected}", entries.len());
    tried(&what, claim.append(Seq(expected), Batch::of(entries)).await)
        .map(|appended| appended.inbox)
}

pub(super) async fn post(store: &dyn Store, name: &SessionId, key: &str) -> Result<Cursor, String> {
    tried(&format!("posting `{key}`"), store.post(name, key, &note(key)).await)
}

pub(super) async fn remove(store: &dyn Store, names: &[&SessionId]) -> Result<(), String> {
    let names: Vec<_> = names.iter().map(|name| (*name).clone()).collect();
    tried(&format!("removing {names:?}"), store.remove(&names).await).map(|_| ())
}

/// Nothing if the journal holds exactly these.
pub(super) async fn holds(
    store: &dyn Store,
    name: &SessionId,
    entries: &[Arc<Entry>],
) -> Result<(), String> {
    let loaded = tried("reading", store.read(name, Range::ALL).await)?;
    if let Some(damage) = loaded.damage {
        return Err(format!("the journal of {name} is damaged: {damage}"));
    }
    if let Some(unreadable) = loaded.unreadable {
        return Err(format!("the journal of {name} cannot be read: {unreadable}"));
    }
    let read = loaded.journal.entries();
    if read == entries {
        return Ok(());
    }
    let numbers: Vec<_> = read.iter().map(|entry| entry.seq.0).collect();
    let at = read.iter().zip(entries).find(|(read, wanted)| read != wanted);
    Err(format!(
        "the journal of {name} has the entries {numbers:?}, {} are expected; the first that \
         differs: {at:?}",
        entries.len()
    ))
}

/// The keys of an inbox after a cursor.
pub(super) async fn keys(
    store: &dyn Store,
    name: &SessionId,
    after: Cursor,
) -> Result<Vec<String>, String> {
    let items = tried("reading the inbox", store.inbox(name, after).await)?;
    Ok(items.into_iter().map(|posted| posted.key).collect())
}
