//! The Postgres store, on a real server.

mod broken;
mod conformance;
mod contended;
mod leases;
mod opening;
mod proxy;
pub(crate) mod roles;
mod rows;
mod secured;
mod traced;
mod watching;

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use legwork_store::postgres::{Options, Store};
use legwork_testkit::servers::Database;
use sqlx::postgres::{PgConnection, PgRow};
use sqlx::{AssertSqlSafe, Connection as _};

/// A lease that no test waits for.
const LONG: Duration = Duration::from_secs(600);

/// A database for one test; each of its schemas may have a store.
struct Scratch {
    database: Database,
    next: AtomicU32,
}

impl Scratch {
    /// None where no server can be started; then the test has said that it skips.
    fn new() -> Option<Self> {
        let database = Database::create().unwrap()?;
        Some(Self { database, next: AtomicU32::new(0) })
    }

    /// The address of a schema.
    fn url(&self, schema: &str) -> String {
        format!("{}?schema={schema}", self.database.url())
    }

    /// A store of a name.
    fn store(&self, schema: &str) -> Store {
        Options::new().lease(LONG).open(&self.url(schema)).unwrap()
    }

    /// The name of a store that is not there yet.
    fn new_schema(&self) -> String {
        format!("store_{}", self.next.fetch_add(1, Ordering::SeqCst))
    }

    /// A new store.
    fn new_store(&self) -> Store {
        self.store(&self.new_schema())
    }

    /// The database as any program sees it.
    async fn admin(&self) -> PgConnection {
        PgConnection::connect(self.database.url()).await.unwrap()
    }

    /// Runs statements past the store; returns the rows of the last.
    async fn sql(&self, sql: &str) -> Vec<PgRow> {
        let mut admin = self.admin().await;
        sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).fetch_all(&mut admin).await.unwrap()
    }
}
