//! The network that commands can reach: none, a list of hosts, or all of it.
//!
//! A list is enforced by a proxy. The command runs in a network namespace that has only
//! a loopback interface. A socket listens there, and the [`Gateway`] accepts its
//! connections in the parent's namespace: it resolves names, refuses hosts that are not
//! on the list and names with private addresses, and connects to the others.

mod address;
mod egress;
mod gateway;
mod host;
mod listener;
mod log;
mod proxy;
mod serving;
mod upstream;

use std::ffi::OsString;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

pub(super) use self::gateway::Gateway;
pub use self::host::{Host, InvalidHost};

/// The port of the proxy on a command's loopback interface: the default port of Squid.
const PORT: u16 = 3128;

/// The network that a command can reach.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Network {
    /// None. With bubblewrap, a command has a loopback interface of its own.
    #[default]
    Off,
    /// These hosts, through the proxy in `HTTP_PROXY` and `HTTPS_PROXY`.
    Hosts(Vec<Host>),
    /// All that this machine can reach, including its loopback interface.
    All,
}

impl Network {
    /// Only the hosts with these names.
    ///
    /// # Errors
    /// When a name is not a valid host; the error is about the first one.
    pub fn hosts<'t>(names: impl IntoIterator<Item = &'t str>) -> Result<Self, InvalidHost> {
        names.into_iter().map(str::parse).collect::<Result<_, _>>().map(Self::Hosts)
    }

    /// Whether this network includes all that `other` can reach.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::All, _) | (_, Self::Off) => true,
            (Self::Off, _) | (_, Self::All) => false,
            (Self::Hosts(these), Self::Hosts(others)) => {
                others.iter().all(|other| these.iter().any(|this| this.covers(other)))
            }
        }
    }

    /// The description that the model is given.
    pub(super) fn rule(&self) -> String {
        match self {
            Self::Off => "there is no network".to_owned(),
            Self::Hosts(hosts) => format!(
                "only these hosts can be reached, over HTTP and HTTPS through the proxy in \
                 HTTP_PROXY and HTTPS_PROXY: {}",
                list(hosts, ", ")
            ),
            Self::All => "the network can be reached".to_owned(),
        }
    }
}

/// Parses `off`, `all`, or hosts separated by commas.
impl FromStr for Network {
    type Err = InvalidHost;

    fn from_str(text: &str) -> Result<Self, InvalidHost> {
        match text {
            "off" => Ok(Self::Off),
            "all" => Ok(Self::All),
            hosts => Self::hosts(hosts.split(',')),
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => f.write_str("off"),
            Self::Hosts(hosts) => f.write_str(&list(hosts, ",")),
            Self::All => f.write_str("all"),
        }
    }
}

fn list(hosts: &[Host], between: &str) -> String {
    hosts.iter().map(Host::to_string).collect::<Vec<_>>().join(between)
}

/// The environment variables that make programs use the proxy for the hosts on a list.
pub(super) fn environment(hosts: &[Host]) -> Vec<(OsString, OsString)> {
    const PROXY: [&str; 6] =
        ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
    const NO_PROXY: [&str; 2] = ["NO_PROXY", "no_proxy"];
    let proxy = format!("http://127.0.0.1:{PORT}");
    let proxy = PROXY.map(|name| (name.into(), OsString::from(&proxy)));
    let direct = direct_hosts(hosts);
    let no_proxy = NO_PROXY.map(|name| (name.into(), OsString::from(&direct)));
    // Node ignores the variables above unless this one is set.
    let node = [("NODE_USE_ENV_PROXY".into(), "1".into())];
    proxy.into_iter().chain(no_proxy).chain(node).collect()
}

/// The value of `NO_PROXY`: the hosts that programs connect to directly.
///
/// These are the hosts of a command's own loopback interface. A loopback address on the list
/// is left out: it is an address of this machine, which only the proxy can reach.
fn direct_hosts(hosts: &[Host]) -> String {
    const LOOPBACK: [IpAddr; 2] =
        [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
    let is_listed = |address| hosts.iter().any(|host| host.as_address() == Some(address));
    let addresses = LOOPBACK.into_iter().filter(|address| !is_listed(*address));
    let names = addresses.map(|address| address.to_string());
    std::iter::once("localhost".to_owned()).chain(names).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests;
