//! Which network commands reach, as flags, variables and files say it.

use legwork::tools::sandbox::Network;
use serde_json::{Value, json};

/// `off`, `all`, or hosts with commas between them.
///
/// # Errors
/// In words, with the first that is no host.
pub(crate) fn network(text: &str) -> Result<Network, String> {
    text.parse().map_err(|error| format!("must be off, all, or hosts with commas between: {error}"))
}

/// The same as a value of a file.
pub(crate) fn of_network(network: &Network) -> Value {
    match network {
        Network::Hosts(hosts) => hosts.iter().map(|host| json!(host.to_string())).collect(),
        other => json!(other.to_string()),
    }
}
