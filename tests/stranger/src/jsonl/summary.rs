//! What a list says of a session, in a file next to the session's own.
//!
//! It holds the length that the session's file had when it was written, so that a list sees
//! without reading that file whether anything was added since. It is written with each line,
//! under the same lock, and not synced: one that is missing or behind, as after a crash, is
//! not used, and the session's file is read instead, until the next line is added.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use legwork_port::core::inbox::Cursor;
use legwork_port::core::{SessionId, Summary, Timestamp};
use legwork_port::store::SessionInfo;

use super::file;
use super::log::Log;

/// The summary of the session in a file.
pub(super) fn path(file: &Path) -> PathBuf {
    file.with_extension("summary")
}

/// When the first and the last entry were made, their number, the last item of the inbox, and the
/// summary.
type Parts<S, T> = (S, Timestamp, Timestamp, u64, Cursor, T);

/// Writes down what a list says of the session in a file, given all that is in that file.
pub(super) fn write(file: &Path, log: &Log) -> io::Result<()> {
    let info = log.info();
    let parts: Option<Parts<&SessionId, &Summary>> = info.as_ref().map(|info| {
        let SessionInfo { session, created_at, updated_at, entries, inbox, summary, .. } = info;
        (session, *created_at, *updated_at, *entries, *inbox, summary)
    });
    let draft = file.with_extension("draft");
    let mut options = file::options();
    let mut writing = options.append(false).write(true).truncate(true).open(&draft)?;
    writing.write_all(&serde_json::to_vec(&(log.length, parts))?)?;
    fs::rename(&draft, path(file))
}

/// What a list says of the session in a file: the inner option is none for a session without an
/// entry, the outer one if the summary is missing or behind.
pub(super) fn read(file: &Path) -> Option<Option<SessionInfo>> {
    let bytes = fs::read(path(file)).ok()?;
    let (length, parts): (u64, Option<Parts<SessionId, Summary>>) =
        serde_json::from_slice(&bytes).ok()?;
    if fs::metadata(file).ok()?.len() != length {
        return None;
    }
    Some(parts.map(|(session, first, last, entries, inbox, summary)| {
        let info = SessionInfo::new(session).with_entries(entries, first, last);
        info.with_inbox(inbox).with_summary(summary)
    }))
}
