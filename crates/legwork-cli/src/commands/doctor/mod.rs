//! `legwork doctor`: what works on this machine, and why the rest does not.

mod check;
mod confinement;
mod model;
mod promises;
mod store;
mod surroundings;

use std::path::{Path, PathBuf};

use legwork::port::Sandbox as _;
use legwork::tools::sandbox::Auto;
use legwork::tools::{Environment, Workspace};
use serde::Serialize;

use self::check::{Check, State};
use crate::args;
use crate::commands::{print, print_json, warn};
use crate::config::Config;
use crate::display::Terminal;
use crate::display::text::{visible, wrapped};
use crate::error::Error;
use crate::exit::Exit;
use crate::sandbox::policy;
use crate::settings::Settings;
use crate::store_address::StoreAddress;
use crate::toolset;

/// Columns below which what was found begins on a line of its own.
const NARROW: usize = 60;

/// What was found.
#[derive(Debug, Serialize)]
struct Report {
    r#type: &'static str,
    /// Whether commands can run, confined, the store works, and the model if it was asked.
    ok: bool,
    /// The sandbox that `--sandbox auto` takes; none if none works.
    sandbox: Option<String>,
    /// What that sandbox does not hold.
    gaps: Vec<String>,
    checks: Vec<Check>,
}

/// Looks at everything, also where the settings cannot be used.
pub(crate) fn doctor(args: &args::Doctor, config: Result<Config, Error>) -> Result<Exit, Error> {
    if let Some(attempt) = &args.attempt {
        return promises::attempted(attempt);
    }
    if args.sandbox {
        return promises::tried(args.json);
    }
    let report = examine(args, config)?;
    match args.json {
        true => print_json(&(serde_json::to_string(&report).unwrap_or_default() + "\n"))?,
        false => print(&shown(&report, Terminal::detect()))?,
    };
    Ok(if report.ok { Exit::Done } else { Exit::Failed })
}

fn examine(args: &args::Doctor, config: Result<Config, Error>) -> Result<Report, Error> {
    let (dir, model, base_url) = (args.dir.clone(), args.model.clone(), args.base_url.clone());
    let flags = args::Agent { dir, model, base_url, ..args::Agent::default() };
    let (config, settings) = match config {
        Ok(config) => {
            let settings = Settings::shown(&flags, &config);
            (config, settings)
        }
        Err(error) => (Config::default(), Err(error)),
    };
    let workspace = match &settings {
        Ok(settings) => toolset::workspace(settings, warn)?,
        Err(_) => Workspace::open(flags.dir.as_deref().unwrap_or(Path::new(".")))?,
    };
    let environment = Environment::filtered(std::env::vars_os());
    let auto = Auto::new(&environment, settings.as_ref().map(policy).unwrap_or_default());
    let chosen = auto.choose(workspace.root()).map(|chosen| chosen.name().to_owned());
    let mut checks = confinement::checks(&environment, workspace.root(), chosen.is_ok());
    let (verdict, sandbox) = match chosen {
        Ok(name) => (Check::good("sandbox", format!("auto takes {name}")), Some(name)),
        Err(error) => {
            let hint = "commands are refused; where there is a terminal you are asked first";
            (Check::bad("sandbox", error.cause()).with_hint(hint), None)
        }
    };
    checks.push(verdict);
    let store = store::check(StoreAddress::of(&args.store, &config), args.offline)?;
    let writable = settings.as_ref().map(Settings::writable).unwrap_or_default();
    let writable: Vec<_> =
        writable.iter().map(PathBuf::as_path).chain([workspace.root()]).collect();
    let shell = surroundings::shell(&environment, &writable);
    let model = match &settings {
        Ok(settings) => model::check(settings, args.offline)?,
        Err(error) => {
            Check::bad("settings", error.to_string()).with_hint(error.hint().unwrap_or_default())
        }
    };
    let project = surroundings::project(flags.dir.as_deref(), &config);
    let ok = sandbox.is_some() && [&shell, &store, &model].iter().all(|it| it.state != State::Bad);
    checks.extend([shell, store, model, project]);
    checks.push(surroundings::git(&environment, &writable));
    checks.push(surroundings::terminal(Terminal::detect()));
    Ok(Report { r#type: "doctor", ok, sandbox, gaps: auto.gaps(), checks })
}

/// A line for each check, and below it what to do.
fn shown(report: &Report, terminal: Terminal) -> String {
    let wide = report.checks.iter().map(|check| check.name.len()).max().unwrap_or(0);
    let most = if terminal.out { terminal.columns } else { usize::MAX };
    // What follows the name stands below itself, where there is room for that.
    let indent = if most < NARROW { 4 } else { wide + 4 };
    let laid_out = |first: String, rest: &str| {
        let room = most.saturating_sub(indent).max(NARROW / 3);
        let lines = wrapped(&visible(rest), room, 0);
        let mut text = first;
        for (at, line) in lines.lines().enumerate() {
            if at > 0 || (most < NARROW && !text.trim().is_empty()) {
                text.push('\n');
                text.extend(std::iter::repeat_n(' ', indent));
            }
            text.push_str(line);
        }
        text + "\n"
    };
    let mut text = String::new();
    for check in &report.checks {
        let sign = check.state.sign(terminal);
        text += &laid_out(format!("{sign} {:<wide$}  ", check.name), &check.found);
        if let Some(hint) = &check.hint {
            text += &laid_out(" ".repeat(indent), hint);
        }
    }
    if let (Some(name), false) = (&report.sandbox, report.gaps.is_empty()) {
        text += &format!("\n{name} does not hold:\n");
        let gaps = report.gaps.iter().map(|gap| wrapped(&format!("  - {gap}"), most, 4) + "\n");
        text.extend(gaps);
    }
    let verdict = match report.ok {
        true => "commands run confined, and sessions can be kept",
        false => "see ✗ above for what to set right",
    };
    text + "\n" + &wrapped(verdict, most, 0) + "\n"
}
