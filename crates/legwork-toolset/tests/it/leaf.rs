//! Toolsets that the tests are made of.

use std::future::ready;
use std::sync::Arc;

use legwork_core::{AgentState, EffectClass, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::toolset::{Error, OpenToolset, Scope};
use legwork_port::{BoxFuture, Tool, ToolContext, Toolset};
use serde_json::json;

/// A tool that answers with the name of its set, and the name that it was called by.
pub(crate) struct Says {
    set: &'static str,
    spec: Arc<ToolSpec>,
}

pub(crate) fn says(set: &'static str, name: &str) -> Arc<dyn Tool> {
    says_as(set, name, EffectClass::ReadOnly)
}

pub(crate) fn says_as(set: &'static str, name: &str, effect: EffectClass) -> Arc<dyn Tool> {
    let spec = ToolSpec::new(name, "Says who it is.", json!({"type": "object"})).effect(effect);
    Arc::new(Says { set, spec: Arc::new(spec) })
}

impl Tool for Says {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.spec)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, _: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(ready(ToolOutcome::text(format!("{}/{}", self.set, call.name))))
    }
}

/// Tools that have to be opened.
pub(crate) struct Opened(pub(crate) &'static str, pub(crate) Vec<Arc<dyn Tool>>);

impl Toolset for Opened {
    fn name(&self) -> &str {
        self.0
    }

    fn open<'a>(&'a self, _: &'a Scope) -> BoxFuture<'a, Result<Box<dyn OpenToolset>, Error>> {
        Box::pin(ready(Ok(Box::new(Open(self.1.clone())) as Box<dyn OpenToolset>)))
    }
}

struct Open(Vec<Arc<dyn Tool>>);

impl OpenToolset for Open {
    fn tools<'a>(&'a self, _: &'a AgentState) -> BoxFuture<'a, Result<Vec<Arc<dyn Tool>>, Error>> {
        Box::pin(ready(Ok(self.0.clone())))
    }
}
