//! Looks up the names in a definition.

use std::collections::BTreeSet;
use std::sync::Arc;

use legwork_agent::{Capability, subagent};
use legwork_definitions::{AgentDefinition, Found, Problem, line_of};
use legwork_port::Model;

use super::parts::Parts;
use crate::skills::prompt::instead;
use crate::skills::{self, Skills};

/// The role of the agent to build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// An agent that a program runs.
    Root,
    /// A subagent, which may have tools of its parent.
    Subagent,
}

/// What the names in a definition refer to, and the problems with them.
pub(super) struct Resolution {
    pub(super) capabilities: Vec<Arc<dyn Capability>>,
    pub(super) skills: Option<Skills>,
    pub(super) problems: Vec<Problem>,
}

/// Looks up all names in a definition, except that of its model.
pub(super) fn resolve(parts: &Parts, found: &Found<AgentDefinition>, role: Role) -> Resolution {
    let definition = &found.value;
    let mut problems = Vec::new();
    let capabilities = capabilities(parts, definition, &mut problems);
    tools(parts, definition, role, &mut problems);
    servers(parts, definition, &mut problems);
    let mut skills = None;
    if !definition.skills.is_empty() {
        let known = named_skills(parts, definition, &mut problems);
        skills = Some(known).filter(|known| !known.is_empty());
    }
    // Problems with skills already have the file of the skill.
    let problems = problems.into_iter().map(|problem| match problem.file {
        Some(_) => problem,
        None => {
            let line = problem.field.as_deref().and_then(|field| line_of(&found.file, field));
            problem.in_file(&found.file).on_line(line)
        }
    });
    Resolution { capabilities, skills, problems: problems.collect() }
}

/// The model of a name.
pub(super) fn model(parts: &Parts, name: &str) -> Result<Arc<dyn Model>, Problem> {
    let made = match &parts.models {
        Some(models) => models(name),
        None => Err("no models are given".to_owned()),
    };
    made.map_err(|why| {
        let message = format!("`{name}` cannot be used: {why}");
        Problem::new(message, "set it up, or name another one")
    })
}

fn capabilities(
    parts: &Parts,
    definition: &AgentDefinition,
    problems: &mut Vec<Problem>,
) -> Vec<Arc<dyn Capability>> {
    let mut made = Vec::new();
    for (at, wanted) in definition.capabilities.iter().enumerate() {
        let capability = match &parts.capabilities {
            Some(make) => make(&wanted.name, wanted.settings.as_ref()),
            None => Err("no capabilities are given".to_owned()),
        };
        match capability {
            Ok(capability) => made.push(capability),
            Err(why) => {
                let message = format!("`{}` cannot be installed: {why}", wanted.name);
                let problem = Problem::new(message, "correct it, or remove it");
                problems.push(problem.on_field(&format!("capabilities[{at}]")));
            }
        }
    }
    made
}

/// Adds a problem for each unknown tool.
fn tools(parts: &Parts, definition: &AgentDefinition, role: Role, problems: &mut Vec<Problem>) {
    let specs: Vec<_> = parts.tools.iter().map(|tool| tool.spec()).collect();
    let mut known: Vec<&str> = specs.iter().map(|spec| &*spec.name).collect();
    known.extend([skills::TOOL, subagent::TOOL]);
    known.extend(parts.known_tools.iter().map(String::as_str));
    let allowed = definition.tools.iter().flatten().enumerate();
    let allowed = allowed.map(|(at, name)| (format!("tools[{at}]"), name));
    let denied = definition.denied_tools.iter().enumerate();
    let denied = denied.map(|(at, name)| (format!("denied_tools[{at}]"), name));
    for (field, name) in allowed.chain(denied).filter(|(_, name)| !known.contains(&name.as_str())) {
        let mend = instead(name, &known, "tools");
        let problem = Problem::new(format!("there is no tool `{name}`"), mend).on_field(&field);
        // A capability or the parent may have it.
        let may_come = !definition.capabilities.is_empty()
            || (role == Role::Subagent && parts.tools.is_empty());
        problems.push(if may_come { problem.warning() } else { problem });
    }
}

/// Adds a problem for each unknown MCP server.
fn servers(parts: &Parts, definition: &AgentDefinition, problems: &mut Vec<Problem>) {
    let known: BTreeSet<_> = parts.server_names().collect();
    for (at, name) in definition.mcp.iter().flatten().enumerate() {
        if !known.contains(name) {
            let known: Vec<_> = known.iter().map(String::as_str).collect();
            let mend = instead(name, &known, "MCP servers");
            let problem = Problem::new(format!("there is no MCP server `{name}`"), mend);
            problems.push(problem.on_field(&format!("mcp[{at}]")));
        }
    }
}

fn named_skills(
    parts: &Parts,
    definition: &AgentDefinition,
    problems: &mut Vec<Problem>,
) -> Skills {
    let names = definition.skills.iter().map(String::as_str);
    for (at, name) in definition.skills.iter().enumerate() {
        if parts.skills.get(name).is_none() {
            problems.push(skills::unknown(name, &parts.skills).on_field(&format!("skills[{at}]")));
        }
    }
    let there = names.filter(|name| parts.skills.get(name).is_some());
    let skills = Skills::named(&parts.skills, there);
    problems.extend(skills.problems().iter().cloned());
    for skill in skills.iter() {
        let Some(name) = &skill.model else { continue };
        if let Err(problem) = model(parts, name) {
            problems.push(problem.on_field("model").in_file(&skill.file()));
        }
    }
    if definition.denied_tools.iter().any(|name| name == skills::TOOL) {
        let message = format!("its skills cannot be loaded, because `{}` is denied", skills::TOOL);
        let mend = "remove one of the two";
        problems.push(Problem::new(message, mend).on_field("skills").warning());
    }
    skills
}
