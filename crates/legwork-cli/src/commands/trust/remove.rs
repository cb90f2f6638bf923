//! `legwork trust rm`: forgets decisions about projects.

use std::path::{Path, PathBuf};

use super::{as_json, meant, word};
use crate::args;
use crate::commands::{print, print_json, warn};
use crate::config::Config;
use crate::config::locate::shown;
use crate::error::Error;
use crate::exit::Exit;
use crate::trust::Project;
use crate::trust::records::Records;
use crate::trust::state::StateFolder;

pub(super) fn remove(args: &args::TrustRemove, config: &Config) -> Result<Exit, Error> {
    let paths = meant(&args.paths);
    let forgotten = StateFolder::own()?.change(|records| {
        let before = records.clone();
        let all = paths.iter().map(|path| forget(records, path)).collect::<Result<Vec<_>, _>>();
        if all.is_err() {
            *records = before;
        }
        all
    })??;
    let mut text = String::new();
    for record in forgotten {
        let root = &record.path.0;
        text += &match args.json {
            true => format!("{}\n", as_json(&record)),
            false => format!("forgot {}, which was {}\n", shown(root), word(record.decision)),
        };
        if let Some(source) = config.trusts(root) {
            warn(format!("{} stays trusted by {source}", shown(root)));
        }
    }
    match args.json {
        true => print_json(&text),
        false => print(&text),
    }
}

/// Forgets the project of a directory; the directory may be gone by now.
fn forget(records: &mut Records, path: &Path) -> Result<crate::trust::records::Record, Error> {
    let root = Project::of(path).map(|project| project.root);
    let typed = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let roots: Vec<PathBuf> = root.into_iter().chain([typed]).collect();
    let found = roots.iter().find_map(|root| records.forget(root));
    found.ok_or_else(|| {
        let root = roots.first().map(|root| shown(root)).unwrap_or_default();
        let hint = "`legwork trust list` shows all";
        Error::usage(format!("there is no decision about {root}"), hint)
    })
}
