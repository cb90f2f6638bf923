//! `legwork tools list`: the tools with the first sentence of what they do, and what they went
//! through.

use std::sync::Arc;

use legwork::core::EffectClass;
use legwork::port::Tool;
use serde_json::Value;

use super::{made, settings};
use crate::args;
use crate::commands::{print, print_json};
use crate::config::Config;
use crate::display::text::one_line;
use crate::display::{Terminal, table};
use crate::error::Error;
use crate::exit::Exit;
use crate::leftover::Leftover;
use crate::web::Web;

pub(super) fn list(args: &args::ToolsList, config: &Config) -> Result<Exit, Error> {
    let settings = settings(&args.around, args.approve.clone(), config)?;
    let tools = made(&settings, Web::shown(&settings)?, &Leftover::default())?;
    if args.json {
        return print_json(&tools.iter().map(line).collect::<String>());
    }
    let rows: Vec<_> = tools.iter().map(row).collect();
    print(&table(&rows, Terminal::detect().for_table()))
}

/// A tool in a row, and its chain below.
fn row(tool: &Arc<dyn Tool>) -> Vec<String> {
    let spec = tool.spec();
    let mut last = first_sentence(&spec.description);
    let chain = tool.chain();
    if let Some((source, decorators)) = chain.split_first() {
        let from = match **source == *spec.name {
            true => None,
            false => Some(format!("from {}", one_line(source))),
        };
        let through = decorators.iter().map(|label| one_line(label));
        let all: Vec<_> = from.into_iter().chain(through).collect();
        if !all.is_empty() {
            last = format!("{last}\n{}", all.join(" > "));
        }
    }
    vec![spec.name.to_string(), in_short(spec.effect).to_owned(), last]
}

/// A tool as a line of JSON: its spec, and the chain that it went through.
fn line(tool: &Arc<dyn Tool>) -> String {
    let spec = serde_json::to_value(&*tool.spec());
    let chain: Vec<_> = tool.chain().iter().map(|label| Value::from(&**label)).collect();
    let Ok(Value::Object(mut fields)) = spec else { return String::new() };
    fields.insert("chain".to_owned(), Value::from(chain));
    Value::Object(fields).to_string() + "\n"
}

pub(in crate::commands) fn in_short(effect: EffectClass) -> &'static str {
    match effect {
        EffectClass::ReadOnly => "read-only",
        EffectClass::Idempotent => "idempotent",
        EffectClass::Once(_) => "side effects",
    }
}

pub(in crate::commands) fn first_sentence(text: &str) -> String {
    let end = text.find(". ").map_or(text.len(), |at| at + 1);
    one_line(text.get(..end).unwrap_or(text))
}

#[cfg(test)]
mod tests;
