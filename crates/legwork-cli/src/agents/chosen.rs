//! The agent that was asked for, and what it decides of the settings.
//!
//! A project's agent came with a repository: like the project's `legwork.toml` it may say
//! which model works, and lower limits, and take tools away, and nothing else.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use legwork::agent::subagent;
use legwork::core::Budget;
use legwork::definition::{AgentDefinition, Found, Origin};

use super::{Agents, Other};
use crate::args;
use crate::config::{Limits, Source, Sourced};
use crate::error::Error;
use crate::recorded::RecordedAgent;
use crate::toolset;

/// The agent that was asked for, with those beside it.
#[derive(Debug, Clone)]
pub(crate) struct Chosen {
    pub(crate) found: Found<AgentDefinition>,
    pub(crate) agents: Agents,
    /// The models that its subagents and skills may want.
    pub(crate) others: Vec<Other>,
    /// Folders of agents that were given.
    dirs: Vec<PathBuf>,
    /// The models that the session was begun with, if it goes on.
    models: Option<Vec<String>>,
}

impl Chosen {
    /// The agent of the flags, else the one that the session was begun with.
    ///
    /// # Errors
    /// When it is not there, or its file is wrong.
    pub(crate) fn of(
        flags: &args::Agent,
        recorded: Option<&RecordedAgent>,
        dir: &Path,
    ) -> Result<Option<Self>, Error> {
        let absolute = |dir: &PathBuf| std::path::absolute(dir).unwrap_or_else(|_| dir.clone());
        let given: Vec<_> = flags.agents_dir.iter().map(absolute).collect();
        let (others, models) = (Vec::new(), recorded.map(|recorded| recorded.models.clone()));
        if let Some(asked) = &flags.agent {
            let (agents, found) = Agents::named(asked, dir, &given)?;
            return Ok(Some(Self { found, agents, others, dirs: given, models: None }));
        }
        let Some(recorded) = recorded else { return Ok(None) };
        let (agents, found) = Agents::recorded(recorded, dir, &given)?;
        Ok(Some(Self { found, agents, others, dirs: given, models }))
    }

    pub(crate) fn definition(&self) -> &AgentDefinition {
        &self.found.value
    }

    fn source(&self) -> Source {
        Source::Agent(self.found.file.clone())
    }

    /// The model that it names, and whether that goes before what the environment says.
    pub(crate) fn model(&self) -> Option<Sourced<String>> {
        self.definition().model.clone().map(|model| Sourced::new(model, self.source()))
    }

    /// Whether it is the project's, and so not trusted.
    pub(crate) fn is_of_project(&self) -> bool {
        self.found.origin == Origin::Project
    }

    /// The command's tools that it has, of those that it may choose from; none = all.
    pub(crate) fn tools(&self, from: Option<Vec<String>>) -> Option<Vec<String>> {
        let all = || toolset::NAMES.map(str::to_owned).to_vec();
        let mut tools = from.unwrap_or_else(all);
        // One that nobody knows is told later.
        tools.retain(|tool| {
            self.definition().allows(tool) || !toolset::NAMES.contains(&tool.as_str())
        });
        Some(tools)
    }

    /// Sets the limits that it has: flags go before, and a project's agent only lowers.
    ///
    /// What it limits beyond the command's own limits is returned.
    pub(crate) fn limit(&self, limits: &mut Limits) -> Budget {
        let own = self.definition().limits.to_budget();
        self.set(&mut limits.steps, own.steps);
        self.set(&mut limits.cost, own.cost);
        self.set(&mut limits.tokens, own.total_tokens);
        self.set(&mut limits.active_time, own.active_time.map(Duration::from));
        Budget {
            tool_calls: own.tool_calls,
            input_tokens: own.input_tokens,
            output_tokens: own.output_tokens,
            ..Budget::unlimited()
        }
    }

    fn set<T: Ord + Copy>(&self, limit: &mut Sourced<Option<T>>, own: Option<T>) {
        let Some(own) = own else { return };
        if matches!(limit.source, Source::Flag(_)) {
            return;
        }
        let raises = limit.value.is_some_and(|limit| own > limit);
        if !(self.is_of_project() && raises) {
            *limit = Sourced::new(Some(own), self.source());
        }
    }

    /// The names of the models that it and those beside it want beyond its own; of a session
    /// that goes on, only those that were wanted when it began.
    pub(crate) fn wanted(&self) -> Vec<String> {
        let mut wanted = BTreeSet::new();
        let skills = &self.agents.skills;
        for definition in self.members() {
            wanted.extend(definition.model.clone().filter(|_| definition != self.definition()));
            let known = definition.skills.iter().filter_map(|name| skills.get(name));
            wanted.extend(known.filter_map(|skill| skill.value.model.clone()));
        }
        let began = |name: &String| self.models.as_ref().is_none_or(|models| models.contains(name));
        wanted.into_iter().filter(began).collect()
    }

    /// It, and the agents that it may spawn.
    fn members(&self) -> impl Iterator<Item = &AgentDefinition> {
        let spawns = self.definition().allows(subagent::TOOL);
        let others = self.agents.definitions.iter().map(|(_, found)| &found.value);
        let others = others.filter(move |other| spawns && other.name != self.definition().name);
        std::iter::once(self.definition()).chain(others)
    }

    /// The folders of the user's own skills, to be read; those of a project lie in it.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let names: BTreeSet<_> = self.members().flat_map(|member| &member.skills).collect();
        let skills = names.into_iter().filter_map(|name| self.agents.skills.get(name));
        let own = skills.filter(|skill| skill.origin != Origin::Project);
        own.map(|skill| skill.value.folder().to_owned()).collect()
    }

    /// What the session shall remember of it.
    pub(crate) fn record(&self) -> RecordedAgent {
        let text = |path: &Path| path.to_str().map(str::to_owned);
        let wanted = self.models.clone().unwrap_or_else(|| self.wanted());
        RecordedAgent {
            name: self.definition().name.clone(),
            file: text(&self.found.file),
            origin: self.found.origin,
            dirs: self.dirs.iter().filter_map(|dir| text(dir)).collect(),
            models: wanted,
        }
    }
}
