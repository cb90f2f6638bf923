//! Makes an agent or a subagent of a definition.

use std::collections::BTreeSet;

use legwork_agent::{Builder, Subagent, subagent as spawning};
use legwork_definitions::{AgentDefinition, Found, Problems};
use serde_json::{Value, json};

use super::METADATA;
use super::parts::Parts;
use super::resolve::{self, Resolution, Role, resolve};
use crate::skills::{self, Skills};

/// Installs a definition on an agent, except its model.
pub(super) fn root(
    parts: &Parts,
    found: &Found<AgentDefinition>,
    builder: Builder,
) -> Result<Builder, Problems> {
    let definition = &found.value;
    let Resolution { capabilities, skills, problems } = resolve(parts, found, Role::Root);
    Problems::unless_right(problems)?;
    let mut builder = builder
        .id(definition.name.as_str())
        .instructions(definition.instructions.as_str())
        .budget(definition.limits.over(&parts.budget))
        .metadata(METADATA, metadata(definition))
        .tools(parts.tools.iter().cloned())
        .deny_tools(definition.denied_tools.iter())
        // Unknown names were reported when the definition was resolved.
        .known_tools(named(definition))
        .capabilities(capabilities);
    let servers = parts.servers.iter().filter(|server| definition.allows_server(&server.name()));
    builder = servers.cloned().fold(builder, Builder::toolset);
    if let Some(allowed) = allowed(definition, skills.as_ref()) {
        builder = builder.only_tools(allowed);
    }
    let mut models = BTreeSet::new();
    if let Some(skills) = skills {
        models.extend(models_of(&skills));
        builder = builder.capability(skills);
    }
    if definition.allows(spawning::TOOL) {
        for (subagent, wants) in others(parts, definition) {
            models.extend(wants);
            builder = builder.subagent(subagent);
        }
    }
    for name in models {
        builder = builder.further_model(resolve::model(parts, &name)?);
    }
    Ok(builder)
}

/// The subagents that it may spawn, each with the models that its skills require.
fn others(
    parts: &Parts,
    definition: &AgentDefinition,
) -> impl Iterator<Item = (Subagent, Vec<String>)> {
    let others = parts.agents.iter().filter(|(name, _)| *name != definition.name);
    others.filter_map(|(_, other)| child(parts, other).ok())
}

/// The models that skills require.
fn models_of(skills: &Skills) -> impl Iterator<Item = String> {
    skills.iter().filter_map(|skill| skill.model.clone())
}

/// A subagent of a definition.
pub(super) fn subagent(
    parts: &Parts,
    found: &Found<AgentDefinition>,
) -> Result<Subagent, Problems> {
    child(parts, found).map(|(subagent, _)| subagent)
}

/// A subagent of a definition, and the models that its parent needs for its skills.
pub(super) fn child(
    parts: &Parts,
    found: &Found<AgentDefinition>,
) -> Result<(Subagent, Vec<String>), Problems> {
    let definition = &found.value;
    let Resolution { capabilities, skills, problems } = resolve(parts, found, Role::Subagent);
    Problems::unless_right(problems)?;
    let mut subagent = Subagent::new(
        definition.name.as_str(),
        definition.description.as_str(),
        definition.instructions.as_str(),
    )
    .deny_tools(definition.denied_tools.iter())
    // It inherits the toolsets of its parent.
    .deny_toolsets(parts.server_names().filter(|server| !definition.allows_server(server)))
    .known_tools(named(definition))
    .metadata(METADATA, metadata(definition))
    .capabilities(capabilities);
    if definition.model.is_some()
        && let Some(model) = parts.model_of(definition, found)
    {
        subagent = subagent.model(model?);
    }
    if !definition.limits.is_empty() {
        subagent = subagent.budget(definition.limits.to_budget());
    }
    if let Some(allowed) = allowed(definition, skills.as_ref()) {
        subagent = subagent.only_tools(allowed);
    }
    Ok(match skills {
        // It needs the tool itself, because the parent may have no skills.
        Some(skills) => {
            let models = models_of(&skills).collect();
            (subagent.tools([skills.tool()]).capability(skills), models)
        }
        // It does not inherit the skills of its parent.
        None => (subagent.deny_tools([skills::TOOL]).known_tools([skills::TOOL]), Vec::new()),
    })
}

/// The names of its only tools; none = all. With skills, the tool that loads them is added.
fn allowed(definition: &AgentDefinition, skills: Option<&Skills>) -> Option<Vec<String>> {
    let mut allowed = definition.tools.clone()?;
    if skills.is_some() && !allowed.iter().any(|name| name == skills::TOOL) {
        allowed.push(skills::TOOL.to_owned());
    }
    Some(allowed)
}

/// The names of tools in its lists.
fn named(definition: &AgentDefinition) -> impl Iterator<Item = &String> {
    definition.tools.iter().flatten().chain(&definition.denied_tools)
}

fn metadata(definition: &AgentDefinition) -> Value {
    json!({"name": definition.name, "metadata": definition.metadata})
}
