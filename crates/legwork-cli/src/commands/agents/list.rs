//! `legwork agents list`: the agents that there are.

use serde_json::json;

use super::{here, of_file, problems, trust};
use crate::agents::whose;
use crate::args;
use crate::commands::{print, print_json, warn};
use crate::config::Config;
use crate::display::text::{count, one_line, visible};
use crate::display::{Terminal, table};
use crate::error::Error;
use crate::exit::Exit;

pub(super) fn list(args: &args::AgentsList, config: &Config) -> Result<Exit, Error> {
    let trust = trust(&args.around, config);
    let agents = here(&args.around, &trust);
    let problems = problems(&agents, &args.around, config);
    let all = agents.definitions.iter();
    if args.json {
        let lines = all.map(|(name, found)| {
            let overrides = found.overrides.iter().map(
                |(origin, file)| json!({"origin": whose(*origin), "file": file.to_string_lossy()}),
            );
            let line = json!({
                "name": name,
                "description": found.value.description,
                "origin": whose(found.origin),
                "file": found.file.to_string_lossy(),
                "left_out": trust.why(&found.file).is_some(),
                "overrides": overrides.collect::<Vec<_>>(),
                "problems": of_file(found, &problems).count(),
            });
            format!("{line}\n")
        });
        return print_json(&lines.collect::<String>());
    }
    let rows = all.map(|(name, found)| {
        let whose = whose(found.origin);
        let wrong = match of_file(found, &problems).count() {
            0 => String::new(),
            wrong => format!("({}) ", count(wrong as u64, "problem")),
        };
        let left = if trust.why(&found.file).is_some() { "(left out) " } else { "" };
        let about = format!("{left}{wrong}{}", one_line(&found.value.description));
        vec![visible(name).into_owned(), whose.to_owned(), about]
    });
    let text = table(&rows.collect::<Vec<_>>(), Terminal::detect().for_table());
    if text.is_empty() {
        print("no agents found: write one to .legwork/agents/NAME.md (see docs/agents.md)\n")?;
    } else {
        print(&text)?;
    }
    trust.warnings().into_iter().for_each(warn);
    if !problems.is_empty() {
        let problems = count(problems.len() as u64, "problem");
        warn(format!("{problems}: `legwork agents check` says which"));
    }
    Ok(Exit::Done)
}
