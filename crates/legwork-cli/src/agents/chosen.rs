//! The agent that was asked for, and what it decides of the settings.
//!
//! A project's agent came with a repository: like the project's `legwork.toml` it may say
//! which model works, and lower limits, and take tools away, and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use legwork::agent::subagent;
use legwork::definition::{AgentDefinition, Found, Origin};

use super::{Agents, Other};
use crate::args;
use crate::config::locate::shown;
use crate::config::{Limits, Source, Sourced};
use crate::error::Error;
use crate::recorded::RecordedAgent;
use crate::toolset;
use crate::trust::Trust;

/// The agent that was asked for, with those beside it.
#[derive(Debug, Clone)]
pub(crate) struct Chosen {
    pub(crate) found: Found<AgentDefinition>,
    pub(crate) agents: Agents,
    /// The models that its subagents and skills may want.
    pub(crate) others: Vec<Other>,
    /// Folders of agents that were given.
    dirs: Vec<PathBuf>,
    /// What the session was begun with, if it goes on.
    begun: Option<RecordedAgent>,
    /// Whose it is.
    whose: Whose,
}

/// Whose an agent is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    Person,
    /// It lies in the project, however it was named.
    Project,
}

impl Chosen {
    /// The agent of the flags, else the one that the session was begun with.
    ///
    /// # Errors
    /// When it is not there, or its file is wrong.
    pub(crate) fn of(
        flags: &args::Agent,
        recorded: Option<&RecordedAgent>,
        trust: &Trust,
    ) -> Result<Option<Self>, Error> {
        let absolute = |dir: &PathBuf| std::path::absolute(dir).unwrap_or_else(|_| dir.clone());
        let given: Vec<_> = flags.agents_dir.iter().map(absolute).collect();
        let others = Vec::new();
        if let Some(asked) = &flags.agent {
            let (agents, found) = Agents::named(asked, trust, &given)?;
            let whose = whose(&found, trust);
            return Ok(Some(Self { found, agents, others, dirs: given, begun: None, whose }));
        }
        let Some(recorded) = recorded else { return Ok(None) };
        let (agents, found) = Agents::recorded(recorded, trust, &given)?;
        let whose = whose(&found, trust);
        let begun = Some(recorded.clone());
        Ok(Some(Self { found, agents, others, dirs: given, begun, whose }))
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

    /// Whether it is the project's, and so only narrows what the person allows.
    pub(crate) fn is_of_project(&self) -> bool {
        self.whose == Whose::Project
    }

    /// What of the project is not used, for the person has an own of that name.
    pub(crate) fn passed_over(&self) -> Vec<String> {
        let name = &self.definition().name;
        let agent = of_project(&self.found).map(|file| {
            let file = shown(file);
            format!("the agent {name} is your own; --agent project:{name} is the one in {file}")
        });
        let names: BTreeSet<_> =
            self.members().flat_map(|(member, _)| &member.value.skills).collect();
        let skills = names.into_iter().filter_map(|name| {
            let file = shown(of_project(self.agents.skills.get(name)?)?);
            Some(format!("the skill {name} is your own; the one in {file} is not used"))
        });
        agent.into_iter().chain(skills).collect()
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

    /// Whether it has the tools of an MCP server: one that its file names, and named when the
    /// session was begun.
    pub(crate) fn allows_server(&self, server: &str) -> bool {
        let begun = self.begun.as_ref().and_then(|begun| begun.mcp.as_ref());
        self.definition().allows_server(server)
            && begun.is_none_or(|servers| servers.iter().any(|name| name == server))
    }

    /// Sets the limits that it has: flags go before, and a project's agent only lowers.
    pub(crate) fn limit(&self, limits: &mut Limits) {
        let own = &self.definition().limits;
        self.set(&mut limits.steps, own.steps);
        self.set(&mut limits.tool_calls, own.tool_calls);
        self.set(&mut limits.tokens, own.tokens);
        self.set(&mut limits.input_tokens, own.input_tokens);
        self.set(&mut limits.output_tokens, own.output_tokens);
        self.set(&mut limits.usd, own.usd);
        self.set(&mut limits.time, own.time.map(Duration::from));
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
        self.wanted_of().into_iter().map(|(name, _)| name).collect()
    }

    /// The same, each with whether only the project wants it.
    pub(crate) fn wanted_of(&self) -> Vec<(String, bool)> {
        let mut wanted = BTreeMap::new();
        let mut want = |name: &Option<String>, whose: Whose| {
            let Some(name) = name else { return };
            let of_project = wanted.entry(name.clone()).or_insert(true);
            *of_project &= whose == Whose::Project;
        };
        for (found, whose) in self.members() {
            let definition = &found.value;
            if definition != self.definition() {
                want(&definition.model, whose);
            }
            let skills = definition.skills.iter().filter_map(|name| self.agents.skills.get(name));
            for skill in skills {
                let of_project = skill.origin == Origin::Project;
                let whose = if of_project { Whose::Project } else { Whose::Person };
                want(&skill.value.model, whose);
            }
        }
        let began = |(name, _): &(String, bool)| {
            self.begun.as_ref().is_none_or(|begun| begun.models.contains(name))
        };
        wanted.into_iter().filter(began).collect()
    }

    /// It, and the agents that it may spawn.
    fn members(&self) -> impl Iterator<Item = (&Found<AgentDefinition>, Whose)> {
        let spawns = self.definition().allows(subagent::TOOL);
        let others = self.agents.definitions.iter().map(|(_, found)| found);
        let others =
            others.filter(move |other| spawns && other.value.name != self.definition().name);
        let others = others.map(|other| match other.origin {
            Origin::Project => (other, Whose::Project),
            _ => (other, Whose::Person),
        });
        std::iter::once((&self.found, self.whose)).chain(others)
    }

    /// The folders of the user's own skills, to be read; those of a project lie in it.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let names: BTreeSet<_> =
            self.members().flat_map(|(member, _)| &member.value.skills).collect();
        let skills = names.into_iter().filter_map(|name| self.agents.skills.get(name));
        let own = skills.filter(|skill| skill.origin != Origin::Project);
        own.map(|skill| skill.value.folder().to_owned()).collect()
    }

    /// What the session shall remember of it.
    pub(crate) fn record(&self) -> RecordedAgent {
        let text = |path: &Path| path.to_str().map(str::to_owned);
        let (models, mcp) = match &self.begun {
            Some(begun) => (begun.models.clone(), begun.mcp.clone()),
            None => (self.wanted(), self.definition().mcp.clone()),
        };
        RecordedAgent {
            name: self.definition().name.clone(),
            file: text(&self.found.file),
            origin: self.found.origin,
            dirs: self.dirs.iter().filter_map(|dir| text(dir)).collect(),
            models,
            mcp,
        }
    }
}

/// Whose an agent is: one that lies in the project is the project's, unless it lies where the
/// user's own are.
fn whose(found: &Found<AgentDefinition>, trust: &Trust) -> Whose {
    match found.origin {
        Origin::User => Whose::Person,
        Origin::Project => Whose::Project,
        Origin::Given if trust.has(&found.file) => Whose::Project,
        Origin::Given => Whose::Person,
    }
}

/// The project's file of the same name.
fn of_project<T>(found: &Found<T>) -> Option<&Path> {
    let file = found.overrides.iter().find(|(origin, _)| *origin == Origin::Project);
    file.map(|(_, file)| file.as_path())
}
