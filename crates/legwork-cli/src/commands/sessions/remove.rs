//! `legwork sessions rm`: removes sessions for good.

use std::collections::BTreeSet;
use std::io::{self, BufRead, IsTerminal as _, Write, stderr, stdin};
use std::sync::Arc;
use std::time::Duration;

use legwork::core::{SessionId, Timestamp};
use legwork::port::Store;
use legwork::port::store::Removal;

use super::list::{status, task};
use crate::args::{self, Status};
use crate::commands::print;
use crate::config::Config;
use crate::display::Terminal;
use crate::display::text::{clip, count, now, visible};
use crate::error::Error;
use crate::exit::Exit;
use crate::place::Place;
use crate::session::{Found, find};

/// Sessions that are removed at once: each takes an open file while it is.
const TOGETHER: usize = 256;

pub(crate) async fn remove(args: args::Remove, config: &Config) -> Result<Exit, Error> {
    let place = Place::of(&args.store, config)?;
    let store = place.open_existing()?;
    let doomed = match args.older_than {
        Some(age) => old(store.as_ref(), age, args.status).await?,
        None => named(store.as_ref(), &args.sessions, &place).await?,
    };
    let Some(store) = store.filter(|_| !doomed.is_empty()) else {
        return print("no session is that old: nothing was removed\n");
    };
    if !args.yes && !agreed(&doomed)? {
        // Whether anybody reads standard error changes nothing.
        let _ = writeln!(stderr(), "nothing was removed");
        return Ok(Exit::Failed);
    }
    let ids: Vec<_> = doomed.into_iter().map(|one| one.id).collect();
    let mut traces = None;
    for some in ids.chunks(TOGETHER) {
        if let Removal::Traces(why) = store.remove(some).await? {
            traces = Some(why);
        }
        let lines = some.iter().map(|id| format!("removed {}\n", visible(id.as_str())));
        print(&lines.collect::<String>())?;
    }
    if let Some(why) = traces {
        let _ = writeln!(stderr(), "warning: {}", visible(&why));
    }
    Ok(Exit::Done)
}

/// A session that is to go, in the words of the question.
struct Doomed {
    id: SessionId,
    words: String,
}

impl Doomed {
    fn new(found: &Found) -> Self {
        let steps = count(found.journal.fold(&found.id).ledger().lifetime.steps, "step");
        let task = task(&found.journal);
        let more = if found.is_readable() { "" } else { " and what this legwork cannot read" };
        let (id, task) = (visible(found.id.as_str()), clip(&task, 60));
        let words = format!("{id}, {steps}{more}, \"{task}\"");
        Self { id: found.id.clone(), words }
    }
}

/// The sessions of these ids; each must be there, and one named twice counts once.
async fn named(
    store: Option<&Arc<dyn Store>>,
    asked: &[String],
    place: &Place,
) -> Result<Vec<Doomed>, Error> {
    let (mut seen, mut doomed) = (BTreeSet::new(), Vec::new());
    for asked in asked {
        let found = find(store, asked, place).await?;
        if seen.insert(found.id.clone()) {
            doomed.push(Doomed::new(&found));
        }
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
    for info in store.sessions(usize::MAX).await? {
        if info.updated_at > before {
            continue;
        }
        let loaded = store.read(&info.session).await?;
        let found = Found::new(info.session, loaded);
        if !found.is_readable() {
            // It may have been at work yesterday: nobody here can tell.
            found.warn();
            let id = visible(found.id.as_str()).into_owned();
            let _ = writeln!(stderr(), "{id} stays; `legwork sessions rm {id}` removes it");
            continue;
        }
        let status = status(&found.journal.fold(&found.id));
        if wanted.is_none_or(|wanted| wanted.as_str() == status) {
            doomed.push(Doomed::new(&found));
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
    ask(doomed, columns, &mut stdin().lock(), &mut stderr())
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
                writeln!(out, "{}", clip(&one.words, columns))?;
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
