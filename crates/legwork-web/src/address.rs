//! Addresses of pages: HTTP and HTTPS, without credentials.

use std::borrow::Cow;
use std::fmt;

use fluent_uri::{Uri, UriRef};
use legwork_port::network::{Target, TargetHost};

/// Bytes of the longest address.
const LONGEST: usize = 8 << 10;

/// The address of a page, read once: what is connected to is what was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    uri: Uri<String>,
    scheme: Scheme,
    target: Target,
}

/// How a server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Plain HTTP.
    Http,
    /// HTTP over TLS.
    Https,
}

/// Why a text is no address of a page.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It is not a URL.
    #[error("{0} is not a URL, such as https://example.com/page")]
    NotAUrl(String),
    /// It is longer than an address may be.
    #[error("the URL is longer than {LONGEST} bytes")]
    TooLong,
    /// It has a scheme other than those of HTTP.
    #[error("only http and https URLs are read, not {0}")]
    Scheme(String),
    /// It holds a name or a password.
    #[error("the URL holds a name or a password: give it without")]
    Credentials,
    /// Its host is none that can be resolved.
    #[error("{0} is not a host: give a name in ASCII (xn--..), or an address")]
    Host(String),
    /// Its port is none.
    #[error("the port of the URL is not a number from 1 to 65535")]
    Port,
}

impl Scheme {
    /// The port where none is given.
    fn port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

impl Address {
    /// Reads an address.
    ///
    /// # Errors
    /// When it is no URL of HTTP, holds credentials, or names a host or port that cannot be.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let text = text.trim();
        if text.len() > LONGEST {
            return Err(Error::TooLong);
        }
        let uri = Uri::parse(escaped(text).into_owned()).map_err(|_| not_a_url(text))?;
        Self::of(uri)
    }

    /// The address that a reference of this page leads to, such as the target of a redirect.
    ///
    /// # Errors
    /// As [`Address::parse`].
    pub fn join(&self, reference: &str) -> Result<Self, Error> {
        Self::of(self.resolve(reference)?)
    }

    /// The URL that a reference of this page means, of whatever scheme.
    ///
    /// # Errors
    /// When it is no reference, or longer than an address may be.
    pub(crate) fn resolve(&self, reference: &str) -> Result<Uri<String>, Error> {
        let reference = reference.trim();
        if reference.len() > LONGEST {
            return Err(Error::TooLong);
        }
        let escaped = escaped(reference);
        let parsed = UriRef::parse(&*escaped).map_err(|_| not_a_url(reference))?;
        let base = self.uri.strip_fragment();
        let uri = parsed.resolve_against(&base).map_err(|_| not_a_url(reference))?;
        if uri.as_str().len() > LONGEST {
            return Err(Error::TooLong);
        }
        Ok(uri)
    }

    fn of(uri: Uri<String>) -> Result<Self, Error> {
        let scheme = match uri.scheme().as_str().to_ascii_lowercase().as_str() {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            other => return Err(Error::Scheme(shown(other))),
        };
        let authority = uri.authority().ok_or_else(|| not_a_url(uri.as_str()))?;
        if authority.has_userinfo() {
            return Err(Error::Credentials);
        }
        let port = authority.port_to_u16().map_err(|_| Error::Port)?;
        let port = port.unwrap_or_else(|| scheme.port());
        if port == 0 {
            return Err(Error::Port);
        }
        let host = authority.host();
        let target = Target::new(host, port).ok_or_else(|| Error::Host(shown(host)))?;
        Ok(Self { uri, scheme, target })
    }

    /// The host and port that are connected to.
    #[must_use]
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// How the server is spoken to.
    #[must_use]
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The whole URL.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.uri.as_str()
    }

    /// What is asked for: the path and the query.
    pub(crate) fn path_and_query(&self) -> String {
        let path = self.uri.path().as_str();
        let path = if path.is_empty() { "/" } else { path };
        match self.uri.query() {
            Some(query) => format!("{path}?{}", query.as_str()),
            None => path.to_owned(),
        }
    }

    /// The value of the header `Host`.
    pub(crate) fn authority(&self) -> String {
        let text = self.target.to_string();
        let default = format!(":{}", self.scheme.port());
        text.strip_suffix(&default).map(str::to_owned).unwrap_or(text)
    }

    /// The host alone, for a certificate.
    pub(crate) fn host(&self) -> String {
        match &self.target.host {
            TargetHost::Name(name) => name.clone(),
            TargetHost::Address(address) => address.to_string(),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text whose characters that no URL may have are percent-encoded, as browsers do.
fn escaped(text: &str) -> Cow<'_, str> {
    let is_foreign = |byte: u8| !byte.is_ascii_graphic() || b"\"<>\\^`{|}".contains(&byte);
    if !text.bytes().any(is_foreign) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        match is_foreign(byte) {
            true => escaped.push_str(&format!("%{byte:02X}")),
            false => escaped.push(char::from(byte)),
        }
    }
    Cow::Owned(escaped)
}

fn not_a_url(text: &str) -> Error {
    Error::NotAUrl(shown(text))
}

/// The beginning of a text, quoted.
fn shown(text: &str) -> String {
    const SHOWN: usize = 200;
    let cut: String = text.chars().take(SHOWN).collect();
    format!("{cut:?}")
}

#[cfg(test)]
mod tests;
