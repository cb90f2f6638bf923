//! What a session and its subagents changed in files, as their journals tell it.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use legwork::core::journal::Journal;
use legwork::core::undo::UndoOutcome;
use legwork::core::{
    EffectClass, EffectKey, Event, Seq, SessionId, Timestamp, ToolCall, ToolOutcome,
};
use legwork::port::Store;
use legwork::port::store::Range;
use legwork::tools::changes::{Change, UNWATCHED};

use crate::display::text::visible;
use crate::display::tool;
use crate::error::Error;
use crate::recorded::Recorded;
use crate::session::Found;

/// What a session and its subagents changed in files.
#[derive(Default)]
pub(super) struct Changed {
    /// The directory that the session worked in last; none if it is not recorded.
    pub(super) dir: Option<PathBuf>,
    /// The changes in the order in which they were made, with absolute paths where the
    /// directory is known, but for those that were undone.
    pub(super) changes: Vec<Change>,
    /// Calls that may have changed something and whose outcome is unknown.
    in_doubt: Vec<Arc<ToolCall>>,
    /// Calls of which not all is known, and why.
    unwatched: Vec<(Arc<ToolCall>, String)>,
    /// Calls that were undone, whose changes are left out.
    undone: Vec<Arc<ToolCall>>,
}

impl Changed {
    /// What happened, whatever the heads of the sessions are: moving one undoes no file.
    pub(super) async fn of(store: &dyn Store, found: &Found) -> Result<Self, Error> {
        let mut journals = BTreeMap::from([(found.id.clone(), found.journal.clone())]);
        let mut waiting = children(&found.journal);
        while let Some(child) = waiting.pop() {
            if journals.contains_key(&child) {
                continue;
            }
            let found = Found::new(child.clone(), store.read(&child, Range::ALL).await?);
            found.warn();
            waiting.extend(children(&found.journal));
            journals.insert(found.id, found.journal);
        }
        let undone = undone(journals.values());
        let mut walk = Walk { journals, undone, dated: Vec::new(), changed: Self::default() };
        walk.session(&found.id, None);
        let Walk { mut dated, mut changed, .. } = walk;
        // What subagents did at one moment stays in the order of the calls that spawned them.
        dated.sort_by_key(|(at, _)| *at);
        changed.changes = dated.into_iter().map(|(_, change)| change).collect();
        Ok(changed)
    }

    /// What is to be said of changes that are not shown, or not wholly.
    pub(super) fn notes(&self) -> Vec<String> {
        let unwatched = self.unwatched.iter().map(|(call, why)| {
            format!(
                "note: {}, so not all of its changes are known: {}",
                visible(why),
                tool::call(call)
            )
        });
        let in_doubt = self.in_doubt.iter().map(|call| {
            format!("note: cut off, it may or may not have happened: {}", tool::call(call))
        });
        let undone = self
            .undone
            .iter()
            .map(|call| format!("note: undone, so its changes are left out: {}", tool::call(call)));
        unwatched.chain(in_doubt).chain(undone).collect()
    }

    /// Whether changes were made that were undone.
    pub(super) fn has_undone(&self) -> bool {
        !self.undone.is_empty()
    }
}

/// The calls that were undone, of whatever session they are.
fn undone<'j>(journals: impl Iterator<Item = &'j Journal>) -> HashSet<EffectKey> {
    let key = |event: &Event| match event {
        Event::UndoFinished(body) if matches!(body.outcome, UndoOutcome::Done(_)) => {
            Some(body.call.clone())
        }
        _ => None,
    };
    journals.flat_map(|journal| journal.entries()).filter_map(|entry| key(&entry.event)).collect()
}

/// The sessions of subagents that a journal names.
pub(super) fn children(journal: &Journal) -> Vec<SessionId> {
    let child = |event: &Event| match event {
        Event::ToolStarted(body) => body.child.clone(),
        _ => None,
    };
    journal.entries().iter().filter_map(|entry| child(&entry.event)).collect()
}

struct Walk {
    journals: BTreeMap<SessionId, Journal>,
    undone: HashSet<EffectKey>,
    dated: Vec<(Timestamp, Change)>,
    changed: Changed,
}

impl Walk {
    /// One session with those below it; each is walked once.
    fn session(&mut self, session: &SessionId, dir: Option<&Path>) {
        let Some(journal) = self.journals.remove(session) else { return };
        let mut dir = dir.map(Path::to_owned);
        let (mut response, mut calls) = (Seq::ZERO, Vec::<Arc<ToolCall>>::new());
        let mut begun: BTreeMap<u32, Arc<ToolCall>> = BTreeMap::new();
        for entry in journal.entries() {
            if let Some(recorded) = Recorded::of_event(&entry.event) {
                dir = recorded.dir.map(PathBuf::from).or(dir);
            }
            match &entry.event {
                Event::Responded(body) => {
                    response = entry.seq;
                    calls = body.response.message.tool_calls().map(Arc::clone).collect();
                    self.changed.in_doubt.extend(std::mem::take(&mut begun).into_values());
                }
                Event::ToolStarted(body) => {
                    if let Some(child) = &body.child {
                        self.session(child, dir.as_deref());
                    } else if body.effect != EffectClass::ReadOnly {
                        let call = calls.get(body.index as usize).cloned();
                        begun.extend(call.map(|call| (body.index, call)));
                    }
                }
                Event::ToolFinished(body) => {
                    let call = begun.remove(&body.index);
                    let (session, index) = (session.clone(), body.index);
                    if self.undone.contains(&EffectKey { session, entry: response, index }) {
                        self.changed.undone.extend(call);
                        continue;
                    }
                    let why = body.metadata.get(UNWATCHED).and_then(|why| why.as_str());
                    self.changed.unwatched.extend(call.clone().zip(why.map(str::to_owned)));
                    if matches!(*body.outcome, ToolOutcome::Interrupted) {
                        self.changed.in_doubt.extend(call);
                    }
                    let placed = Change::of(&body.metadata).into_iter();
                    let placed = placed.map(|change| (entry.at, placed_in(change, dir.as_deref())));
                    self.dated.extend(placed);
                }
                _ => {}
            }
        }
        self.changed.in_doubt.extend(begun.into_values());
        self.changed.dir = dir;
    }
}

fn placed_in(change: Change, dir: Option<&Path>) -> Change {
    let path = dir.map(|dir| dir.join(&change.path).to_string_lossy().into_owned());
    Change { path: path.unwrap_or(change.path), ..change }
}
