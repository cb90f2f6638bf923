//! Statements for the tables of one schema, and how their values are kept.

use sqlx::{AssertSqlSafe, SqlSafeStr as _, SqlStr};

/// Makes statements for the tables of a schema.
#[derive(Debug)]
pub(super) struct Sql {
    schema: String,
}

impl Sql {
    /// For a schema whose name needs no quotes.
    pub(super) fn new(schema: String) -> Self {
        Self { schema }
    }

    pub(super) fn schema(&self) -> &str {
        &self.schema
    }

    /// A statement in which `@` stands for the schema.
    pub(super) fn of(&self, statement: &'static str) -> SqlStr {
        self.composed(statement)
    }

    /// The same of a statement that was composed of constant parts.
    pub(super) fn composed(&self, statement: &str) -> SqlStr {
        // The name was checked: it has letters, digits and `_` only.
        AssertSqlSafe(statement.replace('@', &self.schema)).into_sql_str()
    }
}

/// Takes the place of U+0000, which texts of Postgres cannot hold. It is not a character.
const NUL: char = '\u{10ffff}';

/// A text as Postgres keeps it.
pub(super) fn text(text: &str) -> String {
    text.replace('\0', NUL.encode_utf8(&mut [0; 4]))
}

/// A text as it was before [`text`].
pub(super) fn plain(text: String) -> String {
    if text.contains(NUL) { text.replace(NUL, "\0") } else { text }
}

/// A number as Postgres keeps it: at most its largest one.
pub(super) fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A number as it was before [`number`]. None that is written is negative.
pub(super) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
