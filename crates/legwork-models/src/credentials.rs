//! Credentials of requests, and the port that they come from.
//!
//! A key that stays the same is given to the builder. Anything else (a token that expires, a file
//! that another program writes, the library of a cloud) is a [`Credentials`]. [`Kept`] asks a source
//! anew only when the server refuses what it gave.
//!
//! ```
//! use std::sync::Arc;
//!
//! use legwork_models::credentials::{Credential, Error, Kept};
//! use legwork_models::gemini;
//!
//! let from_file = || async {
//!     let read = std::fs::read_to_string("/run/secrets/token");
//!     let token = read.map_err(|error| Error::Refused(error.to_string()))?;
//!     Ok(Credential::Bearer(token.trim().to_owned()))
//! };
//! let model = gemini::vertex("my-project", "global", "gemini-2.5-flash")
//!     .credentials(Arc::new(Kept::new(from_file)))
//!     .build()?;
//! # Ok::<(), legwork_models::Error>(())
//! ```

use std::fmt;
use std::future::ready;

use legwork_port::BoxFuture;

mod kept;
#[cfg(test)]
mod tests;

pub use kept::Kept;

/// Where the credential of a request comes from.
pub trait Credentials: Send + Sync {
    /// The credential for an attempt that is about to be made.
    ///
    /// What it returns is valid at that time. It is called before each attempt, so what is costly
    /// to get is kept for as long as it is valid. Cancel-safe: the attempt's time limit may end it.
    ///
    /// # Errors
    /// When there is none; the message must not contain a secret.
    fn get(&self) -> BoxFuture<'_, Result<Credential, Error>>;

    /// Called when a server refuses a credential (401, or a token that AWS says has expired):
    /// whether [`get`](Self::get) may now return another one.
    ///
    /// If so, a request for an answer, for vectors or for a count is sent once more, with what `get`
    /// returns then and the time of a first byte anew. False by default: the refusal is the answer.
    fn renew(&self, _refused: &Credential) -> bool {
        false
    }
}

impl<F, G> Credentials for F
where
    F: Fn() -> G + Send + Sync,
    G: Future<Output = Result<Credential, Error>> + Send + 'static,
{
    fn get(&self) -> BoxFuture<'_, Result<Credential, Error>> {
        Box::pin(self())
    }
}

/// What allows a request. Its `Debug` shows no secret.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Credential {
    /// A key, sent as the API wants it.
    Key(String),
    /// A bearer token.
    Bearer(String),
    /// Access keys of AWS, with which each attempt is signed. Needs the feature `bedrock`.
    #[cfg(feature = "bedrock")]
    Aws {
        /// The id of the access key, which is no secret.
        access_key: String,
        /// The secret access key.
        secret_key: String,
        /// The session token of temporary keys.
        session_token: Option<String>,
    },
}

impl Credential {
    /// What must not be shown.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = &String> {
        let (secret, other) = match self {
            Self::Key(secret) | Self::Bearer(secret) => (secret, None),
            #[cfg(feature = "bedrock")]
            Self::Aws { secret_key, session_token, .. } => (secret_key, session_token.as_ref()),
        };
        std::iter::once(secret).chain(other)
    }

    /// Whether whoever reads a request can use it: of access keys only the signature is sent.
    #[cfg_attr(not(feature = "bedrock"), expect(dead_code, reason = "other keys are headers"))]
    pub(crate) fn is_sent(&self) -> bool {
        match self {
            Self::Key(_) | Self::Bearer(_) => true,
            #[cfg(feature = "bedrock")]
            Self::Aws { .. } => false,
        }
    }
}

/// The same credential for each attempt.
impl Credentials for Credential {
    fn get(&self) -> BoxFuture<'_, Result<Credential, Error>> {
        Box::pin(ready(Ok(self.clone())))
    }
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Key(_) => "Key(..)",
            Self::Bearer(_) => "Bearer(..)",
            #[cfg(feature = "bedrock")]
            Self::Aws { .. } => "Aws { .. }",
        })
    }
}

/// Why there is no credential.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Its source could not be asked; the attempt is repeated.
    #[error("{0}")]
    Unavailable(String),
    /// There is none; the attempt is not repeated.
    #[error("{0}")]
    Refused(String),
}

impl Error {
    /// Whether there may be a credential later.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }
}
