//! The address of a server: a base URL, read strictly.

use std::net::{Ipv4Addr, Ipv6Addr};

use http::Uri;

use super::builder::Error;

mod host;
mod path;
#[cfg(test)]
mod tests;

/// The URI of a path behind a base URL.
///
/// A key goes there, so nothing is guessed: what programs take away, put right, or read in
/// several ways is refused.
pub(super) fn endpoint(base_url: &str, path: &str) -> Result<Uri, Error> {
    let refuse = |problem: String| Error::BaseUrl { url: without_user(base_url), problem };
    let base = Base::read(base_url).map_err(refuse)?;
    if let Some(problem) = otherwise(base_url, &base) {
        return Err(refuse(problem));
    }
    let address = base.address();
    let endpoint = format!("{}/{path}", address.trim_end_matches('/'));
    Uri::try_from(endpoint).map_err(|error| refuse(error.to_string()))
}

/// A base URL as programs read it.
struct Base {
    scheme: String,
    host: String,
    /// None if it is the usual one of the scheme.
    port: Option<u16>,
    path: String,
}

impl Base {
    /// Reads a URL; the error says what is wrong with it, without a secret.
    fn read(text: &str) -> Result<Self, String> {
        if let Some(problem) = odd(text) {
            return Err(problem.to_owned());
        }
        let (scheme, rest) = text.split_once("://").unwrap_or_default();
        let scheme = scheme.to_ascii_lowercase();
        if !matches!(&*scheme, "http" | "https") {
            return Err("its scheme is not http or https".to_owned());
        }
        let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        if let Some(problem) = superfluous(authority, path) {
            return Err(problem.to_owned());
        }
        let (host, port) = host::split(authority);
        let host = host::read(host)?;
        let port = port.map_or(Ok(None), |port| self::port(&scheme, port))?;
        Ok(Self { scheme, host, port, path: path::read(path) })
    }

    fn address(&self) -> String {
        let Self { scheme, host, port, path } = self;
        match port {
            Some(port) => format!("{scheme}://{host}:{port}{path}"),
            None => format!("{scheme}://{host}{path}"),
        }
    }
}

/// What is wrong with the text of a URL, which a parser may overlook.
fn odd(text: &str) -> Option<&'static str> {
    let rest = text.split_once("://").map(|(_, rest)| rest);
    match text {
        "" => Some("it is empty"),
        _ if text.trim() != text => Some("there is white space around it"),
        _ if text.contains(char::is_whitespace) => Some("there is white space in it"),
        _ if text.contains(char::is_control) => Some("there is a control character in it"),
        _ if text.chars().any(legwork_core::hidden::is_hidden) => {
            Some("there is a character in it that is not seen")
        }
        _ if text.contains('\\') => Some("there is a backslash in it"),
        _ if rest.is_none() => Some("there is no `://` after its scheme"),
        _ if rest.is_some_and(|rest| rest.starts_with('/')) => Some("it has no host"),
        _ => None,
    }
}

/// What a base URL has that is not a host, a port or a path.
fn superfluous(authority: &str, path: &str) -> Option<&'static str> {
    match path {
        _ if authority.contains('@') => {
            Some("there is a name or password in it; a key is given by itself")
        }
        _ if path.contains('#') => Some("there is a fragment in it"),
        _ if path.contains('?') => Some("there is a query in it"),
        _ => None,
    }
}

/// The port that is written behind a host; none if it is the usual one, or empty.
fn port(scheme: &str, written: &str) -> Result<Option<u16>, String> {
    let usual = if scheme == "http" { 80 } else { 443 };
    let is_number = written.bytes().all(|byte| byte.is_ascii_digit());
    match written.parse() {
        _ if written.is_empty() => Ok(None),
        Ok(0) => Err("its port is 0".to_owned()),
        Ok(port) if is_number => Ok(Some(port).filter(|port| *port != usual)),
        _ => Err("its port is not a number up to 65535".to_owned()),
    }
}

/// How programs read a URL, if that differs from what was written: `http://127.1` names the host
/// `127.0.0.1`.
fn otherwise(text: &str, base: &Base) -> Option<String> {
    let (_, rest) = text.split_once("://").unwrap_or_default();
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let usual = if base.scheme == "http" { ":80" } else { ":443" };
    let authority = authority.to_ascii_lowercase();
    let authority = authority.strip_suffix(usual).unwrap_or(&authority);
    let written = format!("{}://{authority}{path}", base.scheme);
    let address = base.address();
    let same = written.trim_end_matches('/') == address.trim_end_matches('/');
    (!same).then(|| format!("it would be read as {address}: write that"))
}

/// An address as it was given, without a name, a password or a query.
pub(super) fn without_user(url: &str) -> String {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let url = url.get(..end).unwrap_or_default();
    match url.rsplit_once('@') {
        Some((_, host)) => format!("...@{host}"),
        None => url.to_owned(),
    }
}

/// The host, if what is sent there can be read on its way: plain HTTP to another machine.
pub(super) fn in_clear(uri: &Uri) -> Option<String> {
    let host = uri.host()?;
    (uri.scheme_str() == Some("http") && !is_here(host)).then(|| host.to_owned())
}

/// Whether a host is this machine.
pub(super) fn is_here(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    match (address.parse::<Ipv4Addr>(), address.parse::<Ipv6Addr>()) {
        (Ok(address), _) => address.is_loopback() || address == Ipv4Addr::UNSPECIFIED,
        (_, Ok(address)) => {
            let mapped = address.to_ipv4_mapped().is_some_and(|address| address.is_loopback());
            address.is_loopback() || address == Ipv6Addr::UNSPECIFIED || mapped
        }
        _ => {
            let name = host.trim_end_matches('.');
            name == "localhost" || name.ends_with(".localhost")
        }
    }
}
