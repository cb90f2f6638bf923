//! Reading journals.

use legwork_core::inbox::Cursor;
use legwork_core::journal::Journal;
use legwork_core::{Seq, SessionId};
use legwork_port::store::{Error, Loaded, Range};

use super::Inner;
use super::reply::Reply;
use super::script::{self, Call};
use crate::decode::{Damage, RowBuffer};
use crate::whole::Whole;

const TRIED: &str = "reading a journal";

/// Entries that are read at once.
const BATCH: usize = 512;

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
        let (whole, inbox) = self.journal(session, range).await?;
        let damage = whole.report(session);
        let next = whole.goes_on.then(|| range.rest(whole.entries.len()));
        let mut loaded = Loaded::new(Journal::new(whole.entries), inbox);
        (loaded.damage, loaded.unreadable, loaded.next) = (damage, whole.unreadable, next);
        Ok(loaded)
    }

    /// Reads a range, all of the same journal, and the last item of the inbox.
    pub(super) async fn journal(
        &self,
        session: &SessionId,
        range: Range,
    ) -> Result<(Whole, Cursor), Error> {
        loop {
            // Again if it was removed or cut while it was read.
            if let Some(read) = self.read_parts(session, range).await? {
                return Ok(read);
            }
        }
    }

    async fn read_parts(
        &self,
        session: &SessionId,
        range: Range,
    ) -> Result<Option<(Whole, Cursor)>, Error> {
        let mut part = self.part(session, range.after, range.limit.min(BATCH)).await?;
        let (origin, last, inbox) = (part.origin.clone(), part.last, part.inbox);
        let mut whole = Whole::from(range.after, range);
        while part.take(&mut whole, last) {
            let left = range.limit.saturating_sub(whole.entries.len());
            part = self.part(session, whole.last(), left.min(BATCH)).await?;
            if part.origin != origin {
                return Ok(None);
            }
        }
        Ok(Some((whole, inbox)))
    }

    async fn part(&self, session: &SessionId, after: Seq, limit: usize) -> Result<Part, Error> {
        let limit = if after.0 < u64::MAX { limit } else { 0 };
        let call = Call::of(&script::READ)
            .key(self.keys.session(session))
            .key(self.keys.journal(session))
            .arg(after.next().0)
            .arg(limit);
        let reply = self.link.look(TRIED, call).await?;
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

    /// Adds its entries up to the one numbered `last`; true if more have to be read.
    fn take(&self, whole: &mut Whole, last: Seq) -> bool {
        let mut buffer = RowBuffer::after(whole.last());
        for line in &self.lines {
            if buffer.last() < last {
                buffer.push(buffer.last().next(), line);
            }
            if buffer.is_full() {
                whole.take(buffer.decode());
                if whole.ends_early() {
                    return false;
                }
            }
        }
        whole.take(buffer.decode());
        if whole.ends_early() || whole.last() >= last {
            return false;
        }
        if whole.is_full() {
            whole.goes_on = true;
        } else if self.lines.is_empty() {
            let reason = format!("the entries up to {last} are not all there");
            whole.damage = Some(Damage { reason, kept: Vec::new() });
        }
        !whole.ends_early()
    }
}
