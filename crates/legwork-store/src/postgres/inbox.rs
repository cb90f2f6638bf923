//! Inboxes: posting to them and reading them.

use legwork_core::SessionId;
use legwork_core::inbox::{Cursor, Posted};
use legwork_port::store::Error;
use sqlx::postgres::PgConnection;
use sqlx::{Row as _, query};

use super::link::{Before, Request};
use super::sql::{Sql, number, plain, text, unsigned};
use crate::name::Name;

/// Leaves an item unless its key is there. Two posts of one key at once break the rule that a key
/// is taken once, and the one that came second is asked again. Those that listen are notified when
/// it is durable.
const POST: &str = "WITH known AS (
        SELECT i.cursor FROM @.inbox i JOIN @.session s ON s.id = i.session
        WHERE s.name = $1 AND i.key = $2
    ), counted AS (
        INSERT INTO @.session AS s (name, fence, posted)
        SELECT $1, 0, 1 WHERE NOT EXISTS (SELECT FROM known)
        ON CONFLICT (name) DO UPDATE SET posted = s.posted + 1
        RETURNING s.id, s.posted
    ), added AS (
        INSERT INTO @.inbox (session, cursor, key, item) SELECT id, posted, $2, $3 FROM counted
        RETURNING cursor
    )
    SELECT cursor, NULL FROM known
    UNION ALL SELECT cursor, pg_notify($4, $1)::text FROM added";

const ITEMS: &str = "SELECT cursor, key, item FROM @.inbox
    WHERE session = (SELECT id FROM @.session WHERE name = $1) AND cursor > $2 ORDER BY cursor";

/// Posts an item.
pub(super) struct Post {
    pub(super) session: SessionId,
    pub(super) key: String,
    pub(super) item: Vec<u8>,
}

impl Request for Post {
    type Answer = Cursor;
    const TRIED: &'static str = "posting to an inbox";

    async fn ask(
        &self,
        connection: &mut PgConnection,
        sql: &Sql,
        _: Before,
    ) -> Result<Cursor, sqlx::Error> {
        let post = query(sql.of(POST)).bind(self.session.as_str());
        let post = post.bind(text(&self.key)).bind(&*self.item).bind(sql.schema());
        let row = post.fetch_one(connection).await?;
        Ok(Cursor(unsigned(row.try_get(0)?)))
    }
}

/// Reads the items after a cursor.
pub(super) struct Items {
    pub(super) name: Name,
    pub(super) session: SessionId,
    pub(super) after: Cursor,
}

impl Request for Items {
    type Answer = Result<Vec<Posted>, Error>;
    const TRIED: &'static str = "reading an inbox";

    async fn ask(
        &self,
        connection: &mut PgConnection,
        sql: &Sql,
        _: Before,
    ) -> Result<Self::Answer, sqlx::Error> {
        let items = query(sql.of(ITEMS)).bind(text(self.session.as_str()));
        let rows = items.bind(number(self.after.0)).fetch_all(connection).await?;
        let mut items = Vec::with_capacity(rows.len());
        for row in rows {
            let cursor = Cursor(unsigned(row.try_get(0)?));
            match serde_json::from_slice(row.try_get(2)?) {
                Ok(item) => items.push(Posted { cursor, key: plain(row.try_get(1)?), item }),
                Err(error) => return Ok(Err(self.unreadable(cursor, &error))),
            }
        }
        Ok(Ok(items))
    }
}

impl Items {
    fn unreadable(&self, cursor: Cursor, error: &serde_json::Error) -> Error {
        let session = &self.session;
        self.name.failed(format!(
            "item {} in the inbox of session {session} cannot be read: {error}; a newer Legwork \
             may have left it, then use that one",
            cursor.0
        ))
    }
}
