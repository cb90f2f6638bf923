//! Hosts on a list, and the targets that are connected to.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

/// Ports of a host that is listed without a port: those of HTTP and HTTPS.
const DEFAULT_PORTS: [u16; 2] = [80, 443];
/// Maximum length of a name, and of each of its labels (RFC 1035, section 2.3.4).
const NAME_MAX: usize = 253;
const LABEL_MAX: usize = 63;
/// Maximum number of characters of an invalid host that its error shows.
const TEXT_MAX: usize = 300;

/// A host on the list: `api.example.com`, `*.example.com`, `192.0.2.1:8080`, `[2001:db8::1]`.
///
/// Without a port it matches ports 80 and 443. `*.` matches one or more labels, so
/// `*.example.com` does not match `example.com`. A listed address may be private.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Host {
    name: Name,
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Name {
    /// In lower case.
    Exact(String),
    /// In lower case, the part after `*`, with the dot.
    Below(String),
    Address(IpAddr),
}

/// A text that is not a valid host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a host: {why}")]
pub struct InvalidHost {
    text: String,
    why: &'static str,
}

impl FromStr for Host {
    type Err = InvalidHost;

    fn from_str(text: &str) -> Result<Self, InvalidHost> {
        let invalid = |why| InvalidHost { text: text.chars().take(TEXT_MAX).collect(), why };
        if let Some(why) = mistake(text) {
            return Err(invalid(why));
        }
        let (name, port) =
            split(text).ok_or(invalid("the port is not a number from 1 to 65535"))?;
        let name = match (address(name), name.strip_prefix('*')) {
            (Some(address), _) => Name::Address(address),
            (None, Some(below)) => {
                let name = below.strip_prefix('.').and_then(dns_name);
                let name = name.ok_or(invalid("`*` must be followed by a dot and a name"))?;
                Name::Below(format!(".{name}"))
            }
            (None, None) if !name.contains('.') => {
                return Err(invalid("it has no dot; for this machine, use 127.0.0.1:PORT"));
            }
            (None, None) => Name::Exact(dns_name(name).ok_or(invalid(
                "expected example.com, *.example.com or an address, followed by :PORT for a port \
                 other than 80 and 443",
            ))?),
        };
        Ok(Self { name, port })
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Name::Exact(name) => f.write_str(name)?,
            Name::Below(name) => write!(f, "*{name}")?,
            Name::Address(IpAddr::V6(address)) => write!(f, "[{address}]")?,
            Name::Address(address) => write!(f, "{address}")?,
        }
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

impl Host {
    /// Whether this host includes all targets that `other` allows.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        let name = match (&self.name, &other.name) {
            (Name::Below(below), Name::Exact(name) | Name::Below(name)) => {
                name.ends_with(below.as_str())
            }
            (this, other) => this == other,
        };
        let port = match (self.port, other.port) {
            (None, Some(port)) => DEFAULT_PORTS.contains(&port),
            (this, other) => this == other,
        };
        name && port
    }

    /// The address, if it is not a name.
    #[must_use]
    pub fn as_address(&self) -> Option<IpAddr> {
        match self.name {
            Name::Address(address) => Some(address),
            Name::Exact(_) | Name::Below(_) => None,
        }
    }

    /// Whether it denies connections to this target: without a port, to all ports.
    #[must_use]
    pub fn denies(&self, target: &Target) -> bool {
        self.names(&target.host) && self.port.is_none_or(|port| port == target.port)
    }

    fn names(&self, host: &TargetHost) -> bool {
        match (&self.name, host) {
            (Name::Exact(name), TargetHost::Name(asked)) => name == asked,
            (Name::Below(below), TargetHost::Name(asked)) => asked.ends_with(below.as_str()),
            (Name::Address(address), TargetHost::Address(asked)) => address == asked,
            _ => false,
        }
    }

    /// Whether it allows connections to this target.
    #[must_use]
    pub fn allows(&self, target: &Target) -> bool {
        let name = self.names(&target.host);
        name && self.port.map_or(DEFAULT_PORTS.contains(&target.port), |port| port == target.port)
    }
}

/// A host and port to connect to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// A name, or an address.
    pub host: TargetHost,
    /// The port.
    pub port: u16,
}

/// A name to resolve, or an address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TargetHost {
    /// In lower case, without a dot at the end.
    Name(String),
    /// IPv4-mapped IPv6 addresses are IPv4 addresses.
    Address(IpAddr),
}

impl Target {
    /// The target with the host of a URI; `None` if that host is invalid.
    #[must_use]
    pub fn new(host: &str, port: u16) -> Option<Self> {
        let host = match address(host) {
            Some(address) => TargetHost::Address(address),
            None => TargetHost::Name(dns_name(host.strip_suffix('.').unwrap_or(host))?),
        };
        Some(Self { host, port })
    }

    /// The value of the header `Host` for plain HTTP.
    #[must_use]
    pub fn authority(&self) -> String {
        let text = self.to_string();
        text.strip_suffix(":80").map(str::to_owned).unwrap_or(text)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            TargetHost::Name(name) => write!(f, "{name}:{}", self.port),
            TargetHost::Address(IpAddr::V6(address)) => write!(f, "[{address}]:{}", self.port),
            TargetHost::Address(address) => write!(f, "{address}:{}", self.port),
        }
    }
}

/// Reports common mistakes: an empty text, a URL, and spaces.
fn mistake(text: &str) -> Option<&'static str> {
    if text.is_empty() {
        return Some("it is empty");
    }
    if text.contains("://") || text.contains('/') {
        return Some("expected only a host, without http:// and without a path");
    }
    let has_space = text.contains(char::is_whitespace);
    has_space.then_some("it contains a space; separate hosts by commas only")
}

/// The name, and the port if there is one; `None` if the part after the colon is not a port.
fn split(text: &str) -> Option<(&str, Option<u16>)> {
    if text.parse::<Ipv6Addr>().is_ok() {
        return Some((text, None));
    }
    match text.rsplit_once(':') {
        Some((name, digits)) if !digits.ends_with(']') => Some((name, Some(port(digits)?))),
        _ => Some((text, None)),
    }
}

/// A port from 1 to 65535 in decimal digits, without a sign.
pub fn port(digits: &str) -> Option<u16> {
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|port| is_number && *port > 0)
}

/// An IPv4 address, or an IPv6 address with or without brackets.
///
/// IPv4-mapped IPv6 addresses are returned as IPv4 addresses.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let address: IpAddr = match bare {
        Some(bare) => IpAddr::V6(bare.parse().ok()?),
        None => text.parse().ok()?,
    };
    Some(address.to_canonical())
}

/// A DNS name in lower case; `None` if it is invalid.
///
/// The last label must not begin with a digit: resolvers read some such names as addresses
/// (`127.1`, `0x7f.0x1`), and no top-level domain begins with a digit.
fn dns_name(text: &str) -> Option<String> {
    let is_label = |label: &str| {
        let inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        !label.is_empty() && label.len() <= LABEL_MAX && label.bytes().all(inner)
    };
    let last = text.rsplit('.').next()?;
    let is_number = last.starts_with(|first: char| first.is_ascii_digit());
    let is_name = text.len() <= NAME_MAX && !is_number && text.split('.').all(is_label);
    is_name.then(|| text.to_ascii_lowercase())
}
