//! Tools that are shown in some steps only.

use std::future::ready;
use std::sync::Arc;

use legwork_core::{AgentState, ToolSpec};
use legwork_port::toolset::Error;
use legwork_port::{Tool, unwind};

use super::decorated::{Decorator, Listing};
use super::layered::Layered;
use crate::fault::panicked;

type Keep = dyn Fn(&ToolSpec, &AgentState) -> bool + Send + Sync;

/// In each step, the tools that a function keeps.
pub(super) struct Filtered(Box<Keep>);

impl Filtered {
    pub(super) fn new(
        keep: impl Fn(&ToolSpec, &AgentState) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self(Box::new(keep))
    }
}

impl Decorator for Filtered {
    fn tool(&self, set: &Arc<str>, tool: &Arc<dyn Tool>) -> Option<Arc<dyn Tool>> {
        Some(Arc::new(Layered::new(set, tool, "filtered".into())))
    }

    fn depends_on_state(&self) -> bool {
        true
    }

    fn shown<'a>(&'a self, mut tools: Vec<Arc<dyn Tool>>, state: &'a AgentState) -> Listing<'a> {
        let kept = unwind::call(|| tools.retain(|tool| (self.0)(&tool.spec(), state)));
        let shown = kept.map(|()| tools).map_err(|why| Error::Invalid(panicked(why)));
        Box::pin(ready(shown))
    }
}
