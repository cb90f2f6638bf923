//! Pages of the list of sessions, made of an index and of summaries: no journal is read.

use legwork_core::inbox::Cursor;
use legwork_core::{SessionId, Summary, Timestamp};
use legwork_port::store::{Error, Page, PageCursor, Query, SessionInfo};
use redis::Value;

use super::Inner;
use super::append::digits;
use super::reply::read;
use super::script::{self, Call};

/// Members of an index that are looked at in one call, at most.
const BATCH: usize = 256;

/// A range of an index, and in which order it is read.
pub(super) struct Span<'a> {
    pub(super) tried: &'a str,
    pub(super) index: Vec<u8>,
    pub(super) order: &'a str,
    pub(super) start: Vec<u8>,
    pub(super) end: Vec<u8>,
    /// `all`, or `free` for sessions that nobody claims.
    pub(super) which: &'a str,
}

/// Some of the sessions of a range.
pub(super) struct Rows {
    pub(super) sessions: Vec<SessionInfo>,
    /// Where the range goes on; none if it is over.
    pub(super) rest: Option<Vec<u8>>,
}

impl Inner {
    pub(super) async fn sessions(&self, query: &Query) -> Result<Page, Error> {
        let mut span = Span {
            tried: "listing the sessions",
            index: self.keys.listed(),
            order: "down",
            start: self.after(query.after.as_ref())?.unwrap_or_else(|| b"+".to_vec()),
            end: query.since.map_or_else(
                || b"-".to_vec(),
                |since| format!("[{}", digits(since.0)).into_bytes(),
            ),
            which: "all",
        };
        let enough = query.limit.saturating_add(1);
        let mut found = Vec::new();
        loop {
            let rows = self.rows(&span, enough - found.len()).await?;
            found.extend(rows.sessions.into_iter().filter(|info| query.admits(info)));
            match rows.rest {
                Some(rest) if found.len() < enough => span.start = rest,
                _ => break,
            }
        }
        found.truncate(enough);
        Ok(page(found, query.limit, |info| info.updated_at))
    }

    /// The position after a cursor, as an index takes it.
    pub(super) fn after(&self, cursor: Option<&PageCursor>) -> Result<Option<Vec<u8>>, Error> {
        let Some(cursor) = cursor else { return Ok(None) };
        let unknown = || self.link.name.page_cursor(cursor.as_str());
        let (at, session) = cursor.place().ok_or_else(unknown)?;
        Ok(Some(format!("({}{}", digits(at.0), session.as_str()).into_bytes()))
    }

    /// Reads the next sessions of a range, about as many as are wanted.
    pub(super) async fn rows(&self, span: &Span<'_>, wanted: usize) -> Result<Rows, Error> {
        let call = Call::of(&script::LIST)
            .key(span.index.clone())
            .arg(self.keys.sessions())
            .arg(span.order)
            .arg(&span.start)
            .arg(&span.end)
            .arg(wanted.clamp(1, BATCH))
            .arg(span.which);
        let reply = self.link.look(span.tried, call).await?;
        let odd = || self.link.name.odd(span.tried);
        let last: Vec<u8> = reply.get(0).ok_or_else(odd)?;
        let goes_on = reply.get::<u8>(1) == Some(1);
        let rows: Vec<Vec<Value>> = reply.get(2).ok_or_else(odd)?;
        let rest = goes_on.then(|| [b"(".as_slice(), &last].concat());
        Ok(Rows { sessions: rows.into_iter().filter_map(info).collect(), rest })
    }
}

/// A page of what was found, which is one more than fits if there is another page.
pub(super) fn page(
    mut found: Vec<SessionInfo>,
    limit: usize,
    position: impl Fn(&SessionInfo) -> Timestamp,
) -> Page {
    let more = found.len() > limit;
    found.truncate(limit);
    let last = found.last().filter(|_| more);
    let next = last.map(|last| PageCursor::of(position(last), &last.session));
    Page::new(found, next)
}

/// A session as its hash describes it; none if it was removed from an index only.
fn info(row: Vec<Value>) -> Option<SessionInfo> {
    let row: [Value; 6] = row.try_into().ok()?;
    let [session, created, updated, last, posted, summary] = row;
    let text = |value: Value| read::<Option<String>>(value).flatten();
    let number = |value: Value| text(value).and_then(|text| text.parse::<u64>().ok());
    let (created, updated) = (number(created)?, number(updated)?);
    // A summary that is not JSON is ignored.
    let summary = text(summary).and_then(|json| serde_json::from_str::<Summary>(&json).ok());
    let info = SessionInfo::new(SessionId::from(text(session)?))
        .with_entries(number(last)?, Timestamp(created), Timestamp(updated))
        .with_inbox(Cursor(number(posted).unwrap_or(0)))
        .with_summary(summary.unwrap_or_default());
    Some(info)
}
