//! Which network commands and tools may reach, as data: hosts by name, and which addresses are
//! public.

mod address;
mod host;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

pub use address::is_public;
pub use host::{Host, InvalidHost, Target, TargetHost, port};

/// The network that commands and tools can reach.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Network {
    /// None; a command in bubblewrap has a loopback interface of its own.
    #[default]
    Off,
    /// These hosts; a command gets there through the proxy in `HTTP_PROXY` and `HTTPS_PROXY`.
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

    /// Whether it includes a target, by its name; the address of a name is another question
    /// ([`is_public`]).
    #[must_use]
    pub fn allows(&self, target: &Target) -> bool {
        match self {
            Self::Off => false,
            Self::All => true,
            Self::Hosts(hosts) => hosts.iter().any(|host| host.allows(target)),
        }
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
