//! `legwork sessions rm`: removes sessions for good.

use std::collections::BTreeSet;
use std::io::{self, BufRead, IsTerminal as _, Write, stderr, stdin};
use std::sync::Arc;
use std::time::Duration;

use legwork::agent::subagent::{parent_of, with_subagents};
use legwork::core::{SessionId, Timestamp};
use legwork::port::Store;
use legwork::port::store::{Query, Range, Removal};

use super::list::{status, task};
use crate::args::{self, Status};
use crate::commands::{print, tell};
use crate::config::Config;
use crate::display::Terminal;
use crate::display::seen;
use crate::display::text::{clip, count, now, visible, wrapped};
use crate::error::Error;
use crate::exit::Exit;
use crate::session::{Found, find};
use crate::store_address::StoreAddress;

/// Sessions that are removed at once: each takes an open file while it is.
const TOGETHER: usize = 256;

pub(crate) async fn remove(args: args::Remove, config: &Config) -> Result<Exit, Error> {
    let address = StoreAddress::of(&args.store, config)?;
    let store = address.open_existing()?;
    let doomed = match args.older_than {
        Some(age) => old(store.as_ref(), age, args.status).await?,
        None => named(store.as_ref(), &args.sessions, &address).await?,
    };
    let Some(store) = store.filter(|_| !doomed.is_empty()) else {
        return print("no session is that old: nothing was removed\n");
    };
    if !args.yes && !agreed(&doomed)? {
        // Whether anybody reads standard error changes nothing.
        tell("nothing was removed");
        return Ok(Exit::Failed);
    }
    let mut traces = None;
    for some in together(doomed) {
        let ids: Vec<_> = some.iter().flat_map(|one| one.ids.iter().cloned()).collect();
        if let Removal::Traces(why) = store.remove(&ids).await? {
            traces = Some(why);
        }
        print(&some.iter().map(Doomed::removed).collect::<String>())?;
    }
    if let Some(why) = traces {
        tell(&format!("warning: {}", visible(&why)));
    }
    Ok(Exit::Done)
}

/// A session that is to go with those of its subagents, in the words of the question.
struct Doomed {
    /// Its id, then theirs.
    ids: Vec<SessionId>,
    words: String,
}

impl Doomed {
    async fn new(found: &Found, store: &dyn Store) -> Result<Self, Error> {
        let ids = with_subagents(store, &found.id).await?;
        let steps = count(found.journal.fold(&found.id).ledger().lifetime.steps, "step");
        let more = if found.is_readable() { "" } else { " and what this legwork cannot read" };
        let task = task(&found.journal);
        let (name, task) = (visible(found.id.as_str()), clip(&task, 60));
        let words = format!("{name}, {steps}{more}{}, \"{task}\"", below(&ids));
        Ok(Self { ids, words })
    }

    /// The line that tells that it is gone.
    fn removed(&self) -> String {
        let id = self.ids.first().map_or("", SessionId::as_str);
        format!("removed {}{}\n", visible(id), below(&self.ids))
    }
}

/// How many subagents' sessions go with one.
fn below(ids: &[SessionId]) -> String {
    match ids.len().saturating_sub(1) {
        0 => String::new(),
        others => format!(" with {} of subagents", count(others as u64, "session")),
    }
}

/// Sessions in groups that are removed at once; one and its subagents are never parted.
fn together(doomed: Vec<Doomed>) -> Vec<Vec<Doomed>> {
    let mut groups: Vec<Vec<Doomed>> = Vec::new();
    let mut size = TOGETHER;
    for one in doomed {
        size += one.ids.len();
        match groups.last_mut() {
            Some(group) if size <= TOGETHER => group.push(one),
            _ => {
                size = one.ids.len();
                groups.push(vec![one]);
            }
        }
    }
    groups
}

/// The sessions of these ids; each must be there, and one named twice counts once.
async fn named(
    store: Option<&Arc<dyn Store>>,
    asked: &[String],
    address: &StoreAddress,
) -> Result<Vec<Doomed>, Error> {
    let (mut seen, mut doomed) = (BTreeSet::new(), Vec::new());
    for asked in asked {
        let found = find(store, asked, address).await?;
        let Some(store) = store.filter(|_| seen.insert(found.id.clone())) else { continue };
        if let Some(parent) = parent_of(&**store, &found.id).await? {
            let (id, parent) = (visible(found.id.as_str()), visible(parent.as_str()));
            let message = format!("session {id} belongs to {parent}, which spawned it");
            let hint = format!("`legwork sessions rm {parent}` removes both");
            return Err(Error::usage(message, hint));
        }
        doomed.push(Doomed::new(&found, &**store).await?);
    }
    Ok(doomed)
}

/// The sessions that were not changed for so long, the oldest last.
async fn old(
    store: Option<&Arc<dyn Store>>,
    age: Duration,
    wanted: Option<Status>,
) -> Result<Vec<Doomed>, Error> {
    let Some(store) = store else { return Ok(Vec::new()) };
    let age = u64::try_from(age.as_millis()).unwrap_or(u64::MAX);
    let Some(before) = now().0.checked_sub(age).map(Timestamp) else { return Ok(Vec::new()) };
    let mut doomed = Vec::new();
    for info in store.sessions(&Query::all()).await?.sessions {
        if info.updated_at > before {
            continue;
        }
        // A subagent's goes with the one that it belongs to.
        if parent_of(&**store, &info.session).await?.is_some() {
            continue;
        }
        let loaded = store.read(&info.session, Range::ALL).await?;
        let found = Found::new(info.session, loaded);
        if !found.is_readable() {
            // It may have been at work yesterday: nobody here can tell.
            found.warn();
            let id = visible(found.id.as_str()).into_owned();
            tell(&format!("{id} stays; `legwork sessions rm {id}` removes it"));
            continue;
        }
        let status = status(&found.journal.fold(&found.id));
        if wanted.is_none_or(|wanted| wanted.as_str() == status) {
            doomed.push(Doomed::new(&found, &**store).await?);
        }
    }
    Ok(doomed)
}

/// Asks whoever sits at the terminal.
fn agreed(doomed: &[Doomed]) -> Result<bool, Error> {
    if !stdin().is_terminal() || !stderr().is_terminal() {
        let message =
            format!("{} would be removed for good", count(doomed.len() as u64, "session"));
        return Err(Error::usage(message, "say --yes to remove without being asked"));
    }
    let columns = Terminal::detect().columns;
    ask(doomed, columns, &mut stdin().lock(), &mut seen::err())
        .map_err(|source| Error::System { doing: "asking at the terminal", source })
}

fn ask(
    doomed: &[Doomed],
    columns: usize,
    answers: &mut impl BufRead,
    out: &mut impl Write,
) -> io::Result<bool> {
    match doomed {
        [one] => write!(out, "remove session {}? [y/N] ", one.words)?,
        several => {
            for one in several {
                writeln!(out, "{}", wrapped(&one.words, columns, 2))?;
            }
            write!(out, "remove these {} sessions for good? [y/N] ", several.len())?;
        }
    }
    out.flush()?;
    let mut answer = String::new();
    answers.read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes" | "Yes" | "YES"))
}

#[cfg(test)]
mod tests;
