//! `legwork config path`: which files are looked at, and which are there.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::args;
use crate::commands::{print, print_json};
use crate::config::Config;
use crate::config::locate::{NAME, UserFile, shown};
use crate::error::Error;
use crate::exit::Exit;
use crate::trust::{Flag, Kind, Trust, Wanted};

/// A file that is looked at.
struct Looked {
    whose: &'static str,
    path: PathBuf,
    state: State,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Read,
    /// The project is not trusted, or the file belongs to another user.
    LeftOut,
    /// A nearer one is read.
    PassedOver,
    Missing,
}

pub(super) fn path(args: &args::ConfigPath, file: Option<&Path>) -> Result<Exit, Error> {
    let dir = args.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    let mut files = Vec::new();
    if let Some(place) = UserFile::find(file) {
        files.push(looked("user", place.path().to_owned(), State::Read));
    }
    let mut state = State::Read;
    // A file that cannot be used is named here all the same.
    let config = Config::of_user(file).unwrap_or_default();
    let kinds = [Kind::Settings];
    let trust = Trust::of(Wanted { dir: &dir, kinds: &kinds, flag: Flag::Not }, &config);
    for folder in trust.project.iter().flat_map(|project| &project.folders) {
        let mut one = looked("project", folder.join(NAME), state);
        if one.state == State::Read && trust.why(&one.path).is_some() {
            one.state = State::LeftOut;
            state = State::PassedOver;
        }
        if one.state == State::Read {
            state = State::PassedOver;
        }
        files.push(one);
    }
    let line = |file: &Looked| match args.json {
        true => format!("{}\n", json(file)),
        false => format!("{:<8} {} ({})\n", file.whose, shown(&file.path), file.state.in_words()),
    };
    let text: String = files.iter().map(line).collect();
    match args.json {
        true => print_json(&text),
        false => print(&text),
    }
}

fn looked(whose: &'static str, path: PathBuf, if_there: State) -> Looked {
    // What cannot be looked at is there, and reading it says what is wrong.
    let missing = path.symlink_metadata().is_err_and(|error| {
        matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
    });
    Looked { whose, path, state: if missing { State::Missing } else { if_there } }
}

fn json(file: &Looked) -> serde_json::Value {
    let name = match file.state {
        State::Read => "read",
        State::LeftOut => "left_out",
        State::PassedOver => "passed_over",
        State::Missing => "missing",
    };
    json!({"whose": file.whose, "path": file.path.to_string_lossy(), "state": name})
}

impl State {
    fn in_words(self) -> &'static str {
        match self {
            Self::Read => "is read",
            Self::LeftOut => "left out: see `legwork config show`",
            Self::PassedOver => "not read: a nearer one is",
            Self::Missing => "not there",
        }
    }
}
