//! SQLite's errors as errors of the port.

use legwork_port::store::Error;
use rusqlite::ErrorCode;
use rusqlite::ffi::SQLITE_IOERR_SHMSIZE;

use crate::name::Name;

/// What is tried when a store is opened.
pub(super) const OPENING: &str = "opening it";

impl Name {
    /// The error of something that was tried, from SQLite's.
    pub(super) fn sqlite(&self, tried: &str, error: &rusqlite::Error) -> Error {
        match error.sqlite_error_code() {
            _ if is_full(error) => self.failed(format!(
                "{tried}: the disk is full, so nothing was written; make room and go on"
            )),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => self.failed(format!(
                "{tried}: another process kept it locked for too long; end that one or try again"
            )),
            Some(ErrorCode::ReadOnly) => self
                .unusable(format!("{tried}: it can only be read; open it where it may be written")),
            Some(ErrorCode::NotADatabase) => {
                self.unusable(format!("{tried}: the file is not a SQLite database; name another file"))
            }
            Some(ErrorCode::OperationInterrupted | ErrorCode::TooBig) if tried == OPENING => self.unusable(format!(
                "{tried}: it holds more than a store does ({error}); another program changed the file: \
                 name another one, or restore a copy"
            )),
            Some(ErrorCode::CannotOpen) => self.unusable(format!(
                "{tried}: it cannot be opened ({error}); see whether it exists and may be read"
            )),
            Some(ErrorCode::DatabaseCorrupt) => self.failed(format!(
                "{tried}: the file is damaged ({error}); restore a copy, or save what can be \
                 read with the sqlite3 program's `.recover`"
            )),
            _ => self.failed(format!("{tried}: {error}")),
        }
    }
}

fn is_full(error: &rusqlite::Error) -> bool {
    let rusqlite::Error::SqliteFailure(failure, _) = error else { return false };
    // The second means the index next to the file.
    failure.code == ErrorCode::DiskFull || failure.extended_code == SQLITE_IOERR_SHMSIZE
}

/// Whether the file itself is damaged where it was read.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    match error {
        // No row is written with a value that does not fit its column.
        rusqlite::Error::InvalidColumnType(..) | rusqlite::Error::IntegralValueOutOfRange(..) => {
            true
        }
        _ => error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt),
    }
}

/// Whether another process is writing.
pub(super) fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}

#[cfg(test)]
mod tests;
