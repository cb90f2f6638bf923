//! A tool as a decorator hands it on.

use std::borrow::Cow;
use std::sync::Arc;

use legwork_core::undo::PastCall;
use legwork_core::{ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{
    Admission, AdmittedCall, BoxFuture, CannotUndo, Deps, Reach, Tool, ToolContext, Undo,
};
use serde_json::Value;

/// How a decorator runs a call of a tool.
pub(super) trait Body: Send + Sync {
    fn call<'a>(
        &'a self,
        tool: &'a Arc<dyn Tool>,
        call: &'a ToolCall,
        cx: &'a ToolContext,
    ) -> BoxFuture<'a, ToolOutcome>;
}

/// Whether a decorator lets a call run.
pub(super) trait Admits: Send + Sync {
    fn admit(&self, spec: &ToolSpec, call: &AdmittedCall<'_>) -> Admission;
}

/// A tool with another spec, or another way to be called.
pub(crate) struct Layered {
    tool: Arc<dyn Tool>,
    spec: Arc<ToolSpec>,
    /// The name that the tool knows itself by, if it is another one.
    own_name: Option<Arc<str>>,
    body: Option<Arc<dyn Body>>,
    admits: Option<Arc<dyn Admits>>,
    chain: Vec<Arc<str>>,
}

impl Layered {
    /// A tool of a set as a decorator with this label hands it on.
    pub(crate) fn new(set: &Arc<str>, tool: &Arc<dyn Tool>, label: Arc<str>) -> Self {
        let mut chain = tool.chain();
        if chain.is_empty() {
            chain.push(Arc::clone(set));
        }
        chain.push(label);
        let (tool, spec) = (Arc::clone(tool), tool.spec());
        Self { tool, spec, own_name: None, body: None, admits: None, chain }
    }

    /// The same with another spec.
    pub(super) fn with_spec(self, change: impl FnOnce(ToolSpec) -> ToolSpec) -> Self {
        let spec = change(ToolSpec::clone(&self.spec));
        let own_name = (spec.name != self.spec.name).then(|| Arc::clone(&self.spec.name));
        Self { spec: Arc::new(spec), own_name, ..self }
    }

    /// The same, shown with another chain.
    pub(super) fn with_chain(self, chain: Vec<Arc<str>>) -> Self {
        Self { chain, ..self }
    }

    /// The same, its calls run in another way.
    pub(super) fn with_body(self, body: Arc<dyn Body>) -> Self {
        Self { body: Some(body), ..self }
    }

    /// The same; whether a call may run is asked of the tool first, then here.
    pub(super) fn with_admission(self, admits: Arc<dyn Admits>) -> Self {
        Self { admits: Some(admits), ..self }
    }

    /// The call as the tool itself knows it.
    fn own<'c>(&self, call: &'c ToolCall) -> Cow<'c, ToolCall> {
        match &self.own_name {
            Some(name) => Cow::Owned(ToolCall { name: Arc::clone(name), ..call.clone() }),
            None => Cow::Borrowed(call),
        }
    }

    /// A call of before as the tool itself knows it.
    fn own_past(&self, past: &PastCall) -> PastCall {
        let call = Arc::new(self.own(&past.call).into_owned());
        PastCall { call, ..past.clone() }
    }
}

impl Tool for Layered {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.spec)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        match (&self.body, &self.own_name) {
            (None, None) => self.tool.call(call, cx),
            (Some(body), None) => body.call(&self.tool, call, cx),
            (body, Some(_)) => Box::pin(async move {
                let own = self.own(call);
                match body {
                    Some(body) => body.call(&self.tool, &own, cx).await,
                    None => self.tool.call(&own, cx).await,
                }
            }),
        }
    }

    fn admit(&self, call: &AdmittedCall<'_>) -> Admission {
        let own = self.own(call.call);
        let inner = self.tool.admit(&AdmittedCall { call: &own, ..*call });
        match &self.admits {
            Some(admits) => inner.and(admits.admit(&self.spec, call)),
            None => inner,
        }
    }

    fn resource(&self, arguments: &Value) -> Option<String> {
        if self.spec.resource != self.tool.spec().resource {
            return self.spec.resource_of(arguments);
        }
        self.tool.resource(arguments)
    }

    fn undo(&self) -> Option<&dyn Undo> {
        let undo = self.tool.undo()?;
        Some(if self.own_name.is_some() { self } else { undo })
    }

    fn chain(&self) -> Vec<Arc<str>> {
        self.chain.clone()
    }
}

/// Hands a call on under the name that the tool knows itself by.
impl Undo for Layered {
    fn check<'a>(
        &'a self,
        call: &'a PastCall,
        later: &'a [PastCall],
        deps: &'a Deps,
    ) -> BoxFuture<'a, Result<Reach, CannotUndo>> {
        Box::pin(async move {
            let undo = self.tool.undo().ok_or_else(no_undo)?;
            undo.check(&self.own_past(call), later, deps).await
        })
    }

    fn undo<'a>(
        &'a self,
        call: &'a PastCall,
        deps: &'a Deps,
    ) -> BoxFuture<'a, Result<String, CannotUndo>> {
        Box::pin(async move {
            let undo = self.tool.undo().ok_or_else(no_undo)?;
            undo.undo(&self.own_past(call), deps).await
        })
    }
}

fn no_undo() -> CannotUndo {
    CannotUndo("its tool has no undo".to_owned())
}
