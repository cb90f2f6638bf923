//! What is kept about the authorization at one server.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use url::Url;

use super::reach::Place;

/// How long before its end a token is renewed at most (as rmcp does).
const EARLY: Duration = Duration::from_secs(30);

/// What is kept about the authorization at one server: tokens, and what renews them.
///
/// It holds secrets: a [`TokenStore`](super::TokenStore) keeps what it serializes to where only
/// the person can read it. Its `Debug` shows none of them.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// The URL of the server.
    pub(super) server: String,
    /// The challenge with which the server refused a request last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) challenge: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) access: Option<Access>,
}

/// Tokens, and what renews them.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Access {
    pub(super) issuer: String,
    pub(super) token_endpoint: String,
    /// What the tokens are for (RFC 8707).
    pub(super) resource: String,
    /// Where the server was when the person logged in.
    pub(super) place: Place,
    pub(super) client: Client,
    pub(super) scopes: Vec<String>,
    pub(super) access_token: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) refresh_token: Option<String>,
    /// In seconds since 1970.
    pub(super) received_at: u64,
    /// In seconds after it was received; none if the authorization server does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) expires_in: Option<u64>,
}

/// Who we are to an authorization server.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Client {
    pub(super) id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) secret: Option<String>,
    pub(super) redirect_uri: String,
    pub(super) method: Method,
}

/// How a client says at the token endpoint who it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Method {
    #[serde(rename = "none")]
    Public,
    #[serde(rename = "client_secret_basic")]
    Basic,
    #[serde(rename = "client_secret_post")]
    Post,
}

impl Method {
    /// As metadata and registrations name it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Public => "none",
            Self::Basic => "client_secret_basic",
            Self::Post => "client_secret_post",
        }
    }
}

impl Grant {
    /// One without tokens.
    pub(super) fn none(server: &Url) -> Self {
        Self { server: server.to_string(), challenge: None, access: None }
    }

    /// The URL of the server that it is for.
    #[must_use]
    pub fn server(&self) -> &str {
        &self.server
    }

    /// The authorization server that issued the tokens; none if there are no tokens.
    #[must_use]
    pub fn issuer(&self) -> Option<&str> {
        self.access.as_ref().map(|access| access.issuer.as_str())
    }

    /// The scopes that were granted.
    #[must_use]
    pub fn scopes(&self) -> &[String] {
        self.access.as_ref().map_or(&[], |access| &access.scopes)
    }

    /// What it grants at a server; none if it is for another one.
    pub(super) fn at(self, server: &Url) -> Option<Self> {
        (self.server == server.as_str()).then_some(self)
    }
}

impl Access {
    /// Whether the token has ended, or is about to.
    pub(super) fn is_over(&self, now: Duration) -> bool {
        let Some(lasts) = self.expires_in.map(Duration::from_secs) else { return false };
        let passed = now.saturating_sub(Duration::from_secs(self.received_at));
        let early = EARLY.min(lasts / 2).max(Duration::from_secs(1));
        lasts.saturating_sub(passed) < early
    }
}

/// The time since 1970.
pub(super) fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

impl fmt::Debug for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grant")
            .field("server", &self.server)
            .field("issuer", &self.issuer())
            .field("scopes", &self.scopes())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
