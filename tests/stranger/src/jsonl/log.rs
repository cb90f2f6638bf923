//! What the lines of a session's file amount to.

use std::sync::Arc;

use legwork_port::core::entry::{self, Entry};
use legwork_port::core::inbox::{Cursor, Posted};
use legwork_port::core::{Fence, Seq, SessionId};
use legwork_port::store::SessionInfo;
use serde_json::value::RawValue;

/// A line to be added.
pub(super) enum Line<'a> {
    Session(&'a SessionId),
    Claimed(Fence),
    Entries(&'a [Arc<Entry>]),
    Posted(&'a Posted),
}

impl Line<'_> {
    /// The line without its end. JSON on one line holds no line break.
    pub(super) fn encode(&self) -> serde_json::Result<Vec<u8>> {
        let (tag, parts) = match self {
            Self::Session(session) => ("session", vec![serde_json::to_vec(session)?]),
            Self::Claimed(fence) => ("claimed", vec![serde_json::to_vec(fence)?]),
            Self::Entries(entries) => {
                ("entries", entries.iter().map(|entry| entry.encode()).collect::<Result<_, _>>()?)
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
    pub(super) inbox: Vec<Posted>,
    /// What was left out since the last entry that was not.
    pub(super) damage: Option<String>,
    /// The format version of an entry that a newer Legwork wrote.
    pub(super) newer: Option<u32>,
    /// Bytes read.
    pub(super) length: u64,
    /// Whether the last line has no end: its writer died.
    pub(super) torn: bool,
    lines: u64,
}

impl Log {
    pub(super) fn last(&self) -> Seq {
        self.entries.last().map_or(Seq::ZERO, |entry| entry.seq)
    }

    pub(super) fn cursor(&self) -> Cursor {
        self.inbox.last().map_or_else(Cursor::default, |posted| posted.cursor)
    }

    /// What a list says of it; none without an entry.
    pub(super) fn info(&self) -> Option<SessionInfo> {
        let (first, last) = (self.entries.first()?, self.entries.last()?);
        Some(SessionInfo {
            session: self.session.clone()?,
            created_at: first.at,
            updated_at: last.at,
            entries: self.entries.len() as u64,
        })
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
            (r#""posted""#, [posted]) => {
                self.inbox.push(serde_json::from_str(posted.get()).map_err(in_words)?);
            }
            (r#""claimed""#, [fence]) => {
                let fence = serde_json::from_str(fence.get()).map_err(in_words)?;
                self.fence = self.fence.max(fence);
            }
            (r#""session""#, [name]) => {
                self.session = Some(serde_json::from_str(name.get()).map_err(in_words)?);
            }
            (tag, _) => return Err(format!("{tag} is not known here")),
        }
        Ok(())
    }

    /// Takes all entries of an append, or none.
    fn take_entries(&mut self, parts: &[&RawValue]) -> Result<(), String> {
        let mut entries = Vec::with_capacity(parts.len());
        let mut last = self.last();
        for part in parts {
            let entry = match Entry::decode(part.get().as_bytes()) {
                Ok(entry) => entry,
                Err(error) => {
                    if let entry::Error::Newer { found } = error {
                        self.newer = Some(found);
                    }
                    return Err(in_words(error));
                }
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
