//! What gives requests their tokens.

use std::net::IpAddr;

use http::StatusCode;
use legwork_port::BoxFuture;

/// Gives requests their tokens, and learns what became of them.
pub(crate) trait Credentials: Send + Sync {
    /// The token for a request; none if there is none.
    ///
    /// # Errors
    /// Why it is not known, in words.
    fn token(&self) -> BoxFuture<'_, Result<Option<String>, String>>;

    /// Another token than one that was refused; none if there is none.
    ///
    /// # Errors
    /// Why it is not known, in words.
    fn renew<'a>(&'a self, refused: &'a str) -> BoxFuture<'a, Result<Option<String>, String>>;

    /// What a person can do about a refusal, in words; none if credentials do not help.
    fn denied<'a>(&'a self, denial: Denial<'a>) -> BoxFuture<'a, Option<String>>;

    /// Notes the address that a response came from.
    fn answered_from(&self, address: IpAddr);
}

/// A request that was refused.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(feature = "oauth"), expect(dead_code, reason = "what reads them is a feature"))]
pub(crate) struct Denial<'a> {
    /// 401 or 403.
    pub(crate) status: StatusCode,
    /// What the server asks for; may be empty.
    pub(crate) challenge: &'a str,
    pub(crate) had_token: bool,
}
