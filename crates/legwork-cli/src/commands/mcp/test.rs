//! `legwork mcp test`: connects to a server, and lists its tools.

use std::io::{self, stderr};
use std::time::{Duration, Instant};

use legwork::agent::Control;
use legwork::core::Mask;
use legwork::mcp::Seen;
use serde_json::json;

use super::unknown;
use crate::args;
use crate::commands::tools::list::{first_sentence, in_short};
use crate::commands::{print, print_json, tell};
use crate::config::{Config, McpServer, Reach, Sourced};
use crate::display::text::one_line;
use crate::display::{Again, Human, Screen, Terminal, table};
use crate::error::Error;
use crate::exit::Exit;
use crate::leftover::Leftover;
use crate::mcp;
use crate::sandbox::{self, Place};
use crate::settings::Settings;
use crate::toolset;

pub(super) async fn test(args: &args::McpTest, config: &Config) -> Result<Exit, Error> {
    let args::Surroundings { dir, sandbox, network, allow_path } = args.around.clone();
    let around = args::Agent { dir, sandbox, network, allow_path, ..args::Agent::default() };
    let settings = Settings::shown(&around, config)?;
    let Some(server) = settings.mcp.get(&args.name) else {
        settings.warnings().iter().for_each(|warning| tell(&format!("warning: {warning}")));
        return Err(unknown(&args.name, settings.mcp.names()));
    };
    let human = Human::new(io::sink(), stderr(), Terminal::detect());
    let screen = Screen::new(human, Control::default(), Again::default());
    let workspace = toolset::workspace(&settings, |warning| screen.warn(&warning))?;
    let place = Place::new(workspace, &settings, &screen, &Leftover::default());
    let ready = mcp::ready(&args.name, server, &settings, &place).await?;
    let begun = Instant::now();
    // What it says may be what it was given.
    let mask = Mask::of(ready.secrets);
    let seen = ready.server.look().await.map_err(|error| {
        let message = format!("the MCP server {} does not work: {error}", args.name);
        let message = mask.text(&message).into_owned();
        let hint = hint(&settings, server);
        Error::Server { message, hint }
    })?;
    let took = begun.elapsed();
    if args.json {
        let shown = as_json(&args.name, &seen, took).to_string();
        return print_json(&format!("{}\n", mask.text(&shown)));
    }
    let is = seen.server.as_deref().map_or_else(String::new, |is| format!("{}, ", one_line(is)));
    let count = seen.tools.len();
    let mut text = format!(
        "{} works: {is}protocol {}, {count} tools, ready after {} ms\n",
        args.name,
        one_line(&seen.revision),
        took.as_millis()
    );
    let rows = seen.tools.iter().map(|spec| {
        let words = first_sentence(&spec.description);
        vec![spec.name.to_string(), in_short(spec.effect).to_owned(), words]
    });
    text += &table(&rows.collect::<Vec<_>>(), Terminal::detect().for_table());
    for problem in &seen.problems {
        text += &format!("{}\n", one_line(problem));
    }
    print(&mask.text(&text))
}

/// What it is; a program that sees too little is the usual reason.
fn hint(settings: &Settings, server: &Sourced<McpServer>) -> String {
    let is = format!("it is {} ({})", server.value.target(), server.source);
    match (&server.value.reach, settings.sandbox.value) {
        (Reach::Url { .. }, _) => {
            format!("{is}; if it asks for authorization, `legwork mcp login` logs in")
        }
        (_, args::Sandbox::Off) => is,
        _ => format!(
            "{is}, {}; --allow-path shows it more, --network lets it reach servers",
            sandbox::words(settings)
        ),
    }
}

fn as_json(name: &str, seen: &Seen, took: Duration) -> serde_json::Value {
    json!({
        "name": name,
        "took_ms": u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        "server": seen.server,
        "protocol": seen.revision,
        "instructions": seen.instructions,
        "tools": seen.tools,
        "problems": seen.problems,
    })
}
