//! Why an operation was not done.

use std::io;
use std::path::Path;

use legwork_port::store::Error;

use crate::name::Name;

/// Why an operation was not done.
#[derive(Debug)]
pub(super) enum Refused {
    /// Another operation has the session: it may be tried again by a thread that can wait.
    Busy(Error),
    /// It failed, or must not be done.
    Failed(Error),
}

impl Refused {
    pub(super) fn of(name: &Name, tried: &str, path: &Path, error: io::Error) -> Self {
        let said = name.io(tried, path, &error);
        match error.kind() {
            io::ErrorKind::WouldBlock => Self::Busy(said),
            _ => Self::Failed(said),
        }
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}
