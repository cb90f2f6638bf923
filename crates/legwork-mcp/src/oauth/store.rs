//! Where grants are kept.

use std::fmt;
use std::sync::Arc;

use legwork_port::BoxFuture;

use super::Grant;
use crate::connect::Error;

/// Keeps the grant of one server.
pub trait TokenStore: Send + Sync {
    /// The grant; none if nothing is kept.
    ///
    /// # Errors
    /// When it cannot be read, or others could have read it.
    fn load(&self) -> BoxFuture<'_, Result<Option<Grant>, Error>>;

    /// Keeps a grant instead of the one before.
    ///
    /// When it returns, the grant is durable. The caller holds the guard.
    ///
    /// # Errors
    /// When it cannot be written; the one before is then kept.
    fn save<'a>(&'a self, grant: &'a Grant) -> BoxFuture<'a, Result<(), Error>>;

    /// Keeps nothing any more.
    ///
    /// When it returns, no token is left. The caller holds the guard.
    ///
    /// # Errors
    /// When the grant cannot be removed.
    fn clear(&self) -> BoxFuture<'_, Result<(), Error>>;

    /// Waits for the exclusive right to change the grant, in this process and others.
    ///
    /// It is held until the guard is dropped. `load`, `save` and `clear` must not
    /// wait for it.
    ///
    /// # Errors
    /// When others cannot be kept away.
    fn guard(&self) -> BoxFuture<'_, Result<Guard, Error>>;
}

impl<T: TokenStore + ?Sized> TokenStore for Arc<T> {
    fn load(&self) -> BoxFuture<'_, Result<Option<Grant>, Error>> {
        (**self).load()
    }

    fn save<'a>(&'a self, grant: &'a Grant) -> BoxFuture<'a, Result<(), Error>> {
        (**self).save(grant)
    }

    fn clear(&self) -> BoxFuture<'_, Result<(), Error>> {
        (**self).clear()
    }

    fn guard(&self) -> BoxFuture<'_, Result<Guard, Error>> {
        (**self).guard()
    }
}

/// Keeps others from changing a grant, until it is dropped.
#[must_use = "dropping it lets others change the grant"]
pub struct Guard(#[expect(dead_code, reason = "it is only held")] Box<dyn Send>);

impl Guard {
    /// A guard that drops this when it is dropped, such as a locked file.
    pub fn new(held: impl Send + 'static) -> Self {
        Self(Box::new(held))
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard").finish_non_exhaustive()
    }
}
