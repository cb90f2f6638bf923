//! Single tools as a toolset.

use std::sync::Arc;

use legwork_port::{Tool, Toolset};

/// Tools that are always the same, as a toolset with a name.
pub struct Tools {
    name: String,
    tools: Vec<Arc<dyn Tool>>,
}

impl Tools {
    /// A toolset of a name with these tools.
    pub fn new(name: impl Into<String>, tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Self {
        Self { name: name.into(), tools: tools.into_iter().collect() }
    }
}

impl Toolset for Tools {
    fn name(&self) -> &str {
        &self.name
    }

    fn tools(&self) -> Option<Vec<Arc<dyn Tool>>> {
        Some(self.tools.clone())
    }
}
