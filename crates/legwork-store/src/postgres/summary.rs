//! The summary of a session, as its row keeps it.

use legwork_core::inbox::Cursor;
use legwork_core::{AgentId, ExecutionStatus, SessionId, Summary, Timestamp};
use legwork_port::store::SessionInfo;
use sqlx::Row as _;
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::Query;
use sqlx::{Postgres, Result};

use super::sql::{number, plain, text, unsigned};

/// The columns that [`info`] reads, in its order.
pub(super) const COLUMNS: &str = "name, last, created, updated, posted, taken, due_at, status, \
    agent, parent, steps, title, labels";

/// Binds what a summary says, in the order of the statement that writes it.
pub(super) fn bind<'q>(
    query: Query<'q, Postgres, PgArguments>,
    summary: &Summary,
) -> Query<'q, Postgres, PgArguments> {
    let labels: Vec<_> = summary.labels.iter().map(|label| text(label)).collect();
    query
        .bind(number(summary.taken.0))
        .bind(summary.due_at.map(|due| number(due.0)))
        .bind(summary.status.as_ref().map(|status| text(status.as_str())))
        .bind(summary.agent.as_ref().map(|agent| text(agent.as_str())))
        .bind(summary.parent.as_ref().map(|parent| text(parent.as_str())))
        .bind(number(summary.steps))
        .bind(text(&summary.title))
        .bind(text(&summary.title.to_lowercase()))
        .bind(labels)
}

/// A session as its row describes it.
pub(super) fn info(row: &PgRow) -> Result<SessionInfo> {
    let time = |column| row.try_get(column).map(|at| Timestamp(unsigned(at)));
    let optional = |column| row.try_get::<Option<String>, _>(column).map(|it| it.map(plain));
    let mut summary = Summary::default();
    summary.taken = Cursor(unsigned(row.try_get(5)?));
    summary.due_at = row.try_get::<Option<i64>, _>(6)?.map(|at| Timestamp(unsigned(at)));
    summary.status = optional(7)?.map(|status| ExecutionStatus::from(status.as_str()));
    summary.agent = optional(8)?.map(AgentId::from);
    summary.parent = optional(9)?.map(SessionId::from);
    summary.steps = unsigned(row.try_get(10)?);
    summary.title = plain(row.try_get(11)?);
    let labels: Vec<String> = row.try_get(12)?;
    summary.labels = labels.into_iter().map(plain).collect();
    Ok(SessionInfo::new(SessionId::from(row.try_get::<String, _>(0)?))
        .with_entries(unsigned(row.try_get(1)?), time(2)?, time(3)?)
        .with_inbox(Cursor(unsigned(row.try_get(4)?)))
        .with_summary(summary))
}
