//! `legwork tools list`: the tools with the first sentence of what they do.

use legwork::core::EffectClass;

use super::here;
use crate::args;
use crate::commands::{print, print_json};
use crate::config::Config;
use crate::display::Terminal;
use crate::display::text::{clip, one_line};
use crate::error::Error;
use crate::exit::Exit;

pub(super) fn list(args: &args::ToolsList, config: &Config) -> Result<Exit, Error> {
    let tools = here(&args.around, config)?;
    let specs: Vec<_> = tools.iter().map(|tool| tool.spec()).collect();
    if args.json {
        let lines = specs.iter().filter_map(|spec| serde_json::to_string(&**spec).ok());
        return print_json(&lines.map(|line| line + "\n").collect::<String>());
    }
    let columns = Terminal::detect().columns;
    let wide = specs.iter().map(|spec| spec.name.len()).max().unwrap_or(0);
    let lines = specs.iter().map(|spec| {
        let (name, effect) = (&spec.name, in_short(spec.effect));
        let does = first_sentence(&spec.description);
        clip(&format!("{name:<wide$}  {effect:<12}  {does}"), columns).into_owned() + "\n"
    });
    print(&lines.collect::<String>())
}

fn in_short(effect: EffectClass) -> &'static str {
    match effect {
        EffectClass::ReadOnly => "read-only",
        EffectClass::Idempotent => "idempotent",
        EffectClass::Once(_) => "side effects",
    }
}

fn first_sentence(text: &str) -> String {
    let end = text.find(". ").map_or(text.len(), |at| at + 1);
    one_line(text.get(..end).unwrap_or(text))
}
