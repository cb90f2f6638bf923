//! Whole entries that this version cannot read are kept, whatever is tried.

use std::collections::BTreeSet;

use legwork_core::{Seq, SessionId};
use legwork_port::Store;
use legwork_port::store::{Batch, Error, Query, Range};
use serde_json::{Value, json};

use super::super::{Outcome, ensure};
use super::samples::{append, claim, holds, keys, post, remove, said, said_all, session, tried};
use super::words::unreadable;

/// A journal with every event and every enum, an entry a line.
const JOURNAL: &str = include_str!("journal.jsonl");

/// A store, and the ways around it.
pub(super) struct Subject<'a, S, P, B> {
    pub(super) store: S,
    pub(super) plant: &'a P,
    pub(super) bytes: &'a B,
}

/// A store in which journals of a newer version can be planted.
pub(super) trait Planted {
    type Store: Store;

    fn store(&self) -> &Self::Store;

    /// A session of four entries, the third of which is this line.
    async fn planted(&self, name: &str, third: &[u8]) -> (SessionId, Vec<Vec<u8>>);

    /// Checks that it is read up to the third entry, and that each of its lines is there.
    async fn is_whole(&self, name: &SessionId, lines: &[Vec<u8>]) -> Outcome;

    /// Checks that an append is refused, and changes nothing.
    async fn is_refused(&self, name: &SessionId, lines: &[Vec<u8>]) -> Outcome;
}

impl<S, P, B> Planted for Subject<'_, S, P, B>
where
    S: Store,
    P: AsyncFn(&S, &SessionId, &[Vec<u8>]),
    B: AsyncFn(&S, &SessionId) -> Vec<u8>,
{
    type Store = S;

    fn store(&self) -> &S {
        &self.store
    }

    async fn planted(&self, name: &str, third: &[u8]) -> (SessionId, Vec<Vec<u8>>) {
        let line = |seq| said(seq, &format!("this is entry {seq}")).encode().unwrap_or_default();
        let lines = vec![line(1), line(2), third.to_vec(), line(4)];
        let name = session(name);
        (self.plant)(&self.store, &name, &lines).await;
        (name, lines)
    }

    async fn is_whole(&self, name: &SessionId, lines: &[Vec<u8>]) -> Outcome {
        let loaded = tried("reading", self.store.read(name, Range::ALL).await)?;
        let (entries, damage) = (loaded.journal.entries(), loaded.damage);
        ensure!(damage.is_none(), "what is whole was reported as damaged: {damage:?}");
        ensure!(entries == said_all(1..=2), "{} entries were read, not 2", entries.len());
        let unreadable = loaded.unreadable.map(|unreadable| unreadable.entry);
        ensure!(unreadable == Some(Seq(3)), "{unreadable:?} was reported, not entry 3");
        let bytes = (self.bytes)(&self.store, name).await;
        for line in lines {
            let there = bytes.windows(line.len()).any(|window| window == line);
            ensure!(there, "the line is gone: {}", String::from_utf8_lossy(line));
        }
        Ok(())
    }

    async fn is_refused(&self, name: &SessionId, lines: &[Vec<u8>]) -> Outcome {
        self.is_whole(name, lines).await?;
        let held = claim(&self.store, name).await?;
        match held.append(Seq(2), Batch::of(&said_all(3..=4))).await {
            Err(Error::Unreadable { session, entry: Seq(3), .. }) if session == *name => {}
            other => return Err(format!("an append before entry 3 gave {other:?}")),
        }
        drop(held);
        self.is_whole(name, lines).await
    }
}

fn newer() -> Vec<u8> {
    br#"{"v":99,"number":3,"what":"nobody knows yet"}"#.to_vec()
}

pub(super) async fn s8_4_an_unknown_word_at_any_place_is_refused_and_kept(
    subject: &impl Planted,
) -> Outcome {
    let lines: Vec<_> = JOURNAL.lines().flat_map(|line| unreadable(line, Seq(3))).collect();
    let lines: BTreeSet<_> = lines.into_iter().collect();
    ensure!(lines.len() > 500, "{} lines have an unknown word", lines.len());
    for (number, third) in lines.iter().enumerate() {
        let (name, lines) = subject.planted(&format!("word {number}"), third).await;
        let result = subject.is_refused(&name, &lines).await;
        result.map_err(|found| format!("{found}, with {}", String::from_utf8_lossy(third)))?;
    }
    Ok(())
}

pub(super) async fn s8_5_an_entry_of_a_newer_version_is_refused_and_kept(
    subject: &impl Planted,
) -> Outcome {
    let entry: Value = json!({"v": 99, "seq": 3, "parent": 2, "at": 0, "type": "x", "body": {}});
    let other = json!({"v": 1, "seq": 3, "parent": 2, "at": "noon"});
    for (number, third) in [entry.to_string(), other.to_string()].iter().enumerate() {
        let (name, lines) = subject.planted(&number.to_string(), third.as_bytes()).await;
        subject.is_refused(&name, &lines).await?;
    }
    let (name, lines) = subject.planted("newer", &newer()).await;
    subject.is_refused(&name, &lines).await?;
    subject.is_refused(&name, &lines).await
}

pub(super) async fn s8_4_what_cannot_be_read_hides_no_other_session(
    subject: &impl Planted,
) -> Outcome {
    let (fine, store) = (session("fine"), subject.store());
    append(&*claim(store, &fine).await?, 0, &said_all(1..=3)).await?;
    let (name, lines) = subject.planted("newer", &newer()).await;
    append(&*claim(store, &fine).await?, 3, &said_all(4..=4)).await?;
    holds(store, &fine, &said_all(1..=4)).await?;
    let listed = tried("listing", store.sessions(&Query::first(10)).await)?.sessions;
    ensure!(listed.len() == 2, "{} sessions are listed, there are 2", listed.len());
    subject.is_whole(&name, &lines).await
}

pub(super) async fn s8_2_anyone_may_post_to_what_cannot_be_read(subject: &impl Planted) -> Outcome {
    let (name, lines) = subject.planted("newer", &newer()).await;
    let cursor = post(subject.store(), &name, "for the newer version").await?;
    let items = keys(subject.store(), &name, <_>::default()).await?;
    ensure!(items == ["for the newer version"], "the inbox holds {items:?}");
    let loaded = tried("reading", subject.store().read(&name, Range::ALL).await)?;
    ensure!(loaded.inbox == cursor, "reading gives {:?}, not {cursor:?}", loaded.inbox);
    subject.is_refused(&name, &lines).await
}

pub(super) async fn s8_6_what_cannot_be_read_can_be_removed(subject: &impl Planted) -> Outcome {
    let (name, _) = subject.planted("newer", &newer()).await;
    remove(subject.store(), &[&name]).await?;
    holds(subject.store(), &name, &[]).await?;
    append(&*claim(subject.store(), &name).await?, 0, &said_all(1..=2)).await?;
    holds(subject.store(), &name, &said_all(1..=2)).await
}
