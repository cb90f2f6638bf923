//! A person who says yes.

use legwork_port::BoxFuture;

use crate::connect::Error;

/// Lets a person see the page on which they grant something.
pub trait Browser: Send + Sync {
    /// The address that the authorization server sends the person back to.
    ///
    /// It is the same until `visit` has returned.
    fn redirect_uri(&self) -> String;

    /// Shows the person this page, and waits until they were sent back.
    ///
    /// Returns the whole URL that they were sent back to. It holds a secret.
    ///
    /// # Errors
    /// When the person cannot be asked, or does not answer in time.
    fn visit<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<String, Error>>;
}
