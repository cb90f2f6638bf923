//! `legwork tools call`: runs a tool by hand.

use std::borrow::Cow;
use std::fs;
use std::io::{self, Read as _, stdin};
use std::sync::Arc;
use std::time::{Duration, Instant};

use legwork::agent::toolset;
use legwork::core::tool::FailureKind;
use legwork::core::{AgentState, EffectKey, Seq, SessionId, ToolCall, ToolOutcome, ToolSpec};
use legwork::port::{Cancellation, Tool, ToolContext};
use legwork::web::search;
use serde_json::{Value, json};

use super::{made, settings};
use crate::args;
use crate::commands::{print_data, print_json, tell};
use crate::config::Config;
use crate::display::Terminal;
use crate::display::text::visible;
use crate::error::Error;
use crate::exit::Exit;
use crate::leftover::Leftover;
use crate::signals::Signals;
use crate::toolset::named;
use crate::web::Web;

pub(super) async fn call(args: args::ToolsCall, config: &Config) -> Result<Exit, Error> {
    let leftover = Leftover::default();
    let settings = settings(&args.around, None, config)?;
    let web = match args.name == search::TOOL {
        true => Web::ready(&settings).await?,
        false => Web::shown(&settings)?,
    };
    let tools = made(&settings, web, &leftover)?;
    let called = Arc::clone(named(&tools, &args.name)?);
    let spec = called.spec();
    let call = ToolCall::new("by-hand", Arc::clone(&spec.name), given(&args.arguments)?);
    check(&spec, &call)?;
    let mut signals = Signals::listen()?;
    let began = Instant::now();
    let outcome = tokio::select! {
        outcome = run(&*called, &spec, &call) => outcome,
        _ = signals.next() => {
            // Whether anybody reads standard error changes nothing.
            tell(&format!("interrupted: {} was ended", spec.name));
            return Ok(Exit::Interrupted);
        }
    };
    for ended in leftover.end().await {
        // Whether anybody reads standard error changes nothing.
        tell(&format!("{}", visible(&ended.to_string())));
    }
    match args.json {
        true => as_json(&spec, &outcome, began.elapsed())?,
        false => as_text(&outcome)?,
    };
    Ok(match outcome {
        ToolOutcome::Ok(_) => Exit::Done,
        ToolOutcome::Failed(FailureKind::InvalidArguments, _) => Exit::Usage,
        _ => Exit::Failed,
    })
}

/// The arguments: as typed, from standard input, or from a file.
fn given(typed: &str) -> Result<String, Error> {
    let (bytes, whence) = match typed.strip_prefix('@') {
        Some(path) => {
            let read = fs::read(path);
            let wrong = |error: io::Error| {
                let message = format!("the arguments cannot be read from {path}: {error}");
                Error::usage(message, "name a file with a JSON object as @FILE")
            };
            (read.map_err(wrong)?, path)
        }
        None if typed == "-" => {
            let mut bytes = Vec::new();
            let read = stdin().lock().read_to_end(&mut bytes);
            read.map_err(|source| Error::System { doing: "reading the arguments", source })?;
            (bytes, "standard input")
        }
        None => return Ok(typed.to_owned()),
    };
    String::from_utf8(bytes).map_err(|_| {
        let message = format!("the arguments from {whence} are not UTF-8");
        Error::usage(message, "JSON is UTF-8: bring it into that first, with `iconv -t UTF-8`")
    })
}

/// Checks the arguments as the agent does, and says what it would tell the model.
fn check(spec: &ToolSpec, call: &ToolCall) -> Result<(), Error> {
    let wrong = |problem: String| {
        let hint = format!("see what it takes with `legwork tools show {}`", spec.name);
        Error::usage(problem, hint)
    };
    let parsed = call.parse();
    let arguments =
        parsed.map_err(|error| wrong(format!("The arguments are not JSON: {error}.")))?;
    toolset::fits(spec, &arguments).map_err(wrong)
}

fn state() -> AgentState {
    AgentState::new(SessionId::new("by-hand"))
}

/// Runs it within its time limit; dropping this ends it.
async fn run(tool: &dyn Tool, spec: &ToolSpec, call: &ToolCall) -> ToolOutcome {
    let state = state();
    let key = EffectKey { session: state.session().clone(), entry: Seq::ZERO, index: 0 };
    let cancel = Cancellation::new();
    let context = ToolContext::new(state, key, cancel);
    let running = tool.call(call, &context);
    let Some(limit) = spec.timeout else { return running.await };
    tokio::time::timeout(Duration::from(limit), running).await.unwrap_or_else(|_| {
        let message = format!("It ran longer than its limit of {limit} and was ended.");
        ToolOutcome::Failed(FailureKind::Timeout, message)
    })
}

fn as_json(spec: &ToolSpec, outcome: &ToolOutcome, took: Duration) -> Result<Exit, Error> {
    let result = outcome.as_value().map(Cow::into_owned);
    let result = result.unwrap_or_else(|| Value::from(outcome.to_text()));
    let took = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    let name = name(outcome);
    let line = json!({"tool": &*spec.name, "outcome": name, "result": result, "took_ms": took});
    print_json(&format!("{line}\n"))
}

/// The name of an outcome, for programs.
fn name(outcome: &ToolOutcome) -> &'static str {
    match outcome {
        ToolOutcome::Ok(_) => "ok",
        ToolOutcome::Retry(_) => "retry",
        ToolOutcome::Failed(..) => "failed",
        ToolOutcome::Blocked { .. } => "blocked",
        ToolOutcome::Denied { .. } => "denied",
        ToolOutcome::Deferred(_) => "deferred",
        ToolOutcome::NeedsApproval(_) => "needs_approval",
        ToolOutcome::NeedsInput(_) => "needs_input",
        ToolOutcome::Finished(_) => "finished",
        ToolOutcome::Stopped(_) => "stopped",
        ToolOutcome::Interrupted => "interrupted",
        ToolOutcome::Skipped(_) => "skipped",
        ToolOutcome::Withdrawn => "withdrawn",
        _ => "other",
    }
}

fn as_text(outcome: &ToolOutcome) -> Result<Exit, Error> {
    if !outcome.is_ok() {
        // Whether anybody reads standard error changes nothing.
        tell(&format!("error: {}", visible(&outcome.to_text())));
        return Ok(Exit::Failed);
    }
    let text = match outcome.as_value().as_deref() {
        None | Some(Value::String(_)) => outcome.to_text(),
        Some(value) => serde_json::to_string_pretty(value).unwrap_or_default(),
    };
    let text = match Terminal::detect().out {
        true => visible(&text),
        false => Cow::Borrowed(&*text),
    };
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    print_data(&format!("{text}{end}"))
}
