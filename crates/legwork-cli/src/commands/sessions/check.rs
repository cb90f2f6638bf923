//! `legwork sessions check`: whether a journal is sound, and what is wrong where.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use legwork::core::journal::{self, Problem};
use serde_json::json;

use crate::args;
use crate::commands::{print, print_json};
use crate::config::Config;
use crate::error::Error;
use crate::exit::Exit;
use crate::session::find;
use crate::store_address::StoreAddress;

pub(crate) async fn check(args: args::Check, config: &Config) -> Result<Exit, Error> {
    let (entries, problems) = match text(&args.journal)? {
        Some(text) => {
            let lines = || text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
            (lines().count(), journal::check(lines()))
        }
        None => in_store(&args, config).await?,
    };
    match args.json {
        true => print_json(&problems.iter().map(line).collect::<String>())?,
        false => print(&in_words(entries, &problems))?,
    };
    Ok(if problems.is_empty() { Exit::Done } else { Exit::Failed })
}

/// The lines of a file or of standard input; none where a session is meant.
fn text(journal: &str) -> Result<Option<Vec<u8>>, Error> {
    let system = |source| Error::System { doing: "reading the journal", source };
    let of_file = |source: io::Error| system(io::Error::other(format!("{journal}: {source}")));
    if journal == "-" {
        let mut text = Vec::new();
        io::stdin().lock().read_to_end(&mut text).map_err(system)?;
        return Ok(Some(text));
    }
    match Path::new(journal).is_file() || journal.contains('/') {
        true => fs::read(journal).map(Some).map_err(of_file),
        false => Ok(None),
    }
}

async fn in_store(args: &args::Check, config: &Config) -> Result<(usize, Vec<Problem>), Error> {
    let address = StoreAddress::of(&args.store, config)?;
    let store = address.open_to_read()?;
    let found = find(store.as_ref(), &args.journal, &address).await?;
    let entries = found.journal.entries();
    let lines: Vec<_> = entries.iter().filter_map(|entry| entry.encode().ok()).collect();
    let mut problems = journal::check(lines.iter().map(Vec::as_slice));
    problems.extend(found.left_out());
    Ok((entries.len(), problems))
}

fn line(problem: &Problem) -> String {
    let Problem { entry, what, is_end } = problem;
    format!("{}\n", json!({ "entry": entry, "problem": what, "ends_there": is_end }))
}

fn in_words(entries: usize, problems: &[Problem]) -> String {
    let several = |number: usize, one: &str, more: &str| match number {
        1 => format!("1 {one}"),
        number => format!("{number} {more}"),
    };
    let entries = several(entries, "entry", "entries");
    let Some(last) = problems.last() else { return format!("{entries}, no problem\n") };
    let mut text: String = problems.iter().map(|problem| format!("{problem}\n")).collect();
    if last.is_end {
        text.push_str("What follows was not checked.\n");
    }
    text.push_str(&format!("{entries}, {}\n", several(problems.len(), "problem", "problems")));
    text
}
