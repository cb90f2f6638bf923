//! `legwork context`: what the agent reads before the first word.

use legwork::tools::Workspace;
use serde_json::{Value, json};

use super::tools::here;
use crate::args::{self, Surroundings};
use crate::commands::{print, print_json, warn};
use crate::config::Config;
use crate::context::tokens::{self, Precision, Tokens};
use crate::context::{self, Context};
use crate::display::text::{count, grouped, visible};
use crate::display::{self, Terminal};
use crate::error::Error;
use crate::exit::Exit;
use crate::settings::Settings;
use crate::toolset;
use crate::worker::instructions;

/// A part of what the agent reads.
struct Part {
    source: String,
    kind: &'static str,
    /// Lines of a file.
    lines: Option<u64>,
    tokens: u64,
}

pub(super) fn context(args: &args::Context, config: &Config) -> Result<Exit, Error> {
    let (dir, model) = (args.dir.clone(), args.model.clone());
    let flags = args::Agent { dir, model, ..args::Agent::default() };
    let settings = Settings::shown(&flags, config)?;
    let workspace = toolset::workspace(&settings, warn)?;
    let model = settings.model.value.clone();
    let context = Context::of(&settings.trust, context::home().as_deref());
    let warnings = settings.warnings();
    let parts = parts(args, config, &workspace, &context)?;
    let precision = Precision::of(&model);
    let exit = match args.json {
        true => print_json(&format!("{}\n", as_json(&parts, &context, &settings, precision))),
        false => print(&table(&parts, precision, Terminal::detect().columns)),
    }?;
    for warning in warnings.iter().chain(&context.warnings) {
        warn(warning.clone());
    }
    Ok(exit)
}

fn parts(
    args: &args::Context,
    config: &Config,
    workspace: &Workspace,
    context: &Context,
) -> Result<Vec<Part>, Error> {
    let own = instructions(workspace) + &context.heading();
    let own = Part {
        source: "the agent's own instructions".to_owned(),
        kind: "instructions",
        lines: None,
        tokens: tokens::count(&own),
    };
    let tools = here(&Surroundings { dir: args.dir.clone(), ..Surroundings::default() }, config)?;
    let specs: Vec<_> = tools.iter().map(|tool| tool.spec()).collect();
    let of_spec = |spec: &legwork::core::ToolSpec| {
        tokens::count(&format!("{}\n{}\n{}", spec.name, spec.description, spec.parameters))
    };
    let tools = Part {
        source: count(specs.len() as u64, "tool"),
        kind: "tools",
        lines: None,
        tokens: specs.iter().map(|spec| of_spec(spec)).sum(),
    };
    let files = context.files.iter().map(|file| Part {
        source: file.path.display().to_string(),
        kind: "file",
        lines: Some(file.text.lines().count() as u64),
        tokens: tokens::count(&file.section()),
    });
    Ok([own, tools].into_iter().chain(files).collect())
}

fn total(parts: &[Part]) -> u64 {
    parts.iter().map(|part| part.tokens).sum()
}

fn table(parts: &[Part], precision: Precision, most: usize) -> String {
    let shown = |count| Tokens { count, precision }.to_string();
    let total = shown(total(parts));
    let wide = total.chars().count().max("tokens".len());
    let row = |tokens: &str, lines: &str, source: &str| {
        let source = visible(source).into_owned();
        vec![format!("{tokens:>wide$}"), format!("{lines:>6}"), source]
    };
    let mut rows = vec![row("tokens", "lines", "source")];
    for part in parts {
        let lines = part.lines.map_or_else(String::new, grouped);
        rows.push(row(&shown(part.tokens), &lines, &part.source));
    }
    rows.push(row(&total, "", "in all, before the first word"));
    display::table(&rows, most)
}

fn as_json(parts: &[Part], context: &Context, settings: &Settings, precision: Precision) -> Value {
    let part = |part: &Part| {
        let (kind, source) = (part.kind, &part.source);
        json!({"kind": kind, "source": source, "lines": part.lines, "tokens": part.tokens})
    };
    let warnings = [settings.warnings(), context.warnings.clone()].concat();
    json!({
        "model": settings.model.value,
        "exact": precision == Precision::Exact,
        "total_tokens": total(parts),
        "parts": parts.iter().map(part).collect::<Vec<_>>(),
        "trust": settings.trust.as_json(),
        "warnings": warnings,
    })
}
