//! The network that commands can reach: none, a list of hosts, or all of it.
//!
//! A list is enforced by a proxy. The command runs in a network namespace that has only
//! a loopback interface. A socket listens there, and the [`Gateway`] accepts its
//! connections in the parent's namespace: it resolves names, refuses hosts that are not
//! on the list and names with private addresses, and connects to the others.

mod egress;
mod gateway;
mod listener;
mod log;
mod proxy;
mod serving;
mod upstream;

use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

pub use legwork_port::network::{Host, InvalidHost, Network};

pub(super) use self::gateway::Gateway;

/// The port of the proxy on a command's loopback interface: the default port of Squid.
const PORT: u16 = 3128;

/// The description of a network that the model is given.
pub(super) fn rule(network: &Network) -> String {
    match network {
        Network::Off => "there is no network".to_owned(),
        Network::Hosts(hosts) => format!(
            "only these hosts can be reached, over HTTP and HTTPS through the proxy in \
             HTTP_PROXY and HTTPS_PROXY: {}",
            hosts.iter().map(Host::to_string).collect::<Vec<_>>().join(", ")
        ),
        Network::All => "the network can be reached".to_owned(),
    }
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
