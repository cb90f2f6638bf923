//! `legwork sessions check`: whether a journal is sound, and what is wrong where.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use legwork::core::journal::{self, Problem};
use serde_json::json;

use super::import::{line_of, split};
use crate::args;
use crate::commands::{print, print_json};
use crate::config::Config;
use crate::error::Error;
use crate::exit::Exit;
use crate::session::find;
use crate::store_address::StoreAddress;

pub(crate) async fn check(args: args::Check, config: &Config) -> Result<Exit, Error> {
    let (entries, problems) = match text(&args.journal)? {
        Some(text) => in_file(&text),
        None => in_store(&args, config).await?,
    };
    match args.json {
        true => print_json(&problems.iter().map(line).collect::<String>())?,
        false => print(&in_words(entries, &problems))?,
    };
    Ok(if problems.is_empty() { Exit::Done } else { Exit::Failed })
}

/// The number of entries, and the problems of all journals of a file.
fn in_file(text: &[u8]) -> (usize, Vec<Problem>) {
    let journals = split(text);
    let mut problems = Vec::new();
    for lines in &journals {
        let found = journal::check(lines.iter().map(|(_, line)| *line));
        problems.extend(found.into_iter().map(|problem| match journals.len() {
            1 => problem,
            _ => {
                let what = format!("{} (line {})", problem.what, line_of(lines, problem.entry));
                Problem { what, ..problem }
            }
        }));
    }
    (journals.iter().map(Vec::len).sum(), problems)
}

/// The lines of a file or of standard input; none where a session is meant.
fn text(journal: &str) -> Result<Option<Vec<u8>>, Error> {
    match journal == "-" || Path::new(journal).is_file() || journal.contains('/') {
        true => read(journal).map(Some),
        false => Ok(None),
    }
}

/// The bytes of a file, or of standard input (`-`).
pub(super) fn read(file: &str) -> Result<Vec<u8>, Error> {
    let system = |source| Error::System { doing: "reading the journal", source };
    if file == "-" {
        let mut text = Vec::new();
        io::stdin().lock().read_to_end(&mut text).map_err(system)?;
        return Ok(text);
    }
    fs::read(file).map_err(|source| system(io::Error::other(format!("{file}: {source}"))))
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
