//! The agents that a worker has, if not all of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use legwork::core::AgentId;
use legwork::definition::{Definitions, Location};

use crate::args;
use crate::error::Error;
use crate::shell::quoted;

/// The agents of folders that were given, each with the file that defines it.
#[derive(Debug)]
pub(super) struct Served {
    folders: Vec<PathBuf>,
    files: BTreeMap<AgentId, PathBuf>,
}

impl Served {
    /// Reads the folders; none where none is given.
    ///
    /// # Errors
    /// When there is no agent in them, or one of their files is wrong.
    pub(super) fn read(folders: &[PathBuf]) -> Result<Option<Self>, Error> {
        if folders.is_empty() {
            return Ok(None);
        }
        let absolute = |dir: &PathBuf| std::path::absolute(dir).unwrap_or_else(|_| dir.clone());
        let folders: Vec<_> = folders.iter().map(absolute).collect();
        let locations: Vec<_> = folders.iter().map(Location::given).collect();
        let definitions = Definitions::load(&locations);
        let named = folders.iter().map(|folder| quoted(&folder.to_string_lossy()));
        let named = named.collect::<Vec<_>>().join(" ");
        if let Some(problem) = definitions.problems().iter().find(|problem| problem.is_error()) {
            let message = format!("the agents of {named} cannot be used: {problem}");
            let hint = format!("`legwork agents check {named}` says all that is wrong");
            return Err(Error::usage(message, hint));
        }
        if definitions.is_empty() {
            let message = format!("there are no agents in {named}");
            return Err(Error::usage(message, "name a folder with files such as NAME.md"));
        }
        let file = |(name, found): (&str, &legwork::definition::Found<_>)| {
            (AgentId::from(name), found.file.clone())
        };
        let files = definitions.iter().map(file).collect();
        Ok(Some(Self { folders, files }))
    }

    /// Whether an agent is in the folders.
    pub(super) fn has(&self, agent: Option<&AgentId>) -> bool {
        agent.is_some_and(|agent| self.files.contains_key(agent))
    }

    /// The flags for a session of an agent: that agent, as its file defines it; none if it is not
    /// in the folders.
    pub(super) fn flags(
        &self,
        flags: &args::Agent,
        agent: Option<&AgentId>,
    ) -> Option<args::Agent> {
        let file: &Path = self.files.get(agent?)?;
        let dirs = flags.agents_dir.iter().chain(&self.folders).cloned().collect();
        let agent = Some(file.to_string_lossy().into_owned());
        Some(args::Agent { agent, agents_dir: dirs, ..flags.clone() })
    }

    /// The names of the agents, for people.
    pub(super) fn names(&self) -> String {
        self.files.keys().map(AgentId::as_str).collect::<Vec<_>>().join(", ")
    }
}
