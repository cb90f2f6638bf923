//! A store of an earlier version becomes one of this version.

use legwork_port::store::Error;
use rusqlite::Connection;
use tracing::info;

use super::{Connected, Connector, VERSION};

/// From version 1: lists say which sessions are due.
///
/// Which items a journal took up is only in the journal: all that are there count as taken up,
/// until the next append says more.
const TO_2: &str = "
    ALTER TABLE session ADD COLUMN taken INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE session ADD COLUMN due_at INTEGER;
    ALTER TABLE session ADD COLUMN posted INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE session ADD COLUMN due INTEGER GENERATED ALWAYS AS (
        CASE WHEN posted > taken
            THEN min(ifnull(due_at, updated), ifnull(updated, due_at)) ELSE due_at END
    ) VIRTUAL;
    CREATE INDEX to_do ON session (due, name) WHERE due IS NOT NULL;
    UPDATE session SET
        due_at = CASE WHEN status = 'in_progress' AND parent IS NULL THEN created END,
        posted = (SELECT ifnull(max(cursor), 0) FROM inbox WHERE inbox.session = session.id),
        taken = (SELECT ifnull(max(cursor), 0) FROM inbox WHERE inbox.session = session.id);";

impl Connector {
    /// Brings the file to this version: all of it, or nothing.
    pub(super) fn upgrade(&self, connected: &Connected) -> Result<(), Error> {
        if connected.read_only {
            return Err(self.name.unusable(
                "an older Legwork made it, and it can only be read here; open it once for \
                 writing, which brings it up to date",
            ));
        }
        let upgraded = upgrade(&connected.connection);
        let upgraded = upgraded.map_err(|error| self.name.sqlite("bringing it up to date", &error));
        if upgraded? {
            info!(path = %self.path.display(), version = VERSION, "a schema was upgraded");
        }
        Ok(())
    }
}

/// False if another process did it meanwhile.
fn upgrade(connection: &Connection) -> rusqlite::Result<bool> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version >= VERSION {
        connection.execute_batch("ROLLBACK")?;
        return Ok(false);
    }
    let done = connection
        .execute_batch(TO_2)
        .and_then(|()| connection.pragma_update(None, "user_version", VERSION))
        .and_then(|()| connection.execute_batch("COMMIT"));
    done.inspect_err(|_| {
        // Nothing else is begun on this connection, which is dropped.
        let _ = connection.execute_batch("ROLLBACK");
    })?;
    Ok(true)
}
