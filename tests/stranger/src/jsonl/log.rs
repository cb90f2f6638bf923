//! What the lines of a session's file amount to.

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_port::core::entry::{self, Entry};
use legwork_port::core::inbox::{Cursor, Item, Posted};
use legwork_port::core::{Fence, Seq, SessionId, Summary, Timestamp};
use legwork_port::store::{Batch, SessionInfo, Unreadable};
use serde_json::value::RawValue;

/// A line to be added.
pub(super) enum Line<'a> {
    Session(&'a SessionId),
    Claimed(Fence),
    Appended(&'a Batch<'a>),
    Posted(&'a Posted),
}

impl Line<'_> {
    /// The line without its end. JSON on one line holds no line break.
    pub(super) fn encode(&self) -> serde_json::Result<Vec<u8>> {
        let (tag, parts) = match self {
            Self::Session(session) => ("session", vec![serde_json::to_vec(session)?]),
            Self::Claimed(fence) => ("claimed", vec![serde_json::to_vec(fence)?]),
            Self::Appended(batch) => {
                let entries = batch.entries.iter().map(|entry| entry.encode());
                let summary = batch.summary.map(serde_json::to_vec);
                let tag = if summary.is_some() { "summary" } else { "entries" };
                (tag, summary.into_iter().chain(entries).collect::<Result<_, _>>()?)
            }
            Self::Posted(posted) => ("posted", vec![serde_json::to_vec(posted)?]),
        };
        let mut line = format!("[\"{tag}\"").into_bytes();
        for part in parts {
            line.push(b',');
            line.extend(part);
        }
        line.push(b']');
        Ok(line)
    }
}

/// What the lines read so far amount to.
#[derive(Debug, Default)]
pub(super) struct Log {
    pub(super) session: Option<SessionId>,
    pub(super) fence: Fence,
    pub(super) entries: Vec<Arc<Entry>>,
    /// What lists say of the session.
    pub(super) summary: Summary,
    pub(super) inbox: Vec<Left>,
    /// What was left out since the last entry that was not.
    pub(super) damage: Option<String>,
    /// The first entry that this version cannot read; what follows it is left out too.
    pub(super) unreadable: Option<Unreadable>,
    /// Bytes read.
    pub(super) length: u64,
    /// Whether the last line has no end: its writer died.
    pub(super) torn: bool,
    lines: u64,
}

/// An item of the inbox; one that cannot be read has its place all the same.
#[derive(Debug)]
pub(super) struct Left {
    pub(super) cursor: Cursor,
    pub(super) key: String,
    pub(super) item: Result<Item, String>,
}

impl Left {
    fn read(posted: &RawValue) -> serde_json::Result<Self> {
        let parts: BTreeMap<String, &RawValue> = serde_json::from_str(posted.get())?;
        let part = |name| parts.get(name).map_or("null", |part| part.get());
        let item = serde_json::from_str(part("item")).map_err(in_words);
        let (cursor, key) = (part("cursor"), part("key"));
        Ok(Self { cursor: serde_json::from_str(cursor)?, key: serde_json::from_str(key)?, item })
    }
}

impl Log {
    pub(super) fn last(&self) -> Seq {
        self.entries.last().map_or(Seq::ZERO, |entry| entry.seq)
    }

    /// The last item, or the last that was taken up in another store.
    pub(super) fn cursor(&self) -> Cursor {
        let posted = self.inbox.last().map_or_else(Cursor::default, |posted| posted.cursor);
        posted.max(self.summary.taken)
    }

    /// Whether there is an entry, readable or not.
    pub(super) fn has_journal(&self) -> bool {
        !self.entries.is_empty() || self.unreadable.is_some()
    }

    /// What a list says of it; none without an entry.
    pub(super) fn info(&self) -> Option<SessionInfo> {
        if !self.has_journal() {
            return None;
        }
        let at = |entry: Option<&Arc<Entry>>| entry.map_or(Timestamp(0), |entry| entry.at);
        let (first, last) = (at(self.entries.first()), at(self.entries.last()));
        let info = SessionInfo::new(self.session.clone()?);
        let info = info.with_entries(self.entries.len() as u64, first, last);
        Some(info.with_inbox(self.cursor()).with_summary(self.summary.clone()))
    }

    /// Takes what comes after all that was taken before.
    pub(super) fn take(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        self.torn = bytes.last().map_or(self.torn, |last| *last != b'\n');
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            self.lines += 1;
            if let Err(reason) = self.take_line(line) {
                self.damage = Some(format!("line {} is left out: {reason}", self.lines));
            }
        }
    }

    fn take_line(&mut self, line: &[u8]) -> Result<(), String> {
        let parts: Vec<&RawValue> = serde_json::from_slice(line).map_err(in_words)?;
        let (tag, parts) = parts.split_first().ok_or("it is empty")?;
        match (tag.get(), parts) {
            (r#""entries""#, entries) => return self.take_entries(entries),
            (r#""summary""#, [summary, entries @ ..]) => {
                self.take_entries(entries)?;
                // A newer version may say more than this one can read.
                self.summary = serde_json::from_str(summary.get()).unwrap_or_default();
            }
            (r#""posted""#, [posted]) => self.inbox.push(Left::read(posted).map_err(in_words)?),
            (r#""claimed""#, [fence]) => {
                let fence = serde_json::from_str(fence.get()).map_err(in_words)?;
                self.fence = self.fence.max(fence);
            }
            (r#""session""#, [name]) => {
                self.session = Some(serde_json::from_str(name.get()).map_err(in_words)?);
            }
            (tag, _) => self.cannot_read(self.last().next(), format!("{tag} is not known here")),
        }
        Ok(())
    }

    fn cannot_read(&mut self, entry: Seq, reason: String) {
        self.unreadable.get_or_insert(Unreadable { entry, reason });
    }

    /// Takes all entries of an append, those before one that cannot be read, or none.
    fn take_entries(&mut self, parts: &[&RawValue]) -> Result<(), String> {
        if self.unreadable.is_some() {
            return Ok(());
        }
        let mut entries = Vec::with_capacity(parts.len());
        let mut last = self.last();
        for part in parts {
            let entry = match Entry::decode(part.get().as_bytes()) {
                Ok(entry) => entry,
                Err(entry::Error::Unreadable { seq, reason })
                    if seq.is_none_or(|seq| seq == last.next()) =>
                {
                    self.cannot_read(last.next(), in_words(reason));
                    break;
                }
                Err(error) => return Err(in_words(error)),
            };
            // What follows something that was left out is left out too, until an append
            // of a later writer takes its place.
            if entry.seq != last.next() {
                return Err(format!("entry {} does not follow entry {last}", entry.seq));
            }
            last = entry.seq;
            entries.push(Arc::new(entry));
        }
        self.entries.extend(entries);
        self.damage = None;
        Ok(())
    }
}

fn in_words(error: impl std::fmt::Display) -> String {
    error.to_string()
}
