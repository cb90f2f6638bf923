//! A set whose tools are always shown, as an open one.

use std::future::ready;
use std::sync::Arc;

use legwork_core::AgentState;
use legwork_port::toolset::{Error, OpenToolset, Scope};
use legwork_port::{Tool, Toolset};

use super::decorated::Listing;

/// Opens a set, also one that needs no opening.
///
/// # Errors
/// Why it cannot be opened.
pub(crate) async fn open(set: &dyn Toolset, scope: &Scope) -> Result<Box<dyn OpenToolset>, Error> {
    match set.tools().filter(|_| set.is_fixed()) {
        Some(tools) => Ok(Box::new(Fixed(tools))),
        None => set.open(scope).await,
    }
}

/// Tools that are always the same.
struct Fixed(Vec<Arc<dyn Tool>>);

impl OpenToolset for Fixed {
    fn tools<'a>(&'a self, _: &'a AgentState) -> Listing<'a> {
        Box::pin(ready(Ok(self.0.clone())))
    }

    fn revision(&self) -> Option<u64> {
        Some(0)
    }
}
