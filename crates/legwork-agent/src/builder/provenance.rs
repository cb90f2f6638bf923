//! Which capability gave an agent which tool.

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_port::Tool;

/// The capability that gave a tool, by the name of the tool.
#[derive(Debug, Clone, Default)]
pub(crate) struct Provenance(BTreeMap<Arc<str>, String>);

impl Provenance {
    /// A capability gave these tools.
    pub(crate) fn note(&mut self, capability: &str, tools: &[Arc<dyn Tool>]) {
        for tool in tools {
            self.0.insert(Arc::clone(&tool.spec().name), capability.to_owned());
        }
    }

    /// A capability gave those of these tools that were not there before.
    pub(crate) fn note_new(
        &mut self,
        capability: &str,
        had: &[Arc<dyn Tool>],
        tools: &[Arc<dyn Tool>],
    ) {
        let is_new = |tool: &&Arc<dyn Tool>| !had.iter().any(|known| Arc::ptr_eq(known, tool));
        let new: Vec<_> = tools.iter().filter(is_new).map(Arc::clone).collect();
        self.note(capability, &new);
    }

    /// The capability that gave a tool; none = the builder was given it by itself.
    pub(crate) fn of(&self, tool: &str) -> Option<&str> {
        self.0.get(tool).map(String::as_str)
    }
}
