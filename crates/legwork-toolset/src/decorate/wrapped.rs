//! Tools whose calls a function runs.

use std::future::Future;
use std::sync::Arc;

use legwork_core::tool::IntoOutcome;
use legwork_core::{ToolCall, ToolOutcome};
use legwork_port::{BoxFuture, Tool, ToolContext};

use super::decorated::Decorator;
use super::layered::{Body, Layered};

/// A call that is about to run, and the tool that runs it.
pub struct Next {
    tool: Arc<dyn Tool>,
    call: ToolCall,
    context: ToolContext,
}

impl Next {
    /// The call, by the name that the tool knows itself by.
    pub fn call(&self) -> &ToolCall {
        &self.call
    }

    /// What the body of the tool sees and may use.
    pub fn context(&self) -> &ToolContext {
        &self.context
    }

    /// Runs the call. If it is never called, the body does not run.
    pub async fn run(&self) -> ToolOutcome {
        self.tool.call(&self.call, &self.context).await
    }
}

type Run = dyn Fn(Next) -> BoxFuture<'static, ToolOutcome> + Send + Sync;

/// Each call is run by a function.
pub(super) struct Wrapped {
    label: Arc<str>,
    run: Arc<Run>,
}

impl Wrapped {
    pub(super) fn new<F, R>(label: String, run: F) -> Self
    where
        F: Fn(Next) -> R + Send + Sync + 'static,
        R: Future<Output: IntoOutcome> + Send + 'static,
    {
        let run: Arc<Run> = Arc::new(move |next| {
            let running = run(next);
            Box::pin(async { running.await.into_outcome() })
        });
        Self { label: label.into(), run }
    }
}

impl Decorator for Wrapped {
    fn tool(&self, set: &Arc<str>, tool: &Arc<dyn Tool>) -> Option<Arc<dyn Tool>> {
        let body = Arc::new(Running(Arc::clone(&self.run)));
        Some(Arc::new(Layered::new(set, tool, Arc::clone(&self.label)).with_body(body)))
    }
}

struct Running(Arc<Run>);

impl Body for Running {
    fn call<'a>(
        &'a self,
        tool: &'a Arc<dyn Tool>,
        call: &'a ToolCall,
        cx: &'a ToolContext,
    ) -> BoxFuture<'a, ToolOutcome> {
        (self.0)(Next { tool: Arc::clone(tool), call: call.clone(), context: cx.clone() })
    }
}
