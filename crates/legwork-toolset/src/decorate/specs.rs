//! Tools with other specs.

use std::sync::Arc;

use legwork_core::ToolSpec;
use legwork_port::Tool;

use super::decorated::Decorator;
use super::layered::Layered;

/// Each tool with what a function makes of its spec.
pub(super) struct Respecified {
    label: Arc<str>,
    change: Box<dyn Fn(ToolSpec) -> ToolSpec + Send + Sync>,
}

impl Respecified {
    pub(super) fn new(
        label: String,
        change: impl Fn(ToolSpec) -> ToolSpec + Send + Sync + 'static,
    ) -> Self {
        Self { label: label.into(), change: Box::new(change) }
    }
}

impl Decorator for Respecified {
    fn tool(&self, set: &Arc<str>, tool: &Arc<dyn Tool>) -> Option<Arc<dyn Tool>> {
        let layered = Layered::new(set, tool, Arc::clone(&self.label));
        Some(Arc::new(layered.with_spec(&self.change)))
    }
}
