//! The sessions that have work to do, by an index of those that may have some.

use legwork_port::store::{DueQuery, Error, Page};

use super::Inner;
use super::append::digits;
use super::listing::{Span, page};

impl Inner {
    /// Those that are due and whose claims are free: the server looks at both at one moment.
    pub(super) async fn due(&self, query: &DueQuery) -> Result<Page, Error> {
        let end = query.now.0.checked_add(1);
        let mut span = Span {
            tried: "looking for sessions that are due",
            index: self.keys.due(),
            order: "up",
            start: self.after(query.after.as_ref())?.unwrap_or_else(|| b"-".to_vec()),
            end: end.map_or_else(|| "+".to_owned(), |end| format!("({}", digits(end))).into_bytes(),
            which: "free",
        };
        let enough = query.limit.saturating_add(1);
        let mut due = Vec::new();
        loop {
            let rows = self.rows(&span, enough - due.len()).await?;
            let sessions = rows.sessions.into_iter();
            due.extend(sessions.filter(|info| info.due_since(query.now).is_some()));
            match rows.rest {
                Some(rest) if due.len() < enough => span.start = rest,
                _ => break,
            }
        }
        due.truncate(enough);
        Ok(page(due, query.limit, |info| info.due_since(query.now).unwrap_or(query.now)))
    }
}
