#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::path::Path;

use rusqlite::ffi;

use super::*;

/// An error of SQLite by its number.
fn numbered(code: i32) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(code), Some("SQLite's words".to_owned()))
}

/// What is said of an error: the kind of error, and its reason.
fn said(error: &rusqlite::Error) -> (&'static str, String) {
    match Name::of(Path::new("a.db")).sqlite("trying", error) {
        Error::Failed { store, reason } if store == "a.db" => ("failed", reason),
        Error::Unusable { store, reason } if store == "a.db" => ("unusable", reason),
        other => ("another", other.to_string()),
    }
}

#[test]
fn each_error_of_sqlite_says_what_can_be_done() {
    let cases = [
        (ffi::SQLITE_FULL, "failed", "the disk is full, so nothing was written; make room"),
        (ffi::SQLITE_IOERR_SHMSIZE, "failed", "the disk is full, so nothing was written; make"),
        (ffi::SQLITE_IOERR_READ, "failed", "trying: SQLite's words"),
        (ffi::SQLITE_BUSY, "failed", "another process kept it locked for too long"),
        (ffi::SQLITE_LOCKED, "failed", "another process kept it locked for too long"),
        (ffi::SQLITE_READONLY, "unusable", "it can only be read; open it where it may be"),
        (ffi::SQLITE_NOTADB, "unusable", "the file is not a SQLite database; name another file"),
        (ffi::SQLITE_CANTOPEN, "unusable", "see whether it exists and may be read"),
        (ffi::SQLITE_CORRUPT, "failed", "the file is damaged (SQLite's words); restore a copy"),
        (ffi::SQLITE_CONSTRAINT, "failed", "trying: SQLite's words"),
    ];
    for (code, kind, words) in cases {
        let (found, reason) = said(&numbered(code));
        assert_eq!(found, kind, "{code}: {reason}");
        assert!(reason.starts_with("trying: ") && reason.contains(words), "{code}: {reason}");
    }
    assert_eq!(
        said(&rusqlite::Error::InvalidQuery),
        ("failed", "trying: Query is not read-only".into())
    );
}

#[test]
fn damage_is_that_of_the_file_and_busy_is_another_writer() {
    let wrong = rusqlite::types::Type::Null;
    let cases = [
        (numbered(ffi::SQLITE_CORRUPT), true, false),
        (numbered(ffi::SQLITE_CORRUPT_INDEX), true, false),
        (rusqlite::Error::InvalidColumnType(1, "at".to_owned(), wrong), true, false),
        (rusqlite::Error::IntegralValueOutOfRange(1, -1), true, false),
        (numbered(ffi::SQLITE_BUSY), false, true),
        (numbered(ffi::SQLITE_BUSY_SNAPSHOT), false, true),
        (numbered(ffi::SQLITE_FULL), false, false),
        (numbered(ffi::SQLITE_IOERR_READ), false, false),
        (rusqlite::Error::InvalidQuery, false, false),
    ];
    for (error, damage, busy) in cases {
        assert_eq!((is_damage(&error), is_busy(&error)), (damage, busy), "{error}");
    }
}
