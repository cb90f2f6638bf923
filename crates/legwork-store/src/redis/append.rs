//! Appending entries to a journal.

use std::sync::Arc;

use legwork_core::inbox::Cursor;
use legwork_core::{Entry, Fence, Seq, SessionId};
use legwork_port::store::{Appended, Batch, Error, Loss, Range};

use super::reply::Reply;
use super::script::{self, Call};
use super::{Inner, VERSION};
use crate::name::{Name, lost};

const TRIED: &str = "appending to a journal";

/// The largest string that a server takes, in bytes.
const LARGEST: usize = 512 << 20;

/// Entries to be appended after the one numbered `expected`.
pub(super) struct Append {
    session: SessionId,
    fence: Fence,
    /// Its number under this fence.
    nth: u64,
    expected: Seq,
    last: Seq,
    /// When the first and the last of them were made.
    times: (String, String),
    lines: Vec<Vec<u8>>,
    summary: Option<Summary>,
    /// The last inbox item that the caller knows of; with a later one nothing is written.
    seen: Option<Cursor>,
}

/// What lists say of a session, and what of it the server looks at.
struct Summary {
    json: Vec<u8>,
    taken: Cursor,
    due_at: String,
}

/// What an append did.
#[derive(Debug, Clone, Copy)]
pub(super) struct Written {
    pub(super) appended: Appended,
    /// Whether it set damaged entries aside.
    pub(super) cut_damage: bool,
}

impl Append {
    /// Encodes a batch.
    pub(super) fn encode(name: &Name, expected: Seq, batch: &Batch<'_>) -> Result<Self, Error> {
        let mut lines = Vec::with_capacity(batch.entries.len());
        let mut last = expected;
        for entry in batch.entries {
            if entry.seq != last.next() {
                let reason = format!("entry {} cannot come after entry {last}", entry.seq);
                return Err(name.failed(reason));
            }
            last = entry.seq;
            let line = entry.encode().map_err(|error| {
                name.failed(format!("entry {last} cannot be written as JSON: {error}"))
            })?;
            if line.len() > LARGEST {
                let reason = format!("entry {last} has more than the 512 MB of a Redis string");
                return Err(name.failed(reason));
            }
            lines.push(line);
        }
        let time = |entry: Option<&Arc<Entry>>| digits(entry.map_or(0, |entry| entry.at.0));
        let summary = batch.summary.map(|summary| Summary::encode(name, summary)).transpose()?;
        Ok(Self {
            session: SessionId::new(""),
            fence: Fence(0),
            nth: 0,
            expected,
            last,
            times: (time(batch.entries.first()), time(batch.entries.last())),
            lines,
            summary,
            seen: batch.seen,
        })
    }

    /// The same for a claim, as the append of this number under it.
    pub(super) fn under(self, session: SessionId, fence: Fence, nth: u64) -> Self {
        Self { session, fence, nth, ..self }
    }

    /// The size of the entries as they are encoded.
    pub(super) fn bytes(&self) -> usize {
        self.lines.iter().map(Vec::len).sum()
    }

    pub(super) async fn run(&self, store: &Inner) -> Result<Written, Error> {
        let reply = store.link.write(TRIED, self.call(store, None)).await?;
        let reply = match reply.get(0).map(Seq) {
            Some(found) if reply.word() == "moved" && found > self.expected => {
                self.check_damage(store, found).await?;
                store.link.write(TRIED, self.call(store, Some(found))).await?
            }
            _ => reply,
        };
        let written = self.written(store, &reply)?;
        store.watchers.notify(&self.session);
        Ok(written)
    }

    fn written(&self, store: &Inner, reply: &Reply) -> Result<Written, Error> {
        let name = &store.link.name;
        match (reply.word(), reply.get::<u64>(0)) {
            ("ok", Some(inbox)) => Ok(Written {
                appended: Appended::new(Cursor(inbox)),
                cut_damage: reply.get::<u8>(1) == Some(1),
            }),
            ("removed", _) => Err(lost(&self.session, Loss::Removed)),
            ("lost", _) => Err(lost(&self.session, Loss::Claimed)),
            ("moved", Some(found)) => Err(self.elsewhere(Seq(found))),
            ("new_items", Some(inbox)) => {
                Err(Error::NewItems { session: self.session.clone(), inbox: Cursor(inbox) })
            }
            ("late", _) => Err(name.failed("a later append of this claim was made before")),
            _ => Err(store.refused(TRIED, reply)),
        }
    }

    /// Checks that nothing that can be used follows the expected entry: a damaged tail counts as
    /// missing.
    async fn check_damage(&self, store: &Inner, found: Seq) -> Result<(), Error> {
        let (whole, _) = store.journal(&self.session, Range::after(self.expected)).await?;
        if let Some(unreadable) = whole.unreadable {
            return Err(unreadable.refuses(&self.session));
        }
        match whole.damage.is_some() && whole.entries.is_empty() {
            true => Ok(()),
            false => Err(self.elsewhere(found)),
        }
    }

    /// The conflict of an append that does not follow the last entry.
    fn elsewhere(&self, found: Seq) -> Error {
        Error::Moved { session: self.session.clone(), expected: self.expected, found }
    }

    /// The call of the script, which sets aside a damaged tail that ends with an entry.
    fn call(&self, store: &Inner, damaged: Option<Seq>) -> Call {
        let keys = &store.keys;
        let number = |number: Option<u64>| number.map(|number| number.to_string());
        let call = Call::of(&script::APPEND)
            .key(keys.version())
            .key(keys.session(&self.session))
            .key(keys.journal(&self.session))
            .key(keys.cut(&self.session))
            .key(keys.listed())
            .key(keys.due())
            .arg(VERSION)
            .arg(self.session.as_str())
            .arg(&store.channel)
            .arg(self.fence.0)
            .arg(self.nth)
            .arg(self.expected.0)
            .arg(self.last.0)
            .arg(&self.times.0)
            .arg(&self.times.1)
            .arg(number(self.seen.map(|seen| seen.0)).unwrap_or_default())
            .arg(number(damaged.map(|seq| seq.0)).unwrap_or_default());
        let call = match &self.summary {
            Some(summary) => call.arg(&summary.json).arg(summary.taken.0).arg(&summary.due_at),
            None => call.arg("").arg("").arg(""),
        };
        self.lines.iter().fold(call, |call, line| call.arg(line))
    }
}

impl Summary {
    fn encode(name: &Name, summary: &legwork_core::Summary) -> Result<Self, Error> {
        let json = serde_json::to_vec(summary)
            .map_err(|error| name.failed(format!("the summary cannot be encoded: {error}")))?;
        let due_at = summary.due_at.map(|due| digits(due.0)).unwrap_or_default();
        Ok(Self { json, taken: summary.taken, due_at })
    }
}

/// A time as 20 digits, so that the order of texts is that of times.
pub(super) fn digits(time: u64) -> String {
    format!("{time:020}")
}
