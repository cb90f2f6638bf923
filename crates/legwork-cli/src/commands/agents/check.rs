//! `legwork agents check`: what is wrong with agents and skills, and what mends it.

use std::path::Path;

use legwork::definition::{Problem, Severity};

use super::{here, problems, trust};
use crate::agents::Agents;
use crate::args;
use crate::commands::{print, print_json, warn};
use crate::config::Config;
use crate::config::locate::shown;
use crate::display::text::{count, visible};
use crate::error::Error;
use crate::exit::Exit;

pub(super) fn check(args: &args::AgentsCheck, config: &Config) -> Result<Exit, Error> {
    let trust = trust(&args.around, config);
    let agents = match args.paths.is_empty() {
        true => here(&args.around, &trust),
        false => Agents::of_paths(&trust.clone().looked_at(), &args.paths),
    };
    let is_meant = |file: Option<&Path>| {
        let is_below = |file: &Path| args.paths.iter().any(|path| is_below(file, path));
        args.paths.is_empty() || file.is_none_or(is_below)
    };
    let mut problems = problems(&agents, &args.around, config);
    problems.retain(|problem| is_meant(problem.file.as_deref()));
    let skills = agents.skills.iter().filter(|(_, found)| is_meant(Some(&found.file))).count();
    let counts = [agents.definitions.len(), skills];
    let errors = problems.iter().filter(|problem| problem.is_error()).count();
    let printed = match args.json {
        true => {
            let lines = problems.iter().filter_map(|problem| serde_json::to_string(problem).ok());
            print_json(&lines.map(|line| line + "\n").collect::<String>())?
        }
        false => print(&report(counts, &problems, errors))?,
    };
    trust.warnings().into_iter().for_each(warn);
    Ok(if errors > 0 { Exit::Failed } else { printed })
}

fn is_below(file: &Path, path: &Path) -> bool {
    let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    whole(file).starts_with(whole(path))
}

fn report([agents, skills]: [usize; 2], problems: &[Problem], errors: usize) -> String {
    let mut text = String::new();
    for problem in problems {
        let kind = match problem.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let Problem { line, field, message, mend, .. } = problem;
        let place = problem.file.as_deref().map_or_else(String::new, |file| match line {
            Some(line) => format!("{}:{line}: ", shown(file)),
            None => format!("{}: ", shown(file)),
        });
        let field = field.as_ref().map_or_else(String::new, |field| format!("{field}: "));
        let line = format!("{place}{kind}: {field}{message}\n  {mend}\n");
        text.push_str(&visible(&line));
    }
    let counted = [count(agents as u64, "agent"), count(skills as u64, "skill")].join(", ");
    let found = match (errors, problems.len() - errors) {
        (0, 0) => "nothing is wrong".to_owned(),
        (errors, warnings) => {
            format!("{}, {}", count(errors as u64, "error"), count(warnings as u64, "warning"))
        }
    };
    format!("{text}{counted}: {found}\n")
}
