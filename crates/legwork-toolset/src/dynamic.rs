//! Toolsets that a function makes of the state.

use std::future::{Future, ready};
use std::sync::Arc;

use legwork_core::{AgentState, Seq, SessionId};
use legwork_port::toolset::{Error, OpenToolset, Scope};
use legwork_port::{BoxFuture, Tool, Toolset};
use tokio::sync;

use crate::decorate::Listing;

type Make = dyn Fn(AgentState) -> Listing<'static> + Send + Sync;

/// A toolset whose tools a function makes of the state, once a step.
///
/// The function is asked once more if a hook changed the state before the step began. If a run
/// resumes in the middle of a step, it is given the state with which the step began.
///
/// ```
/// use std::sync::Arc;
/// # use legwork_port::{Tool, Toolset};
/// use legwork_toolset::dynamic;
///
/// # fn of(close: Arc<dyn Tool>) -> impl Toolset {
/// // The case can be closed once it was looked at.
/// dynamic("case", move |state| {
///     let tools = state.last_step_result().is_some().then(|| Arc::clone(&close));
///     async move { Ok(tools.into_iter().collect()) }
/// })
/// # }
/// ```
pub fn dynamic<F, R>(name: impl Into<Arc<str>>, make: F) -> Dynamic
where
    F: Fn(AgentState) -> R + Send + Sync + 'static,
    R: Future<Output = Result<Vec<Arc<dyn Tool>>, Error>> + Send + 'static,
{
    let make: Arc<Make> = Arc::new(move |state| Box::pin(make(state)));
    Dynamic { name: name.into(), make, each: Each::Step }
}

/// A toolset whose tools a function makes of the state; made by [`dynamic`].
#[derive(Clone)]
pub struct Dynamic {
    name: Arc<str>,
    make: Arc<Make>,
    each: Each,
}

/// When the tools are made.
#[derive(Clone, Copy, PartialEq)]
enum Each {
    Step,
    Execution,
}

impl Dynamic {
    /// The same, its tools made once for an execution, and again when it is resumed.
    #[must_use]
    pub fn per_execution(self) -> Self {
        Self { each: Each::Execution, ..self }
    }
}

impl Toolset for Dynamic {
    fn name(&self) -> &str {
        &self.name
    }

    fn open<'a>(&'a self, _: &'a Scope) -> BoxFuture<'a, Result<Box<dyn OpenToolset>, Error>> {
        let open = Open { set: self.clone(), last: sync::Mutex::default() };
        Box::pin(ready(Ok(Box::new(open) as Box<dyn OpenToolset>)))
    }

    fn share_key(&self, scope: &Scope) -> String {
        match self.each {
            Each::Step => String::new(),
            Each::Execution => scope.session.to_string(),
        }
    }
}

struct Open {
    set: Dynamic,
    /// The tools of an execution.
    last: sync::Mutex<Option<Made>>,
}

struct Made {
    of: (SessionId, Option<Seq>),
    tools: Vec<Arc<dyn Tool>>,
}

impl OpenToolset for Open {
    fn tools<'a>(&'a self, state: &'a AgentState) -> Listing<'a> {
        if self.set.each == Each::Step {
            return (self.set.make)(state.clone());
        }
        Box::pin(async move {
            let of = (state.session().clone(), state.execution().map(|execution| execution.id));
            let mut last = self.last.lock().await;
            if let Some(made) = last.as_ref().filter(|made| made.of == of) {
                return Ok(made.tools.clone());
            }
            let tools = (self.set.make)(state.clone()).await?;
            *last = Some(Made { of, tools: tools.clone() });
            Ok(tools)
        })
    }
}
