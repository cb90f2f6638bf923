//! `legwork trust list`: the projects that are trusted, or refused.

use legwork::core::Timestamp;
use serde_json::json;

use super::{as_json, word};
use crate::args;
use crate::commands::{print, print_json};
use crate::config::Config;
use crate::config::locate::shown;
use crate::display::text::{age, now, visible};
use crate::error::Error;
use crate::exit::Exit;
use crate::trust::records::Record;
use crate::trust::state::StateFolder;

pub(super) fn list(args: &args::TrustList, config: &Config) -> Result<Exit, Error> {
    let records = StateFolder::own()?.read()?;
    let mut text = String::new();
    for record in &records.projects {
        text += &match args.json {
            true => format!("{}\n", as_json(record)),
            false => line(record),
        };
    }
    for folders in config.trusted() {
        let (path, source) = (folders.value.text(), &folders.source);
        text += &match args.json {
            true => {
                let (state, source) = ("trusted", source.name());
                format!("{}\n", json!({"path": path, "state": state, "source": source}))
            }
            false => format!("trusted  {} ({source})\n", visible(&path)),
        };
    }
    if text.is_empty() && !args.json {
        text = "no project is trusted yet: `legwork trust add PATH` trusts one\n".to_owned();
    }
    match args.json {
        true => print_json(&text),
        false => print(&text),
    }
}

fn line(record: &Record) -> String {
    let since = age(Timestamp(record.since), now());
    let state = match (record.path.0.exists(), record.holds()) {
        (_, true) => since,
        (false, _) => format!("{since}; it no longer exists"),
        (true, _) => format!("{since}; another folder has this path now and is not trusted"),
    };
    format!("{}  {} ({state})\n", word(record.decision), shown(&record.path.0))
}
