//! Tools that are made anew for each step.

use std::future::Future;
use std::sync::Arc;

use legwork_core::AgentState;
use legwork_port::Tool;
use legwork_port::toolset::Error;

use super::decorated::{Decorator, Listing};
use super::layered::Layered;

type Prepare = dyn Fn(Vec<Arc<dyn Tool>>, AgentState) -> Listing<'static> + Send + Sync;

/// In each step, what a function makes of the tools.
pub(super) struct Prepared(Box<Prepare>);

impl Prepared {
    pub(super) fn new<F, R>(prepare: F) -> Self
    where
        F: Fn(Vec<Arc<dyn Tool>>, AgentState) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Vec<Arc<dyn Tool>>, Error>> + Send + 'static,
    {
        Self(Box::new(move |tools, state| Box::pin(prepare(tools, state))))
    }
}

impl Decorator for Prepared {
    fn tool(&self, set: &Arc<str>, tool: &Arc<dyn Tool>) -> Option<Arc<dyn Tool>> {
        Some(Arc::new(Layered::new(set, tool, "prepared".into())))
    }

    fn depends_on_state(&self) -> bool {
        true
    }

    fn adds_nothing(&self) -> bool {
        false
    }

    fn shown<'a>(&'a self, tools: Vec<Arc<dyn Tool>>, state: &'a AgentState) -> Listing<'a> {
        (self.0)(tools, state.clone())
    }
}
