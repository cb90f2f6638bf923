//! Removing sessions, in one transaction.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

use legwork_core::SessionId;
use legwork_port::store::Error;
use sqlx::postgres::PgConnection;
use sqlx::{Connection as _, Row as _, query};

use super::claim::held;
use super::holders::Holder;
use super::link::{Before, Request};
use super::sql::{Sql, text};

/// The rows of sessions. Locked, they can be neither claimed nor appended or posted to.
const LOCK: &str = "SELECT name, id, holder, last + posted > 0,
        lease_until > clock_timestamp() AND holder <> ALL($2)
    FROM @.session WHERE name = ANY($1) ORDER BY id FOR UPDATE";

const DELETE: [&str; 4] = [
    "DELETE FROM @.journal WHERE session = ANY($1)",
    "DELETE FROM @.cut WHERE session = ANY($1)",
    "DELETE FROM @.inbox WHERE session = ANY($1)",
    "DELETE FROM @.session WHERE id = ANY($1)",
];

/// Removes sessions, all or none.
pub(super) struct Remove {
    sessions: BTreeSet<SessionId>,
    /// Whether an attempt found them all, so that they may be gone by it.
    found: AtomicBool,
}

/// The row of a session that is to be removed.
struct Locked {
    id: i64,
    holder: Option<i64>,
    is_held: bool,
}

impl Request for Remove {
    type Answer = Result<(), Error>;
    const TRIED: &'static str = "removing sessions";

    async fn ask(
        &self,
        connection: &mut PgConnection,
        sql: &Sql,
        before: Before,
    ) -> Result<Self::Answer, sqlx::Error> {
        let mut transaction = connection.begin().await?;
        let locked = self.lock(&mut transaction, sql).await?;
        let was_found = before == Before::InDoubt && self.found.load(Ordering::Relaxed);
        let verdict = match locked.is_empty() && was_found {
            true => Ok(()),
            false => self.check(&locked),
        };
        if verdict.is_err() || locked.is_empty() {
            // Without this it would be rolled back when the connection is used next.
            transaction.rollback().await?;
            return Ok(verdict);
        }
        self.found.store(true, Ordering::Relaxed);
        let ids: Vec<_> = locked.values().map(|locked| locked.id).collect();
        for delete in DELETE {
            query(sql.of(delete)).bind(&ids).execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(Ok(()))
    }
}

impl Remove {
    pub(super) fn new(sessions: BTreeSet<SessionId>) -> Self {
        Self { sessions, found: AtomicBool::new(false) }
    }

    /// Checks that all are there and free.
    fn check(&self, locked: &BTreeMap<SessionId, Locked>) -> Result<(), Error> {
        self.sessions.iter().try_for_each(|session| match locked.get(session) {
            None => Err(Error::Unknown { session: session.clone() }),
            Some(Locked { is_held: true, holder, .. }) => Err(held(session, *holder)),
            Some(_) => Ok(()),
        })
    }

    /// Locks the rows of those that are there. A claim of a session that never began left its
    /// row, and no more: such a session is not there.
    async fn lock(
        &self,
        connection: &mut PgConnection,
        sql: &Sql,
    ) -> Result<BTreeMap<SessionId, Locked>, sqlx::Error> {
        let names: Vec<_> = self.sessions.iter().map(|id| text(id.as_str())).collect();
        let lock = query(sql.of(LOCK)).bind(names).bind(Holder::given_back());
        let mut locked = BTreeMap::new();
        for row in lock.fetch_all(connection).await? {
            let is_held = row.try_get::<Option<bool>, _>(4)?.unwrap_or(false);
            if is_held || row.try_get(3)? {
                let row_of = Locked { id: row.try_get(1)?, holder: row.try_get(2)?, is_held };
                locked.insert(SessionId::from(row.try_get::<String, _>(0)?), row_of);
            }
        }
        Ok(locked)
    }
}
