//! Why there is no answer.

use std::io;
use std::time::Duration;

use crate::address;
use crate::policy::Refusal;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An address on the way is none.
    #[error(transparent)]
    Address(#[from] address::Error),
    /// An address on the way may not be reached.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The path of the address cannot be sent.
    #[error("the path of {0} cannot be asked for")]
    Path(String),
    /// The name is not known.
    #[error("{host} cannot be resolved: {source}")]
    Unresolved {
        /// The name.
        host: String,
        /// What the resolver said.
        source: io::Error,
    },
    /// No connection came about.
    #[error("{host} cannot be reached: {source}")]
    Unreachable {
        /// The server.
        host: String,
        /// The error of the last address that was tried.
        source: io::Error,
    },
    /// The server is not the one that it should be, or speaks no TLS.
    #[error("{host} has no valid certificate, or speaks no TLS: {source}")]
    Tls {
        /// The server.
        host: String,
        /// What was wrong.
        source: io::Error,
    },
    /// The server broke off, or speaks no HTTP.
    #[error("{host} broke off or sent no HTTP: {source}")]
    Broken {
        /// The server.
        host: String,
        /// What was wrong.
        source: hyper::Error,
    },
    /// It took longer than it may.
    #[error("no whole answer came within {0:?}")]
    TimedOut(Duration),
    /// The server redirects further than is followed.
    #[error("more than {0} redirects: the last is not followed")]
    Redirects(usize),
    /// The answer is compressed in a way that was not asked for, or wrongly.
    #[error("the answer cannot be decompressed ({coding}): {why}")]
    Encoding {
        /// The name of the coding.
        coding: String,
        /// What was wrong.
        why: String,
    },
    /// The certificates of the system cannot be read.
    #[error("the system's certificates cannot be read: {0}")]
    Certificates(String),
}

impl Error {
    /// Whether the same may succeed later.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(
            self,
            Self::Unresolved { .. }
                | Self::Unreachable { .. }
                | Self::Broken { .. }
                | Self::TimedOut(_)
        )
    }
}
