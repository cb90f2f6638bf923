//! The tables that Legwork makes, and nothing else: what others put into the file is not run.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, Row};

/// How the tables are made.
pub(super) const MADE: &str = include_str!("schema.sql");

/// More objects than any store has, and few enough to be read.
const MANY: usize = 32;

/// Instructions of SQLite's machine after which opening a file is given up: of a store it takes
/// some hundreds, and a schema without end would take all time and memory.
const GIVEN_UP: (i32, u32) = (1_000, 20);

/// Bytes of a value and of a statement while the schema is read.
const LONG: i32 = 1_000_000;
const STATEMENT: i32 = 100_000;

/// A table or index: its type, its name, its table's, how it is made.
type Object = (String, String, String, String);

/// Keeps what a file holds from doing anything: no views, no triggers, no functions with
/// effects, no other files, and not more than a schema's work until [`opened`].
pub(super) fn confine(connection: &mut Connection) -> rusqlite::Result<()> {
    for (config, on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_WRITABLE_SCHEMA, false),
    ] {
        connection.set_db_config(config, on)?;
    }
    // One, for `VACUUM` attaches a file of its own.
    for (limit, most) in [
        (Limit::SQLITE_LIMIT_ATTACHED, 1),
        (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, STATEMENT),
        (Limit::SQLITE_LIMIT_LENGTH, LONG),
    ] {
        connection.set_limit(limit, most)?;
    }
    let (instructions, mut left) = GIVEN_UP;
    let given_up = move || {
        left = left.saturating_sub(1);
        left == 0
    };
    connection.progress_handler(instructions, Some(given_up))?;
    connection.pragma_update(None, "mmap_size", 0)?;
    connection.pragma_update(None, "cell_size_check", true)
}

/// Lets work take what it takes, once the schema is known.
pub(super) fn opened(connection: &mut Connection) -> rusqlite::Result<()> {
    connection.progress_handler(0, None::<fn() -> bool>)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, i32::MAX).map(|_| ())
}

/// What is in the file that no Legwork makes, or is missing; none if it is a store's.
///
/// Nothing of it was run before: a view or a trigger could never end.
pub(super) fn strange(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let wanted = wanted()?;
    let (found, roots) = objects(connection)?;
    if let Some((kind, name, ..)) = found.difference(wanted).next() {
        return Ok(Some(format!("its {kind} {name:?} is not one that Legwork makes")));
    }
    if let Some((kind, name, ..)) = wanted.difference(&found).next() {
        return Ok(Some(format!("its {kind} {name:?} is missing")));
    }
    let apart = roots.iter().collect::<BTreeSet<_>>().len() == roots.len();
    Ok((!apart).then(|| "two of its tables lie at one place".to_owned()))
}

/// The objects that Legwork makes.
fn wanted() -> rusqlite::Result<&'static BTreeSet<Object>> {
    static WANTED: OnceLock<BTreeSet<Object>> = OnceLock::new();
    if let Some(known) = WANTED.get() {
        return Ok(known);
    }
    let made = Connection::open_in_memory()?;
    made.execute_batch(MADE)?;
    let (wanted, _) = objects(&made)?;
    Ok(WANTED.get_or_init(|| wanted))
}

/// The objects of a schema, and where they lie.
fn objects(connection: &Connection) -> rusqlite::Result<(BTreeSet<Object>, Vec<i64>)> {
    let sql = "SELECT type, name, tbl_name, ifnull(sql, ''), rootpage FROM sqlite_schema LIMIT ?1";
    let mut statement = connection.prepare(sql)?;
    let object = |row: &Row<'_>| {
        let made = plain(&row.get::<_, String>(3)?);
        Ok(((row.get(0)?, row.get(1)?, row.get(2)?, made), row.get(4)?))
    };
    let rows = statement.query_map([MANY], object)?;
    let rows: Vec<(Object, i64)> = rows.collect::<Result<_, _>>()?;
    Ok(rows.into_iter().unzip())
}

/// A statement without its comments, its words apart by one space: so a comment may be put
/// better without making another version.
///
/// Ours hold neither quotes nor other comments, so what comes out the same is the same.
fn plain(sql: &str) -> String {
    let code = sql.lines().map(|line| line.split_once("--").map_or(line, |(code, _)| code));
    let words: Vec<_> = code.flat_map(str::split_whitespace).collect();
    // Before a column that was added later SQLite sets ` , `, and no space after the last one.
    words.join(" ").replace(" ,", ",").replace(" )", ")")
}
