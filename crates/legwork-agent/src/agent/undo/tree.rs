//! The calls of a session and of the subagents below it, as their journals have them.

use std::collections::BTreeSet;
use std::sync::Arc;

use legwork_core::journal::Journal;
use legwork_core::state::Refusal;
use legwork_core::undo::{PastCall, UndoStatus, mark_undone};
use legwork_core::{AgentState, Event, Seq, SessionId, Timestamp};
use legwork_port::store::{self, Range};
use legwork_port::{BoxFuture, Deps, Origin, Store};
use legwork_runtime::Error;
use legwork_session::Sessions;
use legwork_session::inbox::take_idle;
use legwork_session::kept::Kept;
use legwork_session::writer::Writer;

use super::told::{self, Told};
use super::{Opened, PlannedUndo, Prospect, UndoFrom, UndoPlan, Undoes};
use crate::agent::subagent::is_below;

/// Plans to take back what a session did, under its claim.
///
/// # Errors
/// When there is no such session or step, somebody works in it, or the store cannot be used.
pub(in crate::agent) async fn plan(
    sessions: &Sessions,
    session: &SessionId,
    from: UndoFrom,
    undoes: &Undoes<'_>,
    opened: Opened,
) -> Result<UndoPlan, Error> {
    let claim = sessions.claim_to_run(session).await?;
    let store = Arc::clone(&sessions.store);
    let events = sessions.events(Arc::new(Origin::root(session.clone())), []);
    let writer = Writer { store, claim: Arc::new(claim), events, kept: Kept::default() };
    let planned = async {
        let store = &*sessions.store;
        let journal = store.read(session, Range::ALL).await?.writable(session)?.journal;
        if journal.version() == Seq::ZERO {
            return Err(sessions.no_session(session).into());
        }
        let untold = untold(store, session, &journal).await?;
        let calls = calls(store, session, &journal, from).await?;
        let state = journal.fold(session).at(sessions.clock.now()).masked_by(&sessions.mask);
        let (state, _) = take_idle(store, state).await?;
        Ok::<_, Error>((state, calls, untold))
    };
    match planned.await {
        Ok((state, calls, untold)) => {
            let calls = checked(calls, undoes, &opened.deps).await;
            Ok(UndoPlan { writer, state, calls, untold, opened })
        }
        Err(error) => {
            writer.release().await;
            Err(error)
        }
    }
}

/// The calls with what comes of each, newest first.
async fn checked(calls: Vec<PastCall>, undoes: &Undoes<'_>, deps: &Deps) -> Vec<PlannedUndo> {
    let (mut planned, mut later) = (Vec::with_capacity(calls.len()), Vec::new());
    for call in calls {
        let undo = undoes(&call);
        let call = PlannedUndo::of(call, undo, &later, deps).await;
        if matches!(call.prospect, Prospect::Can(_)) {
            later.push(call.call.clone());
        }
        planned.push(call);
    }
    planned
}

/// The calls that may have had an effect and were not taken back, newest first.
async fn calls(
    store: &dyn Store,
    session: &SessionId,
    journal: &Journal,
    from: UndoFrom,
) -> Result<Vec<PastCall>, Error> {
    let from = first(journal, from)?;
    let mut tree = Tree { store, journals: Vec::new(), dated: Vec::new() };
    tree.add(session, journal, from).await?;
    let above = ancestors(store, session, journal).await?;
    let Tree { journals, mut dated, .. } = tree;
    // What was done at one moment in several sessions stays in the order of the spawning calls.
    dated.sort_by_key(|(at, _)| *at);
    let mut calls: Vec<_> = dated.into_iter().rev().map(|(_, call)| call).collect();
    journals.iter().chain(&above).for_each(|journal| mark_undone(&mut calls, journal));
    calls.retain(|call| call.has_effect() && call.undo != UndoStatus::Done);
    Ok(calls)
}

/// What undos took back that died before they told the model, newest first.
async fn untold(
    store: &dyn Store,
    session: &SessionId,
    journal: &Journal,
) -> Result<Vec<Told>, store::Error> {
    let untold = told::untold(journal);
    let mut tree = Tree { store, journals: Vec::new(), dated: Vec::new() };
    if !untold.is_empty() {
        // Wherever that undo began.
        tree.add(session, journal, Seq::ZERO).await?;
    }
    let told = |(key, did): (&_, &str)| {
        let (_, call) = tree.dated.iter().find(|(_, call)| call.key == *key)?;
        Some(Told::new(call, did))
    };
    Ok(untold.into_iter().filter_map(told).collect())
}

struct Tree<'a> {
    store: &'a dyn Store,
    journals: Vec<Journal>,
    dated: Vec<(Timestamp, PastCall)>,
}

impl Tree<'_> {
    /// Adds a session with those below it: the calls of the responses behind an entry.
    fn add<'a>(
        &'a mut self,
        session: &'a SessionId,
        journal: &'a Journal,
        from: Seq,
    ) -> BoxFuture<'a, Result<(), store::Error>> {
        Box::pin(async move {
            // A clock that was set back does not change the order in one session.
            let mut now = Timestamp::default();
            for call in PastCall::of_journal(session, journal) {
                now = now.max(call.at);
                if call.key.entry <= from {
                    continue;
                }
                let Some(child) = call.child.clone() else {
                    self.dated.push((now, call));
                    continue;
                };
                let below = self.store.read(&child, Range::ALL).await?.journal;
                if is_below(&child, &below, session, journal) {
                    self.add(&child, &below, Seq::ZERO).await?;
                }
            }
            self.journals.push(journal.clone());
            Ok(())
        })
    }
}

/// The journals of the sessions above one: what was taken back from there is there.
async fn ancestors(
    store: &dyn Store,
    session: &SessionId,
    journal: &Journal,
) -> Result<Vec<Journal>, store::Error> {
    let mut above = Vec::new();
    let mut parent = parent_of(&journal.fold(session));
    let mut seen = BTreeSet::from([session.clone()]);
    while let Some(session) = parent.filter(|parent| seen.insert(parent.clone())) {
        let journal = store.read(&session, Range::ALL).await?.journal;
        parent = parent_of(&journal.fold(&session));
        above.push(journal);
    }
    Ok(above)
}

fn parent_of(state: &AgentState) -> Option<SessionId> {
    state.facts().parent.as_ref().map(|link| link.session.clone())
}

/// The entry behind which the responses are whose calls are taken back.
fn first(journal: &Journal, from: UndoFrom) -> Result<Seq, Refusal> {
    match from {
        UndoFrom::Start => Ok(Seq::ZERO),
        UndoFrom::Entry(entry) => Ok(entry),
        UndoFrom::LastExecution => {
            let begins = |event: &Event| matches!(event, Event::ExecutionStarted(_));
            let path = journal.path(journal.head());
            let last = path.iter().rev().find(|entry| begins(&entry.event));
            Ok(last.map_or(Seq::ZERO, |entry| entry.seq))
        }
        UndoFrom::Step(step) => {
            let steps = steps(journal);
            let at = usize::try_from(step).unwrap_or(usize::MAX).checked_sub(1);
            let refusal = Refusal::UnknownStep { step, steps: steps.len() as u64 };
            at.and_then(|at| steps.get(at)).copied().ok_or(refusal)
        }
    }
}

/// The entries with which the steps on the path to the head began.
fn steps(journal: &Journal) -> Vec<Seq> {
    let (mut steps, mut under_way) = (Vec::new(), false);
    for entry in journal.path(journal.head()) {
        match &entry.event {
            Event::InferenceStarted(_) if !under_way => {
                under_way = true;
                steps.push(entry.seq);
            }
            Event::StepFinished(_) | Event::ExecutionStarted(_) | Event::ExecutionFinished(_) => {
                under_way = false;
            }
            _ => {}
        }
    }
    steps
}
