//! The tools of an agent: combined, compiled once, found by name.

use std::sync::{Arc, OnceLock};

use jsonschema::Validator;
use legwork_core::tool::ToolSpecs;
use legwork_core::{AgentState, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{BoxFuture, Tool, ToolContext, Toolset};
use serde_json::Value;
use tokio::sync::OnceCell;

use crate::validate;

/// The toolsets of an agent; what never changes is compiled once.
pub struct Toolbox {
    sets: Vec<Arc<dyn Toolset>>,
    fixed: OnceCell<Arc<Shown>>,
}

/// The tools of a step with their compiled schemas.
pub struct Shown {
    /// The tools as the model is shown them.
    pub specs: Arc<ToolSpecs>,
    owners: Vec<Arc<dyn Toolset>>,
    /// Compiled when a tool is first called: that takes longer than a request.
    validators: Vec<OnceLock<Result<Validator, String>>>,
}

impl Toolbox {
    /// The tools of several toolsets, in their order.
    pub fn new(sets: Vec<Arc<dyn Toolset>>) -> Self {
        Self { sets, fixed: OnceCell::new() }
    }

    /// The tools for a state.
    ///
    /// # Errors
    /// When a toolset cannot tell them, or two have one name.
    pub async fn shown(&self, state: &AgentState) -> Result<Arc<Shown>, String> {
        if !self.sets.iter().all(|set| set.is_static()) {
            return self.collect(state).await;
        }
        if let Some(shown) = self.fixed.get() {
            return Ok(Arc::clone(shown));
        }
        self.fixed.get_or_try_init(|| self.collect(state)).await.map(Arc::clone)
    }

    async fn collect(&self, state: &AgentState) -> Result<Arc<Shown>, String> {
        let mut specs: Vec<Arc<ToolSpec>> = Vec::new();
        let mut owners = Vec::new();
        let mut validators = Vec::new();
        for set in &self.sets {
            for spec in set.specs(state).await? {
                if specs.iter().any(|known| known.name == spec.name) {
                    return Err(format!(
                        "two tools are named `{}`: rename or leave out one",
                        spec.name
                    ));
                }
                validators.push(OnceLock::new());
                owners.push(Arc::clone(set));
                specs.push(spec);
            }
        }
        Ok(Arc::new(Shown { specs: Arc::new(ToolSpecs::new(specs)), owners, validators }))
    }

    pub(crate) async fn open(&self) -> Result<(), String> {
        for set in &self.sets {
            set.open().await?;
        }
        Ok(())
    }

    pub(crate) async fn close(&self) {
        for set in &self.sets {
            set.close().await;
        }
    }
}

impl Shown {
    /// Checks arguments of the tool at an index.
    ///
    /// # Errors
    /// What does not fit, in words for the model.
    pub fn validate(&self, index: usize, arguments: &Value) -> Result<(), String> {
        let (Some(validator), Some(spec)) =
            (self.validators.get(index), self.specs.iter().nth(index))
        else {
            return Ok(());
        };
        match validator.get_or_init(|| validate::compile(&spec.parameters)) {
            Ok(validator) => validate::check(validator, &spec.parameters, arguments),
            Err(error) => Err(format!("The tool's own schema is none: {error}.")),
        }
    }

    /// The toolset that has the tool at an index.
    pub(crate) fn owner(&self, index: usize) -> Option<&Arc<dyn Toolset>> {
        self.owners.get(index)
    }
}

/// Single tools as a toolset.
pub struct Tools(Vec<(Arc<ToolSpec>, Arc<dyn Tool>)>);

impl Tools {
    /// A toolset of these tools.
    pub fn new(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Self {
        Self(tools.into_iter().map(|tool| (tool.spec(), tool)).collect())
    }
}

impl Toolset for Tools {
    fn specs<'a>(
        &'a self,
        _state: &'a AgentState,
    ) -> BoxFuture<'a, Result<Vec<Arc<ToolSpec>>, String>> {
        let specs = self.0.iter().map(|(spec, _)| Arc::clone(spec)).collect();
        Box::pin(std::future::ready(Ok(specs)))
    }

    fn is_static(&self) -> bool {
        true
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        match self.0.iter().find(|(spec, _)| spec.name == call.name) {
            Some((_, tool)) => tool.call(call, cx),
            None => {
                let message = format!("there is no tool `{}`", call.name);
                Box::pin(std::future::ready(ToolOutcome::failed(message)))
            }
        }
    }
}
