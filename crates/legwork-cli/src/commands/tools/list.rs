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
use crate::display::Terminal;
use crate::display::text::{at_spaces, clip, one_line};
use crate::error::Error;
use crate::exit::Exit;
use crate::leftover::Leftover;
use crate::web::Web;

/// Columns before the chain of a tool.
const INDENT: &str = "    ";

pub(super) fn list(args: &args::ToolsList, config: &Config) -> Result<Exit, Error> {
    let settings = settings(&args.around, args.approve, config)?;
    let tools = made(&settings, Web::shown(&settings)?, &Leftover::default())?;
    if args.json {
        return print_json(&tools.iter().map(line).collect::<String>());
    }
    let columns = Terminal::detect().columns;
    let wide = tools.iter().map(|tool| tool.spec().name.len()).max().unwrap_or(0);
    print(&tools.iter().map(|tool| rows(tool, wide, columns)).collect::<String>())
}

/// A tool in a row, and its chain in the rows below.
fn rows(tool: &Arc<dyn Tool>, wide: usize, columns: usize) -> String {
    let spec = tool.spec();
    let (name, effect) = (&spec.name, in_short(spec.effect));
    let does = first_sentence(&spec.description);
    let row = clip(&format!("{name:<wide$}  {effect:<12}  {does}"), columns).into_owned();
    let mut rows = vec![row];
    let chain = tool.chain();
    if let Some((source, decorators)) = chain.split_first() {
        let from = match **source == **name {
            true => Vec::new(),
            false => vec![format!("from {}", one_line(source))],
        };
        let through = decorators.iter().map(|label| one_line(label));
        let all: Vec<_> = from.into_iter().chain(through).collect();
        let options = at_spaces(columns).initial_indent(INDENT).subsequent_indent(INDENT);
        let all = all.join(" > ");
        let wrapped = textwrap::wrap(&all, options);
        rows.extend(wrapped.iter().map(|row| clip(row, columns).into_owned()));
    }
    rows.join("\n") + "\n"
}

/// A tool as a line of JSON: its spec, and the chain that it went through.
fn line(tool: &Arc<dyn Tool>) -> String {
    let spec = serde_json::to_value(&*tool.spec());
    let chain: Vec<_> = tool.chain().iter().map(|label| Value::from(&**label)).collect();
    let Ok(Value::Object(mut fields)) = spec else { return String::new() };
    fields.insert("chain".to_owned(), Value::from(chain));
    Value::Object(fields).to_string() + "\n"
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

#[cfg(test)]
mod tests;
