//! What a command may do, as data; every sandbox compiles the same.

use std::path::PathBuf;

use super::network::{self, Network};

/// What a command may do beyond writing to its workspace and reading the system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Policy {
    /// Which network it reaches; none by default.
    pub network: Network,
    /// Further places that it may read, in the home too.
    pub readable: Vec<PathBuf>,
    /// Further places that it may read and write.
    pub writable: Vec<PathBuf>,
    /// Further places that it must not see, wherever they lie.
    pub hidden: Vec<PathBuf>,
}

impl Policy {
    /// The policy with this access to the network.
    #[must_use]
    pub fn with_network(self, network: Network) -> Self {
        Self { network, ..self }
    }

    /// The same with one more place that may be read.
    #[must_use]
    pub fn with_readable(mut self, place: impl Into<PathBuf>) -> Self {
        self.readable.push(place.into());
        self
    }

    /// The same with one more place that may be read and written.
    #[must_use]
    pub fn with_writable(mut self, place: impl Into<PathBuf>) -> Self {
        self.writable.push(place.into());
        self
    }

    /// The same with one more place that is hidden.
    #[must_use]
    pub fn with_hidden(mut self, place: impl Into<PathBuf>) -> Self {
        self.hidden.push(place.into());
        self
    }

    /// The description of it for a model.
    pub(super) fn rules(&self, temp: &str) -> String {
        let more: Vec<_> = self.writable.iter().map(|place| place.display().to_string()).collect();
        let more = match more.is_empty() {
            true => String::new(),
            false => format!(" (and {})", more.join(", ")),
        };
        let network = network::rule(&self.network);
        format!(
            "only the workspace{more} and {temp} can be written, {temp} is empty in each call, \
             and {network}"
        )
    }
}
