//! The address of a server: a base URL, read strictly.

use std::net::{Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

use super::builder::Error;

#[cfg(test)]
mod tests;

/// The URL of a path behind a base URL.
///
/// A key goes there, so nothing is guessed: what a parser of URLs would take away or put right
/// is refused.
pub(super) fn endpoint(base_url: &str, path: &str) -> Result<Url, Error> {
    let refuse =
        |problem: &str| Error::BaseUrl { url: without_user(base_url), problem: problem.to_owned() };
    if let Some(problem) = odd(base_url) {
        return Err(refuse(problem));
    }
    let mut url = Url::parse(base_url).map_err(|error| refuse(&error.to_string()))?;
    if let Some(problem) = unusable(&url).or_else(|| otherwise(base_url, &url)) {
        return Err(refuse(&problem));
    }
    let path = format!("{}/{path}", url.path().trim_end_matches('/'));
    url.set_path(&path);
    Ok(url)
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
        _ if rest.is_none() => Some("there is no `://` behind its scheme"),
        _ if rest.is_some_and(|rest| rest.starts_with('/')) => Some("it has no host"),
        _ => None,
    }
}

/// What is wrong with a URL.
fn unusable(url: &Url) -> Option<String> {
    let of = |problem: &str| Some(problem.to_owned());
    match url {
        _ if !matches!(url.scheme(), "http" | "https") => {
            Some(format!("its scheme is {:?}, not http or https", url.scheme()))
        }
        _ if url.host().is_none() => of("it has no host"),
        _ if !url.username().is_empty() || url.password().is_some() => {
            of("there is a name or password in it; a key is given by itself")
        }
        _ if url.query().is_some() => of("there is a query in it"),
        _ if url.fragment().is_some() => of("there is a fragment in it"),
        _ if url.port() == Some(0) => of("its port is 0"),
        _ => None,
    }
}

/// What the parser made of a URL, if it is not what was written: `https:http://a` names the
/// host `http`, and `http://127.1` the host `127.0.0.1`.
fn otherwise(text: &str, url: &Url) -> Option<String> {
    let (scheme, rest) = text.split_once("://").unwrap_or_default();
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let scheme = scheme.to_ascii_lowercase();
    let usual = if scheme == "http" { ":80" } else { ":443" };
    let host = host.to_ascii_lowercase();
    let host = host.strip_suffix(usual).unwrap_or(&host);
    let written = format!("{scheme}://{host}{path}");
    let same = written.trim_end_matches('/') == url.as_str().trim_end_matches('/');
    (!same).then(|| format!("it would be read as {}: write it so", place(url)))
}

/// What was given as an address, without a name, a password or a query.
pub(super) fn without_user(url: &str) -> String {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let url = url.get(..end).unwrap_or_default();
    match url.rsplit_once('@') {
        Some((_, host)) => format!("...@{host}"),
        None => url.to_owned(),
    }
}

/// The address without what may be secret in it.
pub(super) fn place(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{}://{host}:{port}{}", url.scheme(), url.path()),
        None => format!("{}://{host}{}", url.scheme(), url.path()),
    }
}

/// The host, if what is sent there can be read on its way: plain HTTP to another machine.
pub(super) fn in_clear(url: &Url) -> Option<String> {
    let is_here = match url.host()? {
        Host::Domain(name) => {
            let name = name.trim_end_matches('.');
            name == "localhost" || name.ends_with(".localhost")
        }
        Host::Ipv4(address) => address.is_loopback() || address == Ipv4Addr::UNSPECIFIED,
        Host::Ipv6(address) => {
            let mapped = address.to_ipv4_mapped().is_some_and(|address| address.is_loopback());
            address.is_loopback() || address == Ipv6Addr::UNSPECIFIED || mapped
        }
    };
    (url.scheme() == "http" && !is_here).then(|| url.host_str().unwrap_or_default().to_owned())
}
