//! Taking the calls of a tool back.

use std::future::ready;

use legwork_core::undo::PastCall;

use crate::{BoxFuture, Deps};

/// How a tool takes its calls back.
///
/// The calls of a session are taken back in reverse order, those of several tools among each
/// other. The intent to take a call back is durable before [`Undo::undo`] runs, and what came of it
/// afterwards. Both methods are given the dependencies of the agent; there are none where a session
/// of a store is undone without an agent.
pub trait Undo: Send + Sync {
    /// Whether a call can be taken back once the later ones are, which are given newest first; a
    /// later one that cannot be taken back is not among them.
    ///
    /// Asked before anything is taken back, so that a person can be told. It has no effect.
    fn check<'a>(
        &'a self,
        call: &'a PastCall,
        later: &'a [PastCall],
        deps: &'a Deps,
    ) -> BoxFuture<'a, Result<Reach, CannotUndo>>;

    /// Takes a call back; gives what was done for it, in words.
    ///
    /// After a crash it runs again for a call that it may have taken back already
    /// ([`UndoStatus::Begun`](legwork_core::undo::UndoStatus::Begun)): it has to find that out, and
    /// to leave alone what was changed since the call. When it fails, nothing was changed.
    fn undo<'a>(
        &'a self,
        call: &'a PastCall,
        deps: &'a Deps,
    ) -> BoxFuture<'a, Result<String, CannotUndo>>;
}

/// The undo of a tool whose calls change nothing outside of the session, such as a list of tasks.
#[derive(Debug, Clone, Copy, Default)]
pub struct NothingOutside;

impl Undo for NothingOutside {
    fn check<'a>(
        &'a self,
        _call: &'a PastCall,
        _later: &'a [PastCall],
        _deps: &'a Deps,
    ) -> BoxFuture<'a, Result<Reach, CannotUndo>> {
        Box::pin(ready(Ok(Reach::nothing())))
    }

    fn undo<'a>(
        &'a self,
        _call: &'a PastCall,
        _deps: &'a Deps,
    ) -> BoxFuture<'a, Result<String, CannotUndo>> {
        Box::pin(ready(Ok("it changed nothing outside of the session".to_owned())))
    }
}

/// How much of a call can be taken back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Reach {
    /// What is to be done for it, in words; none if nothing that it changed is still there.
    pub undoes: Option<String>,
    /// What stays of it all the same, in words; none if nothing does.
    pub leaves: Option<String>,
}

impl Reach {
    /// There is nothing to be done.
    pub fn nothing() -> Self {
        Self::default()
    }

    /// All of it, by what these words say.
    pub fn whole(undoes: impl Into<String>) -> Self {
        Self { undoes: Some(undoes.into()), leaves: None }
    }

    /// The same, but this stays.
    #[must_use]
    pub fn leaving(self, leaves: impl Into<String>) -> Self {
        Self { leaves: Some(leaves.into()), ..self }
    }
}

/// Why a call cannot be taken back, in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CannotUndo(pub String);
