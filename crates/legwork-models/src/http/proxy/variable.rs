//! A proxy as a variable names it.

use std::sync::Arc;

use http::Uri;
use percent_encoding::percent_decode_str;

use super::Kind;

/// Why a proxy cannot be used; the value is not shown, for it may hold a password.
///
/// Needs the feature `proxy`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{variable} names no proxy: {problem}; it should look like http://HOST:PORT or \
     http://NAME:PASSWORD@HOST:PORT, with %40 for an @ in the password"
)]
#[non_exhaustive]
pub struct InvalidProxy {
    /// The variable's name, such as `HTTPS_PROXY`.
    pub variable: String,
    /// What is wrong with its value; the value itself is not shown.
    pub problem: String,
}

/// A proxy that a variable names.
#[derive(Debug, Clone)]
pub(super) struct Named {
    pub(super) kind: Kind,
    pub(super) variable: Arc<str>,
    /// With the name and the password, and a port.
    pub(super) url: Url,
    pub(super) secrets: Arc<[String]>,
}

/// A URL that may hold a password.
#[derive(Clone)]
pub(super) struct Url(pub(super) String);

impl std::fmt::Debug for Url {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("[redacted]")
    }
}

impl Kind {
    fn of(scheme: &str) -> Option<Self> {
        Some(match scheme {
            "http" => Self::Http,
            "https" => Self::Https,
            "socks5" => Self::Socks5,
            "socks5h" => Self::Socks5h,
            _ => return None,
        })
    }

    pub(super) fn scheme(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
            Self::Socks5 => "socks5",
            Self::Socks5h => "socks5h",
        }
    }

    /// The port where none is named, as curl has it.
    fn port(self) -> u16 {
        match self {
            Self::Https => 443,
            Self::Http | Self::Socks5 | Self::Socks5h => 1080,
        }
    }
}

/// Reads the value of a variable.
///
/// # Errors
/// When it is not the address of a proxy, or of one that is not supported.
pub(super) fn read(variable: &str, value: &str) -> Result<Named, InvalidProxy> {
    let invalid = |problem: String| InvalidProxy { variable: variable.to_owned(), problem };
    let (scheme, rest) = value.split_once("://").unwrap_or(("http", value));
    let scheme = scheme.to_ascii_lowercase();
    let Some(kind) = Kind::of(&scheme) else {
        let known = "http, https, socks5 and socks5h work";
        return Err(invalid(match scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            true => format!("proxies of the kind {scheme:?} are not supported: {known}"),
            false => format!("its kind is not known: {known}"),
        }));
    };
    let (user, address) = rest.rsplit_once('@').unwrap_or(("", rest));
    let address = address.split(['/', '?', '#']).next().unwrap_or_default();
    let odd = |character: char| character.is_whitespace() || character.is_control();
    if user.contains(odd) || user.contains(['/', '?', '#', '@', '[', ']', '\\']) {
        let problem = "its name or password has a character that has to be written as %XX";
        return Err(invalid(problem.to_owned()));
    }
    let port = match address.rsplit_once(':') {
        Some((_, port)) if !port.contains(']') => port
            .parse()
            .ok()
            .filter(|port| *port != 0)
            .ok_or_else(|| invalid("the part after the colon is not a port".to_owned()))?,
        _ => kind.port(),
    };
    let host = address.strip_suffix(&format!(":{port}")).unwrap_or(address);
    let at = if user.is_empty() { "" } else { "@" };
    let url = format!("{scheme}://{user}{at}{host}:{port}");
    let parsed = Uri::try_from(&url).ok().filter(|uri| uri.host() == Some(host));
    if host.is_empty() || parsed.is_none() {
        return Err(invalid("its host is neither a name nor an address".to_owned()));
    }
    Ok(Named { kind, variable: variable.into(), url: Url(url), secrets: secrets(user) })
}

/// The password, or the name where there is none, as it is written and as it is meant.
fn secrets(user: &str) -> Arc<[String]> {
    let secret = user.split_once(':').map_or(user, |(_, password)| password);
    let meant = percent_decode_str(secret).decode_utf8_lossy();
    let all = [secret, &*meant].map(str::to_owned);
    all.into_iter().filter(|secret| !secret.is_empty()).collect()
}
