//! A credential that is kept until a server refuses it.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use legwork_port::BoxFuture;
use tokio::sync::Mutex as Waiting;

use super::{Credential, Credentials, Error};

/// Keeps what a source gave until a server refuses it; then the source is asked again.
///
/// One request asks the source at a time, and those that come meanwhile wait for its answer.
pub struct Kept<C> {
    source: C,
    /// Held while the source is asked.
    asking: Waiting<()>,
    last: Mutex<Option<Credential>>,
}

impl<C: Credentials> Kept<C> {
    /// Nothing is kept yet: the first request asks the source.
    pub fn new(source: C) -> Self {
        Self { source, asking: Waiting::default(), last: Mutex::default() }
    }

    /// The same with a credential that the source gave already.
    #[must_use]
    pub fn starting_with(self, credential: Credential) -> Self {
        Self { last: Mutex::new(Some(credential)), ..self }
    }
}

impl<C> Kept<C> {
    fn last(&self) -> MutexGuard<'_, Option<Credential>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<C: Credentials> Credentials for Kept<C> {
    fn get(&self) -> BoxFuture<'_, Result<Credential, Error>> {
        Box::pin(async {
            let _asking = self.asking.lock().await;
            if let Some(kept) = self.last().clone() {
                return Ok(kept);
            }
            let new = self.source.get().await?;
            *self.last() = Some(new.clone());
            Ok(new)
        })
    }

    fn renew(&self, refused: &Credential) -> bool {
        let mut last = self.last();
        // One that is not kept any more was renewed meanwhile.
        if last.as_ref() == Some(refused) {
            *last = None;
        }
        true
    }
}

/// Shows nothing of what it keeps.
impl<C> fmt::Debug for Kept<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept").finish_non_exhaustive()
    }
}
