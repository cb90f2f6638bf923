//! `legwork tools show`: what a tool does and takes.

use std::borrow::Cow;
use std::time::Duration;

use legwork::core::tool::ExecutionMode;
use legwork::core::{EffectClass, OnDoubt, ToolSpec};

use super::here;
use super::parameters::parameters;
use crate::args;
use crate::commands::{print, print_json};
use crate::config::Config;
use crate::display::Terminal;
use crate::display::text::{at_spaces, time, visible};
use crate::error::Error;
use crate::exit::Exit;
use crate::toolset::named;

/// Columns beyond which lines are hard to read.
const WIDEST: usize = 80;

pub(super) fn show(args: &args::ToolsShow, config: &Config) -> Result<Exit, Error> {
    let tools = here(&args.around, config)?;
    let spec = named(&tools, &args.name)?.spec();
    if args.json {
        return print_json(&(serde_json::to_string(&*spec).unwrap_or_default() + "\n"));
    }
    print(&page(&spec, Terminal::detect().columns.min(WIDEST)))
}

fn page(spec: &ToolSpec, most: usize) -> String {
    let mut lines = vec![spec.name.to_string(), String::new()];
    lines.extend(wrapped(&spec.description, most, ""));
    let parameters = parameters(&spec.parameters);
    if !parameters.is_empty() {
        lines.extend([String::new(), "arguments".to_owned()]);
    }
    for parameter in parameters {
        lines.push(format!("  {}  ({})", parameter.name, parameter.kind));
        lines.extend(wrapped(&parameter.description, most, "      "));
    }
    lines.push(String::new());
    for (name, words) in facts(spec) {
        let indent = " ".repeat(10);
        let mut of_fact = wrapped(&words, most, &indent).into_iter();
        let first = of_fact.next().unwrap_or_default();
        lines.push(format!("{name:<10}{}", first.trim_start()));
        lines.extend(of_fact);
    }
    let text = lines.join("\n") + "\n";
    visible(&text).into_owned()
}

/// What else is to be known of it.
fn facts(spec: &ToolSpec) -> Vec<(&'static str, String)> {
    let effect = match spec.effect {
        EffectClass::ReadOnly => "changes nothing; cut off by a crash, it runs again",
        EffectClass::Idempotent => "takes a key; cut off by a crash, it runs again with the same",
        EffectClass::Once(OnDoubt::Ask) => {
            "must not happen twice; cut off by a crash, a person is asked (--on-doubt)"
        }
        EffectClass::Once(OnDoubt::Tell) => {
            "must not happen twice; cut off by a crash, the model is told so"
        }
    };
    let mode = match spec.mode {
        ExecutionMode::Sequential => "alone: other calls of a turn wait for it",
        ExecutionMode::ParallelOrdered | ExecutionMode::ParallelUnordered => {
            "beside other calls of a turn"
        }
    };
    let mut facts = vec![("effect", effect.to_owned()), ("runs", mode.to_owned())];
    if let Some(limit) = spec.timeout {
        facts.push(("timeout", time(Duration::from(limit))));
    }
    if let Some(argument) = &spec.resource {
        facts.push(("resource", format!("calls with the same `{argument}` run one by one")));
    }
    facts
}

/// The text in lines of so many columns, each with an indent; breaks in it stay.
fn wrapped(text: &str, most: usize, indent: &str) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    let options = at_spaces(most).initial_indent(indent).subsequent_indent(indent);
    textwrap::wrap(text.trim_end(), options).into_iter().map(Cow::into_owned).collect()
}

#[cfg(test)]
mod tests;
