//! What there is to tell of an agent.

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_core::continuation::Kind;
use legwork_core::{AgentState, SessionId, ToolSpec};
use legwork_port::toolset::{self, Scope};
use legwork_port::{Cancellation, Emitter, Profile, Support};
use legwork_toolset::{Given, Owner, Toolbox};

use super::{
    Criterion, CriterionKind, Description, Hook, Instructions, Limits, Model, Named, Tool, secrets,
    words,
};
use crate::agent::{Agent, Inner};

/// How many lines of the system prompt are shown.
const LINES: usize = 3;
/// How many characters of a line are shown.
const LINE: usize = 100;

impl Agent {
    /// What it is: identity, model without its secrets, tools, hooks, criteria,
    /// capabilities, budget.
    ///
    /// Toolsets are opened, as for a new session, and closed again. Where the tools of one are
    /// not known, [`Description::tools_unknown`] says why, and all others are there.
    pub async fn describe(&self) -> Description {
        let inner = &*self.0;
        let (tools, tools_unknown) = tools(inner).await;
        let definition = &inner.setup.identity.definition;
        Description {
            id: self.id().to_string(),
            version: definition.version.clone(),
            definition: inner.setup.identity.digest.clone(),
            model: model(inner),
            other_models: inner
                .parts
                .builder
                .others
                .iter()
                .map(|model| model.name().into())
                .collect(),
            driver: inner.setup.driver.name().to_owned(),
            instructions: instructions(&definition.instructions),
            budget: Limits {
                words: words::limits(&definition.budget),
                numbers: definition.budget.clone(),
            },
            tools,
            tools_unknown,
            hooks: hooks(inner),
            criteria: criteria(inner),
            capabilities: capabilities(inner),
            subagents: subagents(inner),
        }
    }

    /// The tools that a model of a new session is shown, and why some are missing, if some are:
    /// what a source of tools said.
    ///
    /// Toolsets are opened, as for a new session, and closed again.
    pub async fn tools(&self) -> (Vec<Arc<ToolSpec>>, Option<String>) {
        specs(&self.0).await
    }
}

fn model(inner: &Inner) -> Model {
    let (settings, profile) =
        (&inner.setup.identity.definition.settings, inner.parts.builder.model.profile());
    Model {
        name: settings.model.to_string(),
        max_output: settings.max_output,
        temperature: settings.temperature,
        extra: secrets::hide(&settings.extra),
        context_window: profile.context_window,
        most_output: profile.max_output,
        prices: profile.prices.clone(),
        can: names(profile, Support::Yes),
        cannot: names(profile, Support::No),
    }
}

fn names(profile: &Profile, support: Support) -> Vec<String> {
    profile.abilities.that_are(support).map(|ability| ability.name().to_owned()).collect()
}

fn instructions(whole: &str) -> Instructions {
    let lines: Vec<_> = whole.lines().filter(|line| !line.trim().is_empty()).collect();
    let first_lines = lines.iter().take(LINES).map(|line| words::cut(line.trim_end(), LINE));
    Instructions {
        characters: whole.chars().count(),
        first_lines: first_lines.collect(),
        more_lines: lines.len().saturating_sub(LINES),
    }
}

async fn tools(inner: &Inner) -> (Vec<Tool>, Option<String>) {
    let (specs, problems) = specs(inner).await;
    let from = capabilities_of(inner);
    (specs.iter().map(|spec| tool(&from, spec)).collect(), problems)
}

/// The specs of the tools of a new session, and why some are missing.
async fn specs(inner: &Inner) -> (Vec<Arc<ToolSpec>>, Option<String>) {
    let services = &inner.setup.services;
    let session = SessionId::new("description");
    let events = Emitter::none(session.clone());
    let toolbox = Toolbox::new(Arc::clone(&services.toolsets), events);
    let scope = Scope::new(session.clone(), services.deps.clone(), Cancellation::new());
    toolbox.open(&scope).await;
    let all = toolbox.all(&AgentState::new(session)).await;
    let mut problems = toolbox.problems().await;
    problems.extend(all.err());
    let clock = &services.sessions.clock;
    toolbox.close(async { clock.sleep(toolset::CLOSE_LIMIT).await }).await;
    let specs = toolbox.known().iter().cloned().collect();
    (specs, (!problems.is_empty()).then(|| problems.join("; ")))
}

/// The capabilities that gave tools, by the names of these.
fn capabilities_of(inner: &Inner) -> BTreeMap<Arc<str>, Arc<str>> {
    let of = |given: &Given| match &given.owner {
        Owner::Capability(name) => Some((Arc::clone(&given.tool.spec().name), Arc::clone(name))),
        _ => None,
    };
    inner.parts.tools.iter().filter_map(of).collect()
}

fn tool(from: &BTreeMap<Arc<str>, Arc<str>>, spec: &Arc<ToolSpec>) -> Tool {
    let line = spec.description.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    Tool {
        name: spec.name.to_string(),
        about: line.trim().to_owned(),
        effect: spec.effect,
        mode: spec.mode,
        timeout: spec.timeout,
        from: from.get(&spec.name).map(ToString::to_string),
    }
}

fn hooks(inner: &Inner) -> Vec<Hook> {
    let mut hooks: Vec<_> = inner.parts.builder.hooks.iter().collect();
    hooks.sort_by_key(|hook| std::cmp::Reverse(hook.priority_of()));
    let described = |hook: &legwork_lifecycle::hooks::Hook| Hook {
        name: hook.name().to_owned(),
        priority: hook.priority_of(),
        triggers: hook.triggers().iter().map(|trigger| trigger.name().to_owned()).collect(),
        gate: hook.is_gate(),
        inherited: hook.is_inherited(),
        timeout: hook.timeout_of().map(Into::into),
    };
    hooks.into_iter().map(described).collect()
}

fn criteria(inner: &Inner) -> Vec<Criterion> {
    let described = |criterion: &Arc<dyn legwork_core::Criterion>| Criterion {
        name: criterion.name().to_owned(),
        kind: match criterion.kind() {
            Kind::Ordinary => CriterionKind::Ordinary,
            Kind::Limit => CriterionKind::Limit,
            Kind::Calls => CriterionKind::Calls,
        },
    };
    inner.setup.services.criteria.iter().map(described).collect()
}

fn capabilities(inner: &Inner) -> Vec<Named> {
    let all = inner.parts.builder.capabilities.iter();
    all.map(|one| Named { name: one.name().to_owned(), about: one.about().to_owned() }).collect()
}

fn subagents(inner: &Inner) -> Vec<Named> {
    let all = inner.parts.subagents.iter();
    all.map(|one| Named { name: one.name().into(), about: one.description().into() }).collect()
}
