//! `legwork sessions import`: sessions from exported journals.

use std::collections::BTreeSet;

use legwork::agent::StoredSession;
use legwork::core::entry::Renumbering;
use legwork::core::event::SessionStarted;
use legwork::core::journal::{self, Journal};
use legwork::core::{Entry, Event, Seq, SessionId};
use legwork::port::store;

use super::check::read;
use crate::args;
use crate::commands::print;
use crate::config::Config;
use crate::display::text::{count, visible};
use crate::display::{Again, to_go_on};
use crate::error::Error;
use crate::exit::Exit;
use crate::settings::Settings;
use crate::shell::quoted;
use crate::store_address::StoreAddress;

/// How many problems of a file are reported.
const PROBLEMS: usize = 20;

/// A session as it is imported.
type Imported = (SessionId, Journal);

pub(super) async fn import(args: args::Import, config: &Config) -> Result<Exit, Error> {
    let text = read(&args.file)?;
    let mut sessions = checked(&args.file, &text)?;
    let roots = roots(&sessions);
    if let Some(id) = &args.id {
        sessions = renamed(&sessions, &roots, &SessionId::from(id.as_str()))?;
    }
    let address = StoreAddress::of(&args.store, config)?;
    address.check_kept()?;
    let store = address.open()?;
    let imported = StoredSession::import(&*store, &sessions).await;
    imported.map_err(|error| refused(Error::from(error)))?;
    let mut text = String::new();
    for (at, (id, journal)) in sessions.iter().enumerate() {
        let entries = journal.entries().len();
        let entries = if entries == 1 { "entry" } else { "entries" };
        let number = journal.entries().len();
        text.push_str(&format!("{}  {number} {entries}\n", visible(id.as_str())));
        if roots.contains(&at) {
            text.push_str(&format!("to go on: {}\n", go_on(id, journal, &address, config)));
        }
    }
    print(&format!("{text}{} imported\n", count(sessions.len() as u64, "session")))
}

/// A journal of a file: its lines with their numbers.
pub(super) type Lines<'t> = Vec<(usize, &'t [u8])>;

/// The sessions of the file.
///
/// # Errors
/// When a journal in it is not sound.
fn checked(file: &str, text: &[u8]) -> Result<Vec<Imported>, Error> {
    let (mut sessions, mut problems) = (Vec::new(), Vec::new());
    for lines in split(text) {
        let found = journal::check(lines.iter().map(|(_, line)| *line));
        problems.extend(
            found
                .iter()
                .map(|problem| format!("line {}: {problem}", line_of(&lines, problem.entry))),
        );
        let entries = lines.iter().filter_map(|(_, line)| Entry::decode(line).ok());
        let journal = Journal::new(entries.map(Into::into).collect());
        if let Some(started) = begun(&journal) {
            sessions.push((started.session.clone(), journal));
        }
    }
    let mut seen = BTreeSet::new();
    let twice = sessions.iter().filter(|(id, _)| !seen.insert(id));
    problems.extend(twice.map(|(id, _)| format!("session {id} is in it twice")));
    if problems.is_empty() && sessions.is_empty() {
        problems.push("there is no journal in it".to_owned());
    }
    if problems.is_empty() {
        return Ok(sessions);
    }
    let more = problems.len().saturating_sub(PROBLEMS);
    problems.truncate(PROBLEMS);
    if more > 0 {
        problems.push(format!("and {}", count(more as u64, "more problem")));
    }
    let problems = visible(&problems.join("\n")).into_owned();
    let message = format!("{} cannot be imported:\n{problems}", visible(file));
    Err(Error::usage(message, "nothing was imported; export the session again where it came from"))
}

/// The lines of each journal of a file: one begins where a session does.
pub(super) fn split(text: &[u8]) -> Vec<Lines<'_>> {
    let mut journals: Vec<Lines<'_>> = Vec::new();
    let lines = text.split(|byte| *byte == b'\n').zip(1..);
    for (line, number) in lines.filter(|(line, _)| !line.trim_ascii().is_empty()) {
        let begins = Entry::decode(line).is_ok_and(|entry| {
            entry.seq == Seq(1) && matches!(entry.event, Event::SessionStarted(_))
        });
        match journals.last_mut().filter(|_| !begins) {
            Some(journal) => journal.push((number, line)),
            None => journals.push(vec![(number, line)]),
        }
    }
    journals
}

/// The number of the line of an entry, which is named by its place in its journal.
pub(super) fn line_of(lines: &Lines<'_>, entry: Seq) -> usize {
    let at = usize::try_from(entry.0).unwrap_or(0).saturating_sub(1);
    lines.get(at).map_or(0, |(number, _)| *number)
}

fn begun(journal: &Journal) -> Option<&SessionStarted> {
    match &journal.entries().first()?.event {
        Event::SessionStarted(started) => Some(started),
        _ => None,
    }
}

/// The indexes of those that work for none of the others.
fn roots(sessions: &[Imported]) -> Vec<usize> {
    let is_there = |parent: &SessionId| sessions.iter().any(|(id, _)| id == parent);
    let is_root = |journal: &Journal| {
        let parent = begun(journal).and_then(|started| started.parent.as_ref());
        parent.is_none_or(|parent| !is_there(&parent.session))
    };
    (0..sessions.len())
        .filter(|at| sessions.get(*at).is_some_and(|(_, journal)| is_root(journal)))
        .collect()
}

/// The same sessions, the root under another id and those below it under ids that begin with it.
fn renamed(sessions: &[Imported], roots: &[usize], to: &SessionId) -> Result<Vec<Imported>, Error> {
    let [root] = roots else {
        let message = format!(
            "the file has {}, and --as names one",
            count(roots.len() as u64, "root session")
        );
        return Err(Error::usage(message, "leave --as out, or export the sessions one by one"));
    };
    let Some((from, _)) = sessions.get(*root) else { return Ok(Vec::new()) };
    let numbering = Renumbering { from, to, number: |seq| seq };
    let renamed = sessions.iter().map(|(id, journal)| {
        let entries = journal.entries().iter().map(|entry| entry.renumbered(&numbering));
        let journal = Journal::new(entries.collect());
        let id = begun(&journal).map_or_else(|| id.clone(), |started| started.session.clone());
        (id, journal)
    });
    Ok(renamed.collect())
}

/// The error, with what to do if a session is there already.
fn refused(error: Error) -> Error {
    match error.as_store() {
        Some(store::Error::Exists { session }) => {
            let message = format!("there is a session {} already", visible(session.as_str()));
            Error::usage(message, "nothing was imported; import it under another id with --as ID")
        }
        Some(wrong @ store::Error::Id { .. }) => {
            Error::usage(wrong.to_string(), "nothing was imported; give an id with --as ID")
        }
        _ => error,
    }
}

fn go_on(id: &SessionId, journal: &Journal, address: &StoreAddress, config: &Config) -> String {
    let state = journal.fold(id);
    let needed = Settings::needed(&state, config).unwrap_or_default();
    let again = Again { store: address.flag(), settings: needed };
    to_go_on(&state, &again).unwrap_or_else(|| {
        format!("legwork run --session {}{} \"..\"", quoted(id.as_str()), address.flag())
    })
}
