//! Finding a session by its id, or the beginning or end of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use legwork::core::journal::{Journal, Problem};
use legwork::core::{Seq, SessionId};
use legwork::port::Store;
use legwork::port::store::{Loaded, Query, Range, SessionInfo, Unreadable};

use crate::args;
use crate::commands::tell;
use crate::config::locate::shown;
use crate::display::text::{age, clip, now, one_line, visible};
use crate::error::Error;
use crate::recorded::begun_in;
use crate::short_id::{Length, meant};
use crate::store_address::StoreAddress;

/// How many sessions an error names.
const SOME: usize = 8;
/// Columns of their tasks.
const TASK: usize = 40;

/// A session that was found.
pub(crate) struct Found {
    pub(crate) id: SessionId,
    pub(crate) journal: Journal,
    /// Whether a process runs it; none if that was not asked, or the store cannot tell.
    pub(crate) running: Option<bool>,
    /// What of it is damaged and left out.
    damage: Option<String>,
    /// Where it goes on with what this version cannot read.
    unreadable: Option<Unreadable>,
}

impl Found {
    pub(crate) fn new(id: SessionId, loaded: Loaded) -> Self {
        let Loaded { journal, damage, unreadable, .. } = loaded;
        Self { id, journal, running: None, damage, unreadable }
    }

    /// Refuses to go on with a session that this version cannot read to its end.
    pub(crate) fn check_readable(&self) -> Result<(), Error> {
        match &self.unreadable {
            None => Ok(()),
            Some(unreadable) => Err(Error::from(unreadable.clone().refuses(&self.id))),
        }
    }

    pub(crate) fn is_readable(&self) -> bool {
        self.unreadable.is_none()
    }

    /// What of it cannot be read, as problems of the entry that would be next.
    pub(crate) fn left_out(&self) -> impl Iterator<Item = Problem> {
        let entry = Seq(self.journal.entries().len() as u64 + 1);
        let unreadable = self.unreadable.as_ref().map(ToString::to_string);
        let left_out = self.damage.iter().cloned().chain(unreadable);
        left_out.map(move |what| Problem { entry, what, is_end: true })
    }

    /// Tells on standard error what is left out of what is shown.
    pub(crate) fn warn(&self) {
        let unreadable = self.unreadable.as_ref().map(|one| format!("session {}: {one}", self.id));
        for left_out in self.damage.iter().chain(&unreadable) {
            // Whether anybody reads standard error changes nothing.
            tell(&format!("warning: {}", visible(left_out)));
        }
    }
}

/// Finds a session; `store` is none where there is no store yet.
pub(crate) async fn find(
    store: Option<&Arc<dyn Store>>,
    asked: &str,
    address: &StoreAddress,
) -> Result<Found, Error> {
    if asked.is_empty() {
        let hint = "see which there are with `legwork sessions list`";
        return Err(Error::usage("the id of the session is empty", hint));
    }
    let unknown = || Error::NoSession { id: asked.to_owned(), store: address.as_str().to_owned() };
    let store = store.ok_or_else(unknown)?;
    let exact = SessionId::from(asked);
    let loaded = store.read(&exact, Range::ALL).await?;
    if !is_nothing(&loaded) {
        return Ok(Found::new(exact, loaded));
    }
    let sessions = store.sessions(&Query::all()).await?.sessions;
    match meant(asked, sessions.iter().map(|info| &info.session)).as_slice() {
        [] => Err(unknown()),
        [id] => Ok(Found::new((*id).clone(), store.read(id, Range::ALL).await?)),
        several => Err(ambiguous(asked, several, &sessions)),
    }
}

/// The session that was changed last of those that were begun in a directory: that of the flag,
/// else the present one.
///
/// # Errors
/// When there is none.
pub(crate) async fn last_session(
    address: &StoreAddress,
    flags: &args::Agent,
) -> Result<String, Error> {
    let dir = flags.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    let dir = std::fs::canonicalize(&dir).unwrap_or(dir);
    if let Some(store) = address.open_to_read()? {
        for info in store.sessions(&Query::all().roots()).await?.sessions {
            let begun = begun_in(&store, &info.session).await;
            if begun.is_some_and(|begun| Path::new(&begun) == dir) {
                return Ok(info.session.to_string());
            }
        }
    }
    let message = format!("no session was begun in {}", shown(&dir));
    Err(Error::usage(
        message,
        "begin one with `legwork run \"task\"`, or see `legwork sessions list`",
    ))
}

fn is_nothing(loaded: &Loaded) -> bool {
    let Loaded { journal, damage, unreadable, .. } = loaded;
    journal.entries().is_empty() && damage.is_none() && unreadable.is_none()
}

/// Says which sessions may be meant: what they are called, how old they are, their task.
fn ambiguous(asked: &str, several: &[&SessionId], sessions: &[SessionInfo]) -> Error {
    let length = Length::apart(sessions.iter().map(|info| &info.session));
    let mut some = String::new();
    for id in several.iter().take(SOME) {
        let info = sessions.iter().find(|info| info.session == **id);
        let changed = info.map_or_else(String::new, |info| age(info.updated_at, now()));
        let task = info.map_or_else(String::new, |info| one_line(&info.summary.title));
        let line = format!("\n{}  {changed}  {}", length.of(id), clip(&task, TASK));
        some.push_str(line.trim_end());
    }
    if let Some(more) = several.len().checked_sub(SOME).filter(|more| *more > 0) {
        some.push_str(&format!("\nand {more} more"));
    }
    Error::Ambiguous { asked: asked.to_owned(), count: several.len(), some }
}
