//! Reading journals.

use std::sync::Arc;

use legwork_core::inbox::Cursor;
use legwork_core::journal::Journal;
use legwork_core::{Entry, Seq, SessionId, entry};
use legwork_port::store::{Error, Loaded, Range, Unreadable};

use super::Inner;
use super::reply::Reply;
use super::script::{self, Call};

const TRIED: &str = "reading a journal";

/// Entries that are read at once.
const BATCH: usize = 512;

/// A range of a journal as far as it is whole and can be read.
#[derive(Debug)]
pub(super) struct Whole {
    range: Range,
    pub(super) entries: Vec<Arc<Entry>>,
    pub(super) damage: Option<String>,
    pub(super) unreadable: Option<Unreadable>,
    /// Whether there is more behind the range.
    goes_on: bool,
    inbox: Cursor,
}

/// The state of a session, and some of its lines.
struct Part {
    /// What changes when the journal is replaced by another, or by a shorter one.
    origin: (Option<String>, Option<String>),
    last: Seq,
    inbox: Cursor,
    lines: Vec<Vec<u8>>,
}

impl Inner {
    pub(super) async fn load(&self, session: &SessionId, range: Range) -> Result<Loaded, Error> {
        let whole = self.journal(session, range).await?;
        let damage = whole.report(session);
        let next = whole.goes_on.then(|| range.rest(whole.entries.len()));
        let mut loaded = Loaded::new(Journal::new(whole.entries), whole.inbox);
        (loaded.damage, loaded.unreadable, loaded.next) = (damage, whole.unreadable, next);
        Ok(loaded)
    }

    /// Reads a range, all of the same journal.
    pub(super) async fn journal(&self, session: &SessionId, range: Range) -> Result<Whole, Error> {
        loop {
            // Again if it was removed or cut while it was read.
            if let Some(whole) = self.read_parts(session, range).await? {
                return Ok(whole);
            }
        }
    }

    async fn read_parts(&self, session: &SessionId, range: Range) -> Result<Option<Whole>, Error> {
        let first = self.part(session, range.after, range.limit.min(BATCH)).await?;
        let (origin, last) = (first.origin.clone(), first.last);
        let mut whole = Whole::of(range, first.inbox);
        let mut part = first;
        loop {
            let is_over = whole.take(&part.lines, last);
            let left = range.limit.saturating_sub(whole.entries.len());
            if is_over || left == 0 || whole.last() >= last {
                whole.goes_on = !whole.ends_early() && whole.last() < last;
                return Ok(Some(whole));
            }
            part = self.part(session, whole.last(), left.min(BATCH)).await?;
            if part.origin != origin {
                return Ok(None);
            }
        }
    }

    async fn part(&self, session: &SessionId, after: Seq, limit: usize) -> Result<Part, Error> {
        let limit = if after.0 < u64::MAX { limit } else { 0 };
        let call = Call::of(&script::READ)
            .key(self.keys.session(session))
            .key(self.keys.journal(session))
            .arg(after.next().0)
            .arg(limit);
        let reply = self.link.run(TRIED, call).await?;
        Part::read(&reply).ok_or_else(|| self.link.name.odd(TRIED))
    }
}

impl Part {
    fn read(reply: &Reply) -> Option<Self> {
        let number =
            |at| reply.get::<Option<String>>(at)?.map_or(Some(0), |number| number.parse().ok());
        Some(Self {
            origin: (reply.get(0)?, reply.get(1)?),
            last: Seq(number(2)?),
            inbox: Cursor(number(3)?),
            lines: reply.get(4)?,
        })
    }
}

impl Whole {
    fn of(range: Range, inbox: Cursor) -> Self {
        let (entries, damage, unreadable, goes_on) = <_>::default();
        Self { range, entries, damage, unreadable, goes_on, inbox }
    }

    /// The number of the last entry that was read, or of the one before the range.
    fn last(&self) -> Seq {
        self.range.rest(self.entries.len()).after
    }

    fn ends_early(&self) -> bool {
        self.damage.is_some() || self.unreadable.is_some()
    }

    /// Takes lines that follow, up to the entry `last`; true if nothing can be read after them.
    fn take(&mut self, lines: &[Vec<u8>], last: Seq) -> bool {
        let left = self.range.limit.saturating_sub(self.entries.len());
        if lines.is_empty() && left > 0 && self.last() < last {
            self.damage = Some(format!("the entries up to {last} are not all there"));
        }
        for line in lines {
            if self.last() >= last {
                break;
            }
            let expected = self.last().next();
            match decoded(line, expected) {
                Ok(entry) => self.entries.push(Arc::new(entry)),
                Err(entry::Error::Unreadable { reason, .. }) => {
                    let reason = reason.to_string();
                    self.unreadable = Some(Unreadable { entry: expected, reason });
                }
                Err(error) => self.damage = Some(error.to_string()),
            }
            if self.ends_early() {
                break;
            }
        }
        self.ends_early()
    }

    /// What was left out as damaged, in words.
    fn report(&self, session: &SessionId) -> Option<String> {
        let (reason, last) = (self.damage.as_ref()?, self.last());
        Some(format!(
            "the journal of session {session} is damaged after entry {last} and read up to \
             there, the next append sets the rest aside: {reason}"
        ))
    }
}

/// Reads a line that should hold the entry of a number.
fn decoded(line: &[u8], expected: Seq) -> Result<Entry, entry::Error> {
    let read = Entry::decode(line);
    let seq = match &read {
        Ok(entry) => Some(entry.seq),
        Err(entry::Error::Unreadable { seq, .. }) => *seq,
        Err(_) => None,
    };
    match seq {
        Some(seq) if seq != expected => {
            let found = format!("found entry {seq} in place of entry {expected}");
            Err(entry::Error::Damaged(serde::de::Error::custom(found)))
        }
        _ => read,
    }
}
