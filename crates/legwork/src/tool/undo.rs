//! The undo of tools made of functions and closures.

use std::fmt::Display;
use std::future::ready;

use legwork_core::undo::PastCall;
use legwork_port::{BoxFuture, CannotUndo, Deps, Reach, Undo};

/// What is told of a call whose undo is a function.
#[doc(hidden)]
pub fn by_function<'a>() -> BoxFuture<'a, Result<Reach, CannotUndo>> {
    Box::pin(ready(Ok(Reach::whole("run the undo of its tool"))))
}

/// What such a function gave.
#[doc(hidden)]
pub fn outcome<T: Into<String>, E: Display>(undone: Result<T, E>) -> Result<String, CannotUndo> {
    undone.map(Into::into).map_err(|error| CannotUndo(error.to_string()))
}

/// A function that takes calls back.
pub(super) struct ByFunction<F>(pub(super) F);

impl<F, T> Undo for ByFunction<F>
where
    F: Fn(PastCall, Deps) -> T + Send + Sync,
    T: Future<Output = Result<String, CannotUndo>> + Send + 'static,
{
    fn check<'a>(
        &'a self,
        _call: &'a PastCall,
        _later: &'a [PastCall],
        _deps: &'a Deps,
    ) -> BoxFuture<'a, Result<Reach, CannotUndo>> {
        by_function()
    }

    fn undo<'a>(
        &'a self,
        call: &'a PastCall,
        deps: &'a Deps,
    ) -> BoxFuture<'a, Result<String, CannotUndo>> {
        Box::pin((self.0)(call.clone(), deps.clone()))
    }
}
