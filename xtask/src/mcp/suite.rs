//! The conformance suite: how it is started, and which scenarios it requires.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::NODE;

/// The suite, as npm installed it.
pub(super) struct Suite {
    node: PathBuf,
    package: PathBuf,
    results: PathBuf,
}

/// The side of the protocol that is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Client,
    Server,
}

impl Side {
    /// The subcommand of the suite, and the key of its requirements.
    fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
        }
    }
}

impl Suite {
    pub(super) fn in_folder(folder: &Path) -> Self {
        let modules = folder.join("node_modules");
        let node = NODE.split('@').next().unwrap_or_default();
        Self {
            node: modules.join(node).join("bin/node"),
            package: modules.join("@modelcontextprotocol/conformance"),
            results: folder.join("results"),
        }
    }

    /// The command that plays scenarios of a side and writes results to a folder, emptied before.
    pub(super) fn play(&self, side: Side) -> Result<(Command, &Path), String> {
        let at = |error| format!("{}: {error}", self.results.display());
        if self.results.exists() {
            fs::remove_dir_all(&self.results).map_err(at)?;
        }
        let mut suite = Command::new(&self.node);
        suite.arg(self.package.join("dist/index.js")).arg(side.name());
        suite.arg("--output-dir").arg(&self.results);
        Ok((suite, &self.results))
    }

    /// The scenarios that a revision requires of a side.
    ///
    /// # Errors
    /// When there are not as many as is known.
    pub(super) fn required(
        &self,
        revision: &str,
        side: Side,
        known: usize,
    ) -> Result<Vec<String>, String> {
        let path = self.package.join(format!("requirements/{revision}.yaml"));
        let text =
            fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let scenarios = listed(&text, side);
        match scenarios.len() == known {
            true => Ok(scenarios),
            false => Err(format!(
                "{} requires {} scenarios of a {}, not {known}",
                path.display(),
                scenarios.len(),
                side.name()
            )),
        }
    }
}

/// The scenarios that a text of requirements lists for a side.
pub(super) fn listed(text: &str, side: Side) -> Vec<String> {
    let heading = format!("{}:", side.name());
    let below = text.lines().skip_while(|line| line.trim_end() != heading).skip(1);
    // Up to the next heading.
    let items = below.take_while(|line| line.is_empty() || line.starts_with([' ', '#']));
    items.filter_map(|line| line.trim().strip_prefix("- ")).map(str::to_owned).collect()
}
