//! Stores in SQLite files, without SQLite.

use legwork_port::store::Error;

use super::Opened;

pub(super) fn grouped(path: &str) -> Opened {
    Err(Error::Unusable {
        store: format!("sqlite:{path}"),
        reason: crate::error::feature("sqlite"),
    })
}

pub(super) use grouped as inline;
