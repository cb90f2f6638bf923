//! Taking back what a session did.
//!
//! Read the modules in this order: this one (what is asked for, and what is planned), `tree`
//! (the calls of a session and of the subagents below it), `tools` (who takes which call back),
//! `run` (the calls are taken back, each journaled before and after), `told` (what the model reads
//! of it).

mod run;
mod told;
mod tools;
mod tree;

use std::sync::Arc;

use legwork_core::undo::{PastCall, UndoStatus};
use legwork_core::{AgentState, Seq};
use legwork_port::{CannotUndo, Deps, Reach, Undo, unwind};
use legwork_session::writer::Writer;
use told::Told;

pub use run::{Undone, UndoneCall};
pub(super) use tools::{Opened, tools_of};
pub(super) use tree::plan;

/// From where on a session is undone; what was done last is taken back first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum UndoFrom {
    /// All that it did.
    Start,
    /// Its last execution.
    LastExecution,
    /// A step: the number that it has on the path to the head, from 1.
    Step(u64),
    /// An entry: the responses behind it, of all branches.
    Entry(Seq),
}

/// Who takes a call back; none if nobody does.
pub type Undoes<'a> = dyn Fn(&PastCall) -> Option<Arc<dyn Undo>> + Send + Sync + 'a;

/// What is to be taken back of a session, newest first. Nothing is done yet.
///
/// It holds the claim of the session: nobody works in it until this is run or dropped.
#[must_use = "nothing is taken back until it is run"]
pub struct UndoPlan {
    writer: Writer,
    state: AgentState,
    calls: Vec<PlannedUndo>,
    /// What undos took back that died before they told the model.
    untold: Vec<Told>,
    opened: Opened,
}

/// A call that is to be taken back.
#[non_exhaustive]
pub struct PlannedUndo {
    /// The call.
    pub call: PastCall,
    /// What comes of it.
    pub prospect: Prospect,
    undo: Option<Arc<dyn Undo>>,
}

/// Whether a call can be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Prospect {
    /// As far as this says.
    Can(Reach),
    /// It cannot now: what it did was changed since, or is not known.
    Cannot(CannotUndo),
    /// Its tool has no undo, or is not there any more.
    NoUndo,
}

impl UndoPlan {
    /// The calls that may have had an effect and were not taken back before, newest first.
    pub fn calls(&self) -> &[PlannedUndo] {
        &self.calls
    }

    /// Those that cannot be taken back, each with the reason. While there are any, nothing is
    /// taken back.
    pub fn refused(&self) -> impl Iterator<Item = (&PastCall, &CannotUndo)> {
        self.calls.iter().filter_map(|planned| match &planned.prospect {
            Prospect::Cannot(why) => Some((&planned.call, why)),
            _ => None,
        })
    }

    /// Those of which something stays whatever is done; what stays, in words, where the tool can
    /// say that.
    pub fn left(&self) -> impl Iterator<Item = (&PastCall, Option<&str>)> {
        self.calls.iter().filter_map(|planned| match &planned.prospect {
            Prospect::NoUndo => Some((&planned.call, None)),
            Prospect::Can(reach) => {
                reach.leaves.as_deref().map(|leaves| (&planned.call, Some(leaves)))
            }
            Prospect::Cannot(_) => None,
        })
    }

    /// What is to be done, in words, in the order in which it is done.
    pub fn undoes(&self) -> impl Iterator<Item = (&PastCall, &str)> {
        self.calls.iter().filter_map(|planned| Some((&planned.call, planned.undoes()?)))
    }

    /// The same without the calls that cannot be taken back: the rest is.
    pub fn without_refused(mut self) -> Self {
        self.calls.retain(|planned| !matches!(planned.prospect, Prospect::Cannot(_)));
        self
    }
}

impl PlannedUndo {
    /// A call with what comes of it once the later ones, newest first, are taken back.
    async fn of(
        call: PastCall,
        undo: Option<Arc<dyn Undo>>,
        later: &[PastCall],
        deps: &Deps,
    ) -> Self {
        let prospect = match &undo {
            None => Prospect::NoUndo,
            Some(undo) => match unwind::run(|| undo.check(&call, later, deps)).await {
                Ok(Ok(reach)) => Prospect::Can(reach),
                Ok(Err(why)) => Prospect::Cannot(why),
                Err(panic) => Prospect::Cannot(panicked(&panic)),
            },
        };
        Self { call, prospect, undo }
    }

    /// Whether its undo is run: there is something to do, or one that died may have left
    /// something.
    fn is_owed(&self) -> bool {
        let can = matches!(self.prospect, Prospect::Can(_));
        self.undoes().is_some() || (can && self.call.undo == UndoStatus::Begun)
    }

    /// What is to be done for it, in words; none if nothing is.
    fn undoes(&self) -> Option<&str> {
        match &self.prospect {
            Prospect::Can(reach) => reach.undoes.as_deref(),
            _ => None,
        }
    }
}

fn panicked(panic: &str) -> CannotUndo {
    CannotUndo(format!("its undo panicked: {panic}"))
}

impl std::fmt::Debug for UndoPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let calls = self.calls.iter().map(|planned| (&planned.call, &planned.prospect));
        f.debug_list().entries(calls).finish()
    }
}
