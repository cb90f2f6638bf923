//! `legwork trust add`: trusts projects, with their files as they are now.

use std::path::{Path, PathBuf};

use super::{as_json, meant};
use crate::args;
use crate::commands::{print, print_json, warn};
use crate::config::Config;
use crate::config::locate::shown;
use crate::error::Error;
use crate::exit::Exit;
use crate::shell::quoted_path;
use crate::trust::owner::{self, Owners};
use crate::trust::records::Decision;
use crate::trust::state::StateFolder;
use crate::trust::{self, Flag, Project, Trust, Wanted};

pub(super) fn add(args: &args::TrustAdd, config: &Config) -> Result<Exit, Error> {
    let paths = meant(&args.paths);
    // If anything is wrong with one of several, none is trusted.
    let projects: Vec<_> =
        paths.iter().map(|path| project(path, &args.owner)).collect::<Result<_, _>>()?;
    let mut text = String::new();
    for (path, project) in paths.iter().zip(projects) {
        let (is_known, record) = StateFolder::own()?.change(|records| {
            let is_known = records.of(&project).is_some();
            records.say(&project, Decision::Trusted, args.owner.clone());
            (is_known, records.of(&project).cloned())
        })?;
        let wanted = Wanted { dir: path, kinds: &[], flag: Flag::Given };
        let changed = Trust::of(wanted, config).confirm_all()?;
        let trust = Trust::of(Wanted { dir: path, kinds: &trust::ALL, flag: Flag::Not }, config);
        text += &match (args.json, record) {
            (true, Some(record)) => format!("{}\n", as_json(&record)),
            _ => format!("trusted {}: {}\n", shown(&project.root), trust.given()),
        };
        if is_known && !args.json {
            let line = |path: &PathBuf| format!("  {} was changed during a run\n", shown(path));
            text.extend(changed.iter().map(line));
        }
        trust.warnings().into_iter().for_each(warn);
    }
    match args.json {
        true => print_json(&text),
        false => print(&text),
    }
}

/// The project of a directory, if it may be trusted.
fn project(path: &Path, owners: &[u32]) -> Result<Project, Error> {
    let Some(project) = Project::of(path) else {
        let message = format!("there is no directory {}", shown(path));
        return Err(Error::usage(message, "name the directory of a project"));
    };
    if !Owners::person().with(owners.iter().copied()).has(project.owner) {
        let (root, user) = (shown(&project.root), owner::name(project.owner));
        let hint = format!(
            "`legwork trust add --owner {} {}` trusts it with that user's files",
            project.owner,
            quoted_path(&project.root)
        );
        return Err(Error::usage(format!("{root} belongs to {user}"), hint));
    }
    Ok(project)
}
