//! What the person is sent back with.

use url::Url;

use super::discovery::Metadata;
use super::refused;
use crate::connect::Error;

/// A code that can be redeemed.
pub(super) struct Callback {
    pub(super) code: String,
    pub(super) state: String,
    pub(super) issuer: Option<String>,
}

/// The state in a URL, or in the path and query of one.
pub(super) fn state(url: &str) -> Option<String> {
    let query = url.split_once('?')?.1;
    let query = query.split('#').next().unwrap_or_default();
    let mut pairs = url::form_urlencoded::parse(query.as_bytes());
    pairs.find(|(name, _)| name == "state").map(|(_, value)| value.into_owned())
}

/// Reads where the person was sent back to, as the answer to the page that they were shown.
///
/// # Errors
/// When it is another page's answer, comes from another authorization server, or says no.
pub(super) fn read(redirect: &str, page: &str, metadata: &Metadata) -> Result<Callback, Error> {
    let url = Url::parse(redirect).map_err(|_| refused("the browser came back with no URL"))?;
    let one = |name: &str| {
        let mut values = url.query_pairs().filter(|(key, _)| key == name);
        let first = values.next().map(|(_, value)| value.into_owned());
        match values.next() {
            None => Ok(first),
            Some(_) => Err(refused(&format!("the browser came back with two values of `{name}`"))),
        }
    };
    let expected = state(page);
    let state = one("state")?.filter(|state| Some(state) == expected.as_ref());
    let state = state.ok_or_else(|| refused("the browser came back from another login"))?;
    let issuer = one("iss")?;
    came_from(issuer.as_deref(), metadata)?;
    if let Some(error) = one("error")? {
        return Err(refused(&format!("the authorization server says {}", code(&error))));
    }
    let code = one("code")?.ok_or_else(|| refused("the browser came back without a code"))?;
    Ok(Callback { code, state, issuer })
}

/// Checks that the authorization server that was asked has answered (RFC 9207).
fn came_from(issuer: Option<&str>, metadata: &Metadata) -> Result<(), Error> {
    match issuer {
        Some(issuer) if issuer == metadata.issuer => Ok(()),
        Some(_) => Err(refused("the browser came back from another authorization server")),
        None if metadata.names_itself => {
            Err(refused("the browser came back without the name of the authorization server"))
        }
        None => Ok(()),
    }
}

/// A code of an error, as far as it can be shown (RFC 6749, section 4.1.2.1).
fn code(error: &str) -> String {
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || "_-.".contains(*c);
    let plain: String = error.chars().take(40).filter(is_plain).collect();
    format!("`{plain}`")
}
