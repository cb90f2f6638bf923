//! Capabilities around what somebody already has: tools, hooks.

use std::sync::Arc;

use legwork_lifecycle::hooks::Hook;
use legwork_port::Tool;

use crate::agent::builder::Builder;
use crate::capability::Capability;

/// Tools under one name.
///
/// ```
/// # use legwork_core::{ToolCall, ToolOutcome, ToolSpec};
/// # use legwork_port::{BoxFuture, Tool, ToolContext};
/// # use legwork_testkit::{ScriptedModel, Turn};
/// # use std::sync::Arc;
/// # struct Add;
/// # impl Tool for Add {
/// #     fn spec(&self) -> Arc<ToolSpec> {
/// #         let schema = serde_json::json!({"type": "object"});
/// #         Arc::new(ToolSpec::new("add", "Adds.", schema))
/// #     }
/// #     fn call<'a>(&'a self, _: &'a ToolCall, _: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
/// #         Box::pin(async { ToolOutcome::text("2") })
/// #     }
/// # }
/// use legwork_agent::{Agent, capability::ToolsCapability};
///
/// # fn main() -> Result<(), legwork_agent::Error> {
/// # let model = ScriptedModel::new([Turn::text("hello")]);
/// let arithmetic = ToolsCapability::new("arithmetic", "Calculates.").tool(Add);
/// let agent = Agent::builder(model).capability(arithmetic).build()?;
/// # let _ = agent;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ToolsCapability {
    name: Arc<str>,
    about: Arc<str>,
    tools: Vec<Arc<dyn Tool>>,
    section: Option<Arc<str>>,
}

impl ToolsCapability {
    /// No tools yet, under a name, with what they give an agent.
    pub fn new(name: impl Into<Arc<str>>, about: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), about: about.into(), tools: Vec::new(), section: None }
    }

    /// The same with a tool.
    #[must_use]
    pub fn tool(mut self, tool: impl Tool + 'static) -> Self {
        self.tools.push(Arc::new(tool));
        self
    }

    /// The same with tools.
    #[must_use]
    pub fn tools(mut self, tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Self {
        self.tools.extend(tools);
        self
    }

    /// The same with a section of the system prompt that says how to use them.
    #[must_use]
    pub fn section(self, section: impl Into<Arc<str>>) -> Self {
        Self { section: Some(section.into()), ..self }
    }
}

impl Capability for ToolsCapability {
    fn name(&self) -> &str {
        &self.name
    }

    fn about(&self) -> &str {
        &self.about
    }

    fn install(&self, builder: Builder) -> Builder {
        builder.tools(self.tools.iter().cloned())
    }

    fn section(&self, _: &crate::capability::Resolved<'_>) -> Option<String> {
        self.section.as_deref().map(str::to_owned)
    }
}

/// Hooks under one name, such as those that only together make sense.
#[derive(Debug, Clone)]
pub struct HookCapability {
    name: Arc<str>,
    about: Arc<str>,
    hooks: Vec<Hook>,
}

impl HookCapability {
    /// No hooks yet, under a name, with what they give an agent.
    pub fn new(name: impl Into<Arc<str>>, about: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), about: about.into(), hooks: Vec::new() }
    }

    /// The same with a hook.
    #[must_use]
    pub fn hook(mut self, hook: impl Into<Hook>) -> Self {
        self.hooks.push(hook.into());
        self
    }
}

impl Capability for HookCapability {
    fn name(&self) -> &str {
        &self.name
    }

    fn about(&self) -> &str {
        &self.about
    }

    fn install(&self, builder: Builder) -> Builder {
        self.hooks.iter().cloned().fold(builder, Builder::hook)
    }
}
