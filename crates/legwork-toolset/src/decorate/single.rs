//! What can be made of one tool.

use std::sync::Arc;

use legwork_core::ToolSpec;
use legwork_port::Tool;

use super::approval::Ask;
use super::decorated::Decorator as _;
use super::layered::Layered;
use super::permissions::Permissions;

/// What can be made of one tool.
pub trait ToolExt {
    /// The same tool with another spec: another name, description or schema.
    ///
    /// Its arguments are checked against the new schema only; those that its body cannot read
    /// make the call fail.
    fn with_spec(self, change: impl FnOnce(ToolSpec) -> ToolSpec) -> Arc<dyn Tool>;

    /// The same tool, some of whose calls a person has to approve.
    fn approval_required(self, ask: Ask) -> Arc<dyn Tool>;

    /// The same tool, whose calls run, need approval or never run, by rules.
    fn permissions(self, permissions: Permissions) -> Arc<dyn Tool>;
}

impl ToolExt for Arc<dyn Tool> {
    fn with_spec(self, change: impl FnOnce(ToolSpec) -> ToolSpec) -> Arc<dyn Tool> {
        let chain = self.chain();
        Arc::new(Layered::new(&"".into(), &self, "".into()).with_spec(change).with_chain(chain))
    }

    fn approval_required(self, ask: Ask) -> Arc<dyn Tool> {
        let name = Arc::clone(&self.spec().name);
        ask.tool(&name, &self).unwrap_or(self)
    }

    fn permissions(self, permissions: Permissions) -> Arc<dyn Tool> {
        let name = Arc::clone(&self.spec().name);
        permissions.tool(&name, &self).unwrap_or(self)
    }
}
