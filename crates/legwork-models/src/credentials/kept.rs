//! A credential that is kept until a server refuses it.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use legwork_port::BoxFuture;
use tokio::sync::Mutex as Waiting;

use super::{Credential, Credentials, Error};

/// Keeps what a source gave until a server refuses it; then the source is asked again.
///
/// One request asks the source at a time, and those that come meanwhile wait for its answer.
pub struct Kept<C> {
    source: C,
    last: Waiting<Option<Credential>>,
    refused: Mutex<Option<Credential>>,
}

impl<C: Credentials> Kept<C> {
    /// Nothing is kept yet: the first request asks the source.
    pub fn new(source: C) -> Self {
        Self { source, last: Waiting::new(None), refused: Mutex::new(None) }
    }

    /// The same with a credential that the source gave already.
    #[must_use]
    pub fn starting_with(self, credential: Credential) -> Self {
        Self { last: Waiting::new(Some(credential)), ..self }
    }

    fn is_refused(&self, credential: &Credential) -> bool {
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        refused.as_ref() == Some(credential)
    }
}

impl<C: Credentials> Credentials for Kept<C> {
    fn get(&self) -> BoxFuture<'_, Result<Credential, Error>> {
        Box::pin(async {
            let mut last = self.last.lock().await;
            if let Some(kept) = last.as_ref().filter(|kept| !self.is_refused(kept)) {
                return Ok(kept.clone());
            }
            let new = self.source.get().await?;
            *last = Some(new.clone());
            Ok(new)
        })
    }

    fn renew(&self, refused: &Credential) -> bool {
        let mut last = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Some(refused.clone());
        true
    }
}

/// Shows nothing of what it keeps.
impl<C> fmt::Debug for Kept<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept").finish_non_exhaustive()
    }
}
