//! State that a client keeps for the server, sealed against changes.

use std::time::Duration;

use rmcp::model::{RequestStateCodec, SealOptions};
use serde_json::Value;

use crate::service::Error;

/// How long a client may take to answer.
const TTL: Duration = Duration::from_secs(24 * 60 * 60);

/// What seals state.
#[derive(Clone)]
pub(crate) struct Seal(RequestStateCodec);

impl Seal {
    /// The seal of a secret of 32 bytes.
    pub(crate) fn new(secret: [u8; 32]) -> Self {
        // It has the length that a checked constructor asks for.
        Self(RequestStateCodec::new_unchecked(secret))
    }

    /// Seals a value for the requests of one kind, such as the calls of a tool.
    pub(crate) fn seal(&self, of: &str, state: &Value) -> Result<String, Error> {
        let options = SealOptions::new().ttl(TTL).associated_data(of.as_bytes());
        let sealed = self.0.seal_json_with(state, &options);
        sealed.map_err(|error| Error::Internal(error.to_string()))
    }

    /// The value that was sealed.
    ///
    /// # Errors
    /// When it was changed, is of requests of another kind, or is too old.
    pub(crate) fn open(&self, of: &str, sealed: &str) -> Result<Value, Error> {
        let opened = self.0.open_json_with(sealed, of.as_bytes());
        opened.map_err(|_| Error::invalid("the requestState is not one of this server"))
    }
}
