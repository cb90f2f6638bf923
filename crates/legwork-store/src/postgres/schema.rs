//! The tables: whether they are there, of which version, and how they are made.

use legwork_port::store::Error;
use sqlx::postgres::PgConnection;
use sqlx::{Connection as _, Executor as _, Row as _};
use tracing::{info, warn};

use super::VERSION;
use super::fault::is_missing;
use super::link::Link;

const TABLES: &str = include_str!("schema.sql");

/// The lock under which tables are made: the first bytes of `legwork` as a number.
const LOCK: i64 = 0x6c65_6777_6f72_6b00;

const TRIED: &str = "opening it";

/// What a schema has.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    Nothing,
    Version(u32),
}

/// Whether the server answers when what it wrote is durable.
const DURABLE: &str =
    "SELECT current_setting('fsync') = 'on' AND current_setting('synchronous_commit') <> 'off'";

/// Makes sure that the tables are there.
///
/// # Errors
/// [`Error::Newer`] if a newer Legwork made them, [`Error::Unusable`] if they are of something
/// else, or are missing and may not be made.
pub(super) async fn prepare(link: &Link, connection: &mut PgConnection) -> Result<(), Error> {
    let failed = |error| link.name.postgres(TRIED, &error);
    match look(link, &mut *connection).await.map_err(failed)? {
        Found::Version(version) => check(link, version)?,
        Found::Nothing if link.is_read_only() => return Err(nothing(link)),
        Found::Nothing => make(link, &mut *connection).await?,
    }
    let (store, read_only) = (&link.name, link.is_read_only());
    info!(%store, read_only, "a store was opened");
    let durable = sqlx::query(DURABLE).fetch_one(connection).await;
    if !durable.and_then(|row| row.try_get::<bool, _>(0)).map_err(failed)? {
        warn!(
            %store,
            "the server may lose appends when it fails: fsync or synchronous_commit is off"
        );
    }
    Ok(())
}

fn check(link: &Link, version: u32) -> Result<(), Error> {
    match version {
        VERSION => Ok(()),
        0 => Err(link.name.unusable("its tables are of no version; restore a copy")),
        newer => Err(link.name.newer(newer, VERSION)),
    }
}

fn nothing(link: &Link) -> Error {
    let schema = link.sql.schema();
    link.name.unusable(format!(
        "the database has no store in its schema {schema}, and reading makes none; name another \
         one, or write to it first"
    ))
}

async fn look(link: &Link, connection: &mut PgConnection) -> Result<Found, sqlx::Error> {
    let version = link.sql.of("SELECT version FROM @.legwork");
    match sqlx::query(version).fetch_optional(connection).await {
        Ok(Some(row)) => Ok(Found::Version(u32::try_from(row.try_get::<i32, _>(0)?).unwrap_or(0))),
        Ok(None) => Ok(Found::Version(0)),
        Err(error) if is_missing(&error) => Ok(Found::Nothing),
        Err(error) => Err(error),
    }
}

/// Makes the tables, unless another process has made them meanwhile.
async fn make(link: &Link, connection: &mut PgConnection) -> Result<(), Error> {
    let failed = |error| link.name.postgres("making its tables", &error);
    let mut transaction = connection.begin().await.map_err(failed)?;
    let lock = sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(LOCK);
    transaction.execute(lock).await.map_err(failed)?;
    let sql = "SELECT to_regclass($1) IS NOT NULL, to_regnamespace($2) IS NOT NULL,
        (SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace($2)
            AND relname IN ('session', 'journal', 'inbox', 'cut', 'fence')),
        current_setting('server_encoding')";
    let schema = link.sql.schema();
    let row = sqlx::query(sql).bind(format!("{schema}.legwork")).bind(schema);
    let row = row.fetch_one(&mut *transaction).await.map_err(failed)?;
    let columns = || Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?, row.try_get(3)?));
    let (is_there, has_schema, others, encoding): (bool, bool, i64, String) =
        columns().map_err(failed)?;
    if is_there {
        transaction.rollback().await.map_err(failed)?;
        let Found::Version(version) = look(link, connection).await.map_err(failed)? else {
            return Err(link.name.failed("its tables vanished while it was opened; try again"));
        };
        return check(link, version);
    }
    if others > 0 {
        return Err(link.name.unusable(format!(
            "the schema {schema} has tables of something else; name another one by `?schema=`"
        )));
    }
    if encoding != "UTF8" {
        return Err(link.name.unusable(format!(
            "the database keeps texts as {encoding}; create one with the encoding UTF8"
        )));
    }
    if !has_schema {
        let create = sqlx::raw_sql(link.sql.of("CREATE SCHEMA @"));
        transaction.execute(create).await.map_err(failed)?;
    }
    transaction.execute(sqlx::raw_sql(link.sql.of(TABLES))).await.map_err(failed)?;
    transaction.commit().await.map_err(failed)?;
    info!(store = %link.name, version = VERSION, "a schema was created");
    Ok(())
}
