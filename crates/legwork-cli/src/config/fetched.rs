//! A key that was fetched, and how to fetch it again.

use std::path::PathBuf;
use std::sync::Arc;

use legwork::model::credentials::{self, Credentials, Kept};
use legwork::model::{Builder, Provider};

use super::credential::{Credential, KeySource};
use super::secret::Secret;
use crate::error::Error;

/// A key that was fetched. One of a file or a program may be another one later.
#[derive(Debug)]
pub(crate) struct Fetched {
    pub(super) key: Secret,
    pub(super) from: Credential,
    /// Where no program is looked up.
    pub(super) writable: Vec<PathBuf>,
}

impl Fetched {
    /// The key itself, for the one who sends it.
    pub(crate) fn expose(&self) -> &str {
        self.key.expose()
    }

    /// A builder whose model fetches the key again when the server refuses it.
    ///
    /// A variable of this process does not change.
    pub(crate) fn renewed(&self, builder: Builder, provider: Option<&'static Provider>) -> Builder {
        if matches!(self.from.from.value, KeySource::Variable(_)) {
            return builder;
        }
        let (from, writable) = (Arc::new(self.from.clone()), Arc::new(self.writable.clone()));
        let source = move || {
            let (from, writable) = (Arc::clone(&from), Arc::clone(&writable));
            async move {
                match from.fetch(&writable).await {
                    Ok(fetched) => Ok(credential(provider, fetched.expose())),
                    Err(error) => Err(unavailable(&from.from.value, &error)),
                }
            }
        };
        let kept = Kept::new(source).starting_with(credential(provider, self.expose()));
        let kept: Arc<dyn Credentials> = Arc::new(kept);
        builder.credentials(kept)
    }
}

/// Why there is no other key. What a program said is not repeated: it may hold a secret, and this is
/// written to the journal.
fn unavailable(source: &KeySource, error: &Error) -> credentials::Error {
    match source {
        KeySource::Command { .. } => credentials::Error::Unavailable(
            "the server refused the key, and the command that prints it failed: run it yourself \
             to see why"
                .to_owned(),
        ),
        KeySource::File(_) | KeySource::Variable(_) => {
            credentials::Error::Refused(error.to_string())
        }
    }
}

/// A key as its provider takes it.
fn credential(provider: Option<&Provider>, key: &str) -> credentials::Credential {
    match provider {
        Some(known) => known.credential(key),
        None => credentials::Credential::Key(key.to_owned()),
    }
}
