//! Which scopes are asked for.

use rmcp::transport::auth::WWWAuthenticateParams;
use url::Url;

/// A scope of its own, where refresh tokens are given only for it.
const OFFLINE: &str = "offline_access";
/// Bytes of scopes that are shown at most.
const SHOWN: usize = 300;

/// The scopes of a challenge that refused a request.
pub(super) fn of_challenge(challenge: &str, server: &Url) -> Vec<String> {
    let params = WWWAuthenticateParams::parse(challenge, server);
    let scopes = params.scope.unwrap_or_default();
    scopes.split_whitespace().filter(|scope| is_scope(scope)).map(str::to_owned).collect()
}

/// Whether a challenge is about scopes that are missing.
pub(super) fn are_missing(challenge: &str, server: &Url) -> bool {
    WWWAuthenticateParams::parse(challenge, server).is_insufficient_scope()
}

/// All of these, each once, in the order in which they come first.
pub(super) fn union<'a>(all: impl IntoIterator<Item = &'a [String]>) -> Vec<String> {
    let mut union = Vec::new();
    for scope in all.into_iter().flatten() {
        if !union.contains(scope) {
            union.push(scope.clone());
        }
    }
    union
}

/// With the scope for refresh tokens, where the authorization server has it.
pub(super) fn with_offline(mut scopes: Vec<String>, supported: &[String]) -> Vec<String> {
    let is_known = supported.iter().any(|scope| scope == OFFLINE);
    if is_known && !scopes.is_empty() && !scopes.iter().any(|scope| scope == OFFLINE) {
        scopes.push(OFFLINE.to_owned());
    }
    scopes
}

/// Scopes for people.
pub(super) fn shown(scopes: &[String]) -> String {
    let all = scopes.join("`, `");
    let noun = if scopes.len() == 1 { "scope" } else { "scopes" };
    format!("the {noun} `{}`", all.chars().take(SHOWN).collect::<String>())
}

/// Whether it is a scope, by its characters (RFC 6749, section 3.3).
fn is_scope(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, 0x21 | 0x23..=0x5b | 0x5d..=0x7e))
}
