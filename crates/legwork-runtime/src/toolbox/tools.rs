//! Single tools as a toolset.

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_core::{AgentState, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{BoxFuture, Tool, ToolContext, Toolset};
use serde_json::Value;

/// Single tools as a toolset.
pub struct Tools {
    name: String,
    specs: Vec<Arc<ToolSpec>>,
    /// By name; of several the first.
    tools: BTreeMap<Arc<str>, Arc<dyn Tool>>,
}

impl Tools {
    /// A toolset of a name with these tools.
    pub fn new(name: impl Into<String>, all: impl IntoIterator<Item = Arc<dyn Tool>>) -> Self {
        let (mut specs, mut tools) = (Vec::new(), BTreeMap::new());
        for tool in all {
            let spec = tool.spec();
            tools.entry(Arc::clone(&spec.name)).or_insert(tool);
            specs.push(spec);
        }
        Self { name: name.into(), specs, tools }
    }
}

impl Toolset for Tools {
    fn name(&self) -> &str {
        &self.name
    }

    fn specs<'a>(
        &'a self,
        _state: &'a AgentState,
    ) -> BoxFuture<'a, Result<Vec<Arc<ToolSpec>>, String>> {
        Box::pin(std::future::ready(Ok(self.specs.clone())))
    }

    fn is_static(&self) -> bool {
        true
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        match self.tools.get(&call.name) {
            Some(tool) => tool.call(call, cx),
            None => {
                let message = format!("there is no tool `{}`", call.name);
                Box::pin(std::future::ready(ToolOutcome::failed(message)))
            }
        }
    }

    fn resource(&self, spec: &ToolSpec, arguments: &Value) -> Option<String> {
        self.tools.get(&spec.name)?.resource(arguments)
    }
}
