//! The store as the user named it, in errors.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use legwork_core::SessionId;
use legwork_port::store::{Error, Loss};

/// The store as the user named it: what every error says first.
#[derive(Debug, Clone)]
pub(crate) struct Name(Arc<str>);

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Name {
    pub(crate) fn of(path: &Path) -> Self {
        Self(path.display().to_string().into())
    }

    pub(crate) fn failed(&self, reason: impl Into<String>) -> Error {
        Error::Failed { store: self.0.to_string(), reason: reason.into() }
    }

    pub(crate) fn unusable(&self, reason: impl Into<String>) -> Error {
        Error::Unusable { store: self.0.to_string(), reason: reason.into() }
    }

    pub(crate) fn page_cursor(&self, cursor: &str) -> Error {
        Error::PageCursor { store: self.0.to_string(), cursor: cursor.to_owned() }
    }

    pub(crate) fn newer(&self, found: u32, known: u32) -> Error {
        Error::Newer { store: self.0.to_string(), found, known }
    }
}

pub(crate) fn lost(session: &SessionId, cause: Loss) -> Error {
    Error::Lost { session: session.clone(), cause }
}
