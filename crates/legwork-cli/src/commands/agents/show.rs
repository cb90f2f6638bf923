//! `legwork agents show`: what an agent says, and what it comes to.

use legwork::agent::describe::limits;
use legwork::agent::subagent;
use legwork::definition::{AgentDefinition, Found};
use serde_json::{Value, json};

use super::{of_file, problems, trust};
use crate::agents::{Agents, Chosen, whose};
use crate::args;
use crate::commands::{print, print_data, print_json, warn};
use crate::config::Config;
use crate::config::locate::shown;
use crate::display::Terminal;
use crate::display::text::{one_line, visible, wrapped};
use crate::error::Error;
use crate::exit::Exit;
use crate::settings::Settings;

/// Columns beyond which lines are hard to read.
const WIDEST: usize = 100;
/// Columns before what is said of a fact.
const INDENT: usize = 14;

pub(super) fn show(args: &args::AgentsShow, config: &Config) -> Result<Exit, Error> {
    let around = &args.around;
    let trust = trust(around, config);
    let looked_at = trust.clone().looked_at();
    let (agents, found) = Agents::named(&args.name, &looked_at, &around.agents_dir)?;
    if args.markdown {
        let text = found.value.to_markdown();
        let text = text.map_err(|problems| Error::usage(problems.to_string(), "see --json"))?;
        return match Terminal::detect().out {
            true => print(&text),
            false => print_data(&text),
        };
    }
    let flags = args::Agent {
        agent: Some(args.name.clone()),
        agents_dir: around.agents_dir.clone(),
        dir: around.dir.clone(),
        // It is only looked at.
        trust: true,
        ..args::Agent::default()
    };
    let settings = Settings::shown(&flags, config)?;
    let printed = match args.json {
        true => print_json(&format!("{}\n", as_json(&agents, &found, &settings))),
        false => print(&page(&agents, &found, &settings)),
    };
    if trust.why(&found.file).is_some() {
        trust.warnings().into_iter().for_each(warn);
    }
    settings.warnings().into_iter().for_each(warn);
    for problem in of_file(&found, &problems(&agents, around, config)) {
        warn(problem.to_string());
    }
    printed
}

/// The agents that it may spawn.
fn subagents<'a>(agents: &'a Agents, definition: &AgentDefinition) -> Vec<&'a str> {
    if !definition.allows(subagent::TOOL) {
        return Vec::new();
    }
    let names = agents.definitions.iter().map(|(name, _)| name);
    names.filter(|name| *name != definition.name).collect()
}

/// The MCP servers whose tools it has.
fn servers(settings: &Settings) -> Vec<&str> {
    settings.mcp.of_agent(settings.agent.as_ref()).map(|(name, _)| name).collect()
}

fn page(agents: &Agents, found: &Found<AgentDefinition>, settings: &Settings) -> String {
    let definition = &found.value;
    let most = Terminal::detect().columns.min(WIDEST);
    let mut text = format!("{}\n\n", definition.name);
    text.push_str(&wrapped(&one_line(&definition.description), most, 0));
    text.push_str("\n\n");
    let mut fact = |name: &str, said: &str| {
        if !said.is_empty() {
            let lines = wrapped(said, most.saturating_sub(INDENT), 0);
            let lines = lines.replace('\n', &format!("\n{:INDENT$}", ""));
            text.push_str(&format!("{name:<INDENT$}{lines}\n"));
        }
    };
    fact("file", &format!("{} ({})", shown(&found.file), whose(found.origin)));
    let over: Vec<_> = found.overrides.iter().map(|(_, file)| shown(file)).collect();
    fact("in place of", &over.join(", "));
    fact("model", &format!("{} ({})", settings.model.value, settings.model.source));
    let tools = settings.tools.clone().unwrap_or_default();
    let tools = if tools.is_empty() { "none".to_owned() } else { tools.join(", ") };
    fact("tools", &tools);
    fact("denied", &definition.denied_tools.join(", "));
    let servers = servers(settings);
    let none = servers.is_empty() && definition.mcp.is_some();
    fact("mcp", &if none { "none".to_owned() } else { servers.join(", ") });
    fact("skills", &definition.skills.join(", "));
    fact("subagents", &subagents(agents, definition).join(", "));
    fact("limits", &limits(&settings.budget()).join(", "));
    let lines = definition.instructions.trim_end();
    if !lines.is_empty() {
        text.push_str(&format!("\ninstructions\n\n{lines}\n"));
    }
    visible(&text).into_owned()
}

fn as_json(agents: &Agents, found: &Found<AgentDefinition>, settings: &Settings) -> Value {
    let definition = &found.value;
    let overrides = found
        .overrides
        .iter()
        .map(|(origin, file)| json!({"origin": whose(*origin), "file": file.to_string_lossy()}));
    let model = &settings.model;
    let definition_json = definition.to_json().ok();
    let whole: Option<Value> = definition_json.and_then(|text| serde_json::from_str(&text).ok());
    json!({
        "name": definition.name,
        "origin": whose(found.origin),
        "file": found.file.to_string_lossy(),
        "overrides": overrides.collect::<Vec<_>>(),
        "definition": whole,
        "model": {"value": model.value, "source": model.source.name()},
        "tools": settings.tools,
        "mcp": servers(settings),
        "other_models": settings.agent.as_ref().map(Chosen::wanted),
        "subagents": subagents(agents, definition),
        "budget": settings.budget(),
    })
}
