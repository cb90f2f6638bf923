//! `legwork trust`: which projects are trusted.

mod add;
mod list;
mod remove;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::args;
use crate::config::Config;
use crate::error::Error;
use crate::exit::Exit;
use crate::trust::records::{Decision, Record};

pub(super) fn trust(args: &args::Trust, config: &Config) -> Result<Exit, Error> {
    match args {
        args::Trust::List(args) => list::list(args, config),
        args::Trust::Add(args) => add::add(args, config),
        args::Trust::Rm(args) => remove::remove(args, config),
    }
}

/// The directories that are meant.
fn meant(paths: &[PathBuf]) -> Vec<PathBuf> {
    match paths {
        [] => vec![PathBuf::from(".")],
        paths => paths.to_vec(),
    }
}

/// What was decided, in a word.
fn word(decision: Decision) -> &'static str {
    match decision {
        Decision::Trusted => "trusted",
        Decision::Refused => "refused",
    }
}

fn as_json(record: &Record) -> Value {
    json!({
        "path": text(&record.path.0),
        "state": word(record.decision),
        "since_ms": record.since,
        "owners": record.owners,
        "holds": record.holds(),
        "source": "record",
    })
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
