//! `legwork mcp list`: the servers, with where each was said.

use serde_json::{Map, Value, json};

use crate::args;
use crate::commands::{print, print_json, tell};
use crate::config::{Config, McpServer, Sourced};
use crate::display::text::one_line;
use crate::display::{Terminal, table};
use crate::error::Error;
use crate::exit::Exit;
use crate::settings::Settings;

pub(super) fn list(args: &args::McpList, config: &Config) -> Result<Exit, Error> {
    let around = args::Agent { dir: args.dir.clone(), ..args::Agent::default() };
    let settings = Settings::shown(&around, config)?;
    for warning in settings.warnings() {
        tell(&format!("warning: {warning}"));
    }
    if args.json {
        let lines = settings.mcp.all.iter().map(|(name, server)| line(name, server));
        return print_json(&lines.collect::<String>());
    }
    if settings.mcp.all.is_empty() {
        return print("no MCP server is set: `legwork mcp add` adds one\n");
    }
    let rows: Vec<_> = settings.mcp.all.iter().map(|(name, server)| row(name, server)).collect();
    print(&table(&rows, Terminal::detect().for_table()))
}

fn row(name: &str, server: &Sourced<McpServer>) -> Vec<String> {
    let trusted = if server.value.trusted { "trusted" } else { "" };
    let target = one_line(&server.value.target());
    vec![name.to_owned(), trusted.to_owned(), format!("{target}\n{}", server.source)]
}

fn line(name: &str, server: &Sourced<McpServer>) -> String {
    let listed = server.value.listed().into_iter();
    let mut fields: Map<String, Value> =
        listed.map(|(key, value)| (key.to_owned(), value)).collect();
    fields.insert("name".to_owned(), json!(name));
    fields.insert("source".to_owned(), json!(server.source.name()));
    let line = server.source.line();
    fields.extend(line.map(|line| ("line".to_owned(), json!(line.to_string()))));
    Value::Object(fields).to_string() + "\n"
}
