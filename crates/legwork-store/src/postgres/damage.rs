//! An append to a journal whose tail is damaged: that is set aside, in the same transaction.

use legwork_core::Seq;
use legwork_port::store::{Error, Range};
use sqlx::postgres::PgConnection;
use sqlx::{Connection as _, query};

use super::append::{Append, State, Written};
use super::journal;
use super::sql::{Sql, number};
use crate::whole::Whole;

const LOCK: &str = "SELECT fence, last, posted FROM @.session WHERE id = $1 FOR UPDATE";

const SET_ASIDE: &str = "WITH tail AS (
        DELETE FROM @.journal WHERE session = $1 AND last > $2 RETURNING *
    ) INSERT INTO @.cut SELECT * FROM tail";

const KEEP: &str = "INSERT INTO @.journal (session, last, at, entries) VALUES ($1, $2, $3, $4)";

const CUT: &str = "UPDATE @.session SET last = $2 WHERE id = $1";

/// Appends in place of a damaged tail, or says why that cannot be.
pub(super) async fn append(
    append: &Append,
    connection: &mut PgConnection,
    sql: &Sql,
) -> Result<Result<Written, Error>, sqlx::Error> {
    let mut transaction = connection.begin().await?;
    let written = replace(append, &mut transaction, sql).await?;
    // Without this it would be rolled back when the connection is used next.
    match &written {
        Ok(_) => transaction.commit().await?,
        Err(_) => transaction.rollback().await?,
    }
    Ok(written)
}

async fn replace(
    append: &Append,
    transaction: &mut PgConnection,
    sql: &Sql,
) -> Result<Result<Written, Error>, sqlx::Error> {
    let id = append.taken.number;
    let row = query(sql.of(LOCK)).bind(id).fetch_optional(&mut *transaction).await?;
    let state = row.map(|row| State::of(&row)).transpose()?;
    if let Some(refusal) = append.refusal(state.as_ref()) {
        return Ok(Err(refusal));
    }
    let found = state.map_or(Seq::ZERO, |state| state.last);
    let (whole, _) = journal::read(transaction, sql, &append.session, Range::ALL).await?;
    if let Some(unreadable) = whole.unreadable {
        return Ok(Err(unreadable.refuses(&append.session)));
    }
    if whole.damage.is_none() || whole.last() != append.expected {
        return Ok(Err(append.elsewhere(found)));
    }
    cut(transaction, sql, id, &whole).await?;
    let written = append.write(transaction, sql).await?;
    let written = written.map(|written| Written { cut_damage: true, ..written });
    Ok(written.ok_or_else(|| append.elsewhere(found)))
}

/// Sets aside what comes after the last whole entry.
async fn cut(
    connection: &mut PgConnection,
    sql: &Sql,
    id: i64,
    whole: &Whole,
) -> Result<(), sqlx::Error> {
    let last = number(whole.last().0);
    query(sql.of(SET_ASIDE)).bind(id).bind(last).execute(&mut *connection).await?;
    if let (Some(damage), Some(entry)) = (&whole.damage, whole.entries.last())
        && !damage.kept.is_empty()
    {
        let keep = query(sql.of(KEEP)).bind(id).bind(last).bind(number(entry.at.0));
        keep.bind(&*damage.kept).execute(&mut *connection).await?;
    }
    query(sql.of(CUT)).bind(id).bind(last).execute(connection).await.map(drop)
}
