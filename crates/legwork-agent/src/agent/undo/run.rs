//! Taking calls back, each journaled before and after.

use legwork_core::event::{UndoFinished, UndoStarted};
use legwork_core::undo::{PastCall, UndoOutcome};
use legwork_core::{AgentState, Event, Message};
use legwork_port::{CannotUndo, Deps, unwind};
use legwork_runtime::Error;
use legwork_session::kept::NewItems;
use legwork_session::writer::Writer;

use super::told::{Told, words};
use super::{PlannedUndo, UndoPlan, panicked};

/// What was taken back of a session.
#[derive(Debug)]
#[non_exhaustive]
pub struct Undone {
    /// The calls that were taken back, newest first.
    pub calls: Vec<UndoneCall>,
    /// The call at which it stopped, for it could not be taken back, with the reason; the older
    /// ones stand.
    pub stopped: Option<(PastCall, CannotUndo)>,
    /// The state of the session.
    pub state: AgentState,
}

/// A call that was taken back.
#[derive(Debug)]
#[non_exhaustive]
pub struct UndoneCall {
    /// The call.
    pub call: PastCall,
    /// What was done, in words.
    pub did: String,
}

impl UndoPlan {
    /// Takes the calls back, newest first, and tells the model at its next inference, also of what
    /// an undo took back that died. Nothing is done while a call is
    /// [refused](UndoPlan::refused).
    ///
    /// Each call is journaled before it is taken back, and what came of it afterwards. If the
    /// process dies in between, planning it again goes on there.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub async fn run(self) -> Result<Undone, Error> {
        let Self { writer, state, calls, untold, opened } = self;
        let refused = calls.iter().find_map(|planned| match &planned.prospect {
            super::Prospect::Cannot(why) => Some((planned.call.clone(), why.clone())),
            _ => None,
        });
        let done = match refused {
            Some(stopped) => Ok(Undone { calls: Vec::new(), stopped: Some(stopped), state }),
            None => take_back(&writer, state, (calls, untold), &opened.deps).await,
        };
        opened.close().await;
        writer.release().await;
        done
    }
}

async fn take_back(
    writer: &Writer,
    state: AgentState,
    (planned, mut told): (Vec<PlannedUndo>, Vec<Told>),
    deps: &Deps,
) -> Result<Undone, Error> {
    let mut all = Undone { calls: Vec::new(), stopped: None, state };
    for planned in planned {
        let Some(undo) = planned.undo.as_ref().filter(|_| planned.is_owed()) else { continue };
        let call = &planned.call;
        let begins = Event::UndoStarted(UndoStarted { call: call.key.clone() });
        all.state = commit(writer, all.state.with(begins)).await?;
        let undone = unwind::run(|| undo.undo(call, deps)).await;
        let undone = undone.unwrap_or_else(|panic| Err(panicked(&panic)));
        let outcome = match &undone {
            Ok(did) => UndoOutcome::Done(did.clone()),
            Err(why) => UndoOutcome::Refused(why.to_string()),
        };
        let ends = UndoFinished { call: call.key.clone(), outcome };
        all.state = all.state.with(Event::UndoFinished(ends));
        match undone {
            Ok(did) => {
                told.push(Told::new(call, &did));
                all.calls.push(UndoneCall { call: planned.call, did });
            }
            Err(why) => {
                all.stopped = Some((planned.call, why));
                break;
            }
        }
    }
    if let Some(words) = words(&told) {
        all.state = all.state.with_steering_message(Message::user(words))?;
    }
    all.state = commit(writer, all.state).await?;
    Ok(all)
}

async fn commit(writer: &Writer, state: AgentState) -> Result<AgentState, Error> {
    writer.commit(&state, None, NewItems::Wait).await?;
    Ok(state.committed())
}
