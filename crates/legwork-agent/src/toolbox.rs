//! The tools of an agent: combined, selected, compiled once, found by name.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use legwork_core::event::ToolsShown;
use legwork_core::tool::{ToolSelection, ToolSpecs};
use legwork_core::{AgentState, Digest, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{BoxFuture, Tool, ToolContext, Toolset};
use serde_json::Value;
use tokio::sync::OnceCell;

use crate::validate::Check;

/// The toolsets of an agent; what never changes is compiled once.
pub struct Toolbox {
    sets: Vec<Arc<dyn Toolset>>,
    names: Names,
    fixed: OnceCell<Arc<Shown>>,
    /// The tools as they were last collected, and as a step last showed them.
    last: Mutex<Last>,
}

#[derive(Default)]
struct Last {
    all: Arc<Shown>,
    /// What a step showed, and of which tools that was made.
    shown: Arc<Shown>,
    of: Arc<Shown>,
}

/// Which names of tools an agent may have; what is denied stays denied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// Only these; none = all.
    pub allowed: Option<BTreeSet<String>>,
    /// None of these.
    pub denied: BTreeSet<String>,
}

impl Names {
    /// Whether a tool of this name may be had.
    pub fn admit(&self, name: &str) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.contains(name))
            && !self.denied.contains(name)
    }
}

/// The tools of a step with their compiled schemas.
#[derive(Default)]
pub struct Shown {
    /// The tools as the model is shown them.
    pub specs: Arc<ToolSpecs>,
    tools: Vec<Shelf>,
}

/// One tool: where it comes from, what it is by itself, and its schema.
#[derive(Clone)]
struct Shelf {
    owner: Arc<dyn Toolset>,
    /// The digest of the tool as it is by itself, however it is shown.
    digest: Digest,
    /// The tool by itself, where it is shown with another schema: calls fit both.
    own: Option<(Arc<ToolSpec>, Arc<Check>)>,
    check: Arc<Check>,
}

impl Toolbox {
    /// The tools of several toolsets, in their order.
    pub fn new(sets: Vec<Arc<dyn Toolset>>) -> Self {
        Self { sets, names: Names::default(), fixed: OnceCell::new(), last: Mutex::default() }
    }

    /// The same, with these names only.
    #[must_use]
    pub fn with_names(self, names: Names) -> Self {
        Self { names, ..self }
    }

    /// All tools for a state.
    ///
    /// # Errors
    /// When a toolset cannot tell them, or two have one name.
    pub async fn all(&self, state: &AgentState) -> Result<Arc<Shown>, String> {
        if let Some(all) = self.fixed.get() {
            return Ok(Arc::clone(all));
        }
        let all = match self.sets.iter().all(|set| set.is_static()) {
            true => Arc::clone(self.fixed.get_or_try_init(|| self.collect(state)).await?),
            false => self.collect(state).await?,
        };
        self.last().all = Arc::clone(&all);
        Ok(all)
    }

    /// The tools as they were last collected.
    pub fn known(&self) -> Arc<ToolSpecs> {
        match self.fixed.get() {
            Some(all) => Arc::clone(&all.specs),
            None => Arc::clone(&self.last().all.specs),
        }
    }

    /// The tools that the next inference of a state is shown: what a hook selected, or, in
    /// a step under way, what it was shown before.
    ///
    /// # Errors
    /// As [`Toolbox::all`].
    pub async fn to_show(&self, state: &AgentState) -> Result<Arc<Shown>, String> {
        if state.current_step().is_some() {
            return self.shown(state).await;
        }
        let all = self.all(state).await?;
        let Some(selection) = state.tool_selection() else { return Ok(all) };
        Ok(self.keep(all.select(selection), all))
    }

    /// The tools that the step under way was shown, as its journal says: those of them
    /// that are there still.
    ///
    /// # Errors
    /// As [`Toolbox::all`].
    pub async fn shown(&self, state: &AgentState) -> Result<Arc<Shown>, String> {
        let all = self.all(state).await?;
        let Some(recorded) = &state.context().tools_shown else { return Ok(all) };
        if recorded.digest.as_ref() == all.specs.digest() {
            return Ok(all);
        }
        let (last, of) = {
            let last = self.last();
            (Arc::clone(&last.shown), Arc::clone(&last.of))
        };
        if Arc::ptr_eq(&of, &all) && recorded.digest.as_ref() == last.specs.digest() {
            return Ok(last);
        }
        Ok(self.keep(all.like(recorded.specs.iter()), all))
    }

    fn keep(&self, shown: Shown, of: Arc<Shown>) -> Arc<Shown> {
        let shown = Arc::new(shown);
        let mut last = self.last();
        last.shown = Arc::clone(&shown);
        last.of = of;
        shown
    }

    fn last(&self) -> std::sync::MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn collect(&self, state: &AgentState) -> Result<Arc<Shown>, String> {
        let mut specs: Vec<Arc<ToolSpec>> = Vec::new();
        let mut tools = Vec::new();
        for set in &self.sets {
            for spec in set.specs(state).await? {
                if specs.iter().any(|known| known.name == spec.name) {
                    return Err(format!(
                        "two tools are named `{}`: rename or leave out one",
                        spec.name
                    ));
                }
                if !self.names.admit(&spec.name) {
                    continue;
                }
                let (owner, digest) = (Arc::clone(set), spec.digest());
                tools.push(Shelf { owner, digest, own: None, check: Arc::default() });
                specs.push(spec);
            }
        }
        Ok(Arc::new(Shown { specs: Arc::new(ToolSpecs::new(specs)), tools }))
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
    fn select(&self, selection: &ToolSelection) -> Self {
        self.each(|spec| selection.apply(spec))
    }

    /// Those of these tools that are here, in the words that were recorded.
    fn like<'a>(&self, recorded: impl Iterator<Item = &'a Arc<ToolSpec>> + Clone) -> Self {
        self.each(|spec| recorded.clone().find(|known| known.name == spec.name).cloned())
    }

    fn each(&self, shown_as: impl Fn(&Arc<ToolSpec>) -> Option<Arc<ToolSpec>>) -> Self {
        let (mut specs, mut tools) = (Vec::new(), Vec::new());
        for (spec, shelf) in self.specs.iter().zip(&self.tools) {
            let Some(shown) = shown_as(spec) else { continue };
            let mut shelf = shelf.clone();
            if shown.parameters != spec.parameters {
                let own = std::mem::take(&mut shelf.check);
                shelf.own = Some((Arc::clone(spec), own));
            }
            specs.push(shown);
            tools.push(shelf);
        }
        Self { specs: Arc::new(ToolSpecs::new(specs)), tools }
    }

    /// What is to be recorded of these tools, if the journal of a state does not have them.
    pub(crate) fn unless_known(&self, state: &AgentState) -> Option<ToolsShown> {
        let known = state.context().tools_shown.as_ref();
        let digest = self.specs.digest();
        // Where nothing was recorded yet, all tools were shown: that a hook hid them is news.
        let hidden = known.is_none() && state.tool_selection().is_some();
        let same = known.and_then(|known| known.digest.as_ref()) == digest;
        (hidden || !same).then(|| ToolsShown {
            digest: digest.cloned(),
            specs: self.specs.iter().map(Arc::clone).collect(),
            digests: self.tools.iter().map(|shelf| shelf.digest.clone()).collect(),
        })
    }

    /// Checks arguments of the tool at an index.
    ///
    /// # Errors
    /// What does not fit, in words for the model.
    pub fn validate(&self, index: usize, arguments: &Value) -> Result<(), String> {
        let (Some(shelf), Some(spec)) = (self.tools.get(index), self.specs.iter().nth(index))
        else {
            return Ok(());
        };
        shelf.check.value(&spec.parameters, arguments)?;
        match &shelf.own {
            Some((own, check)) => check.value(&own.parameters, arguments),
            None => Ok(()),
        }
    }

    /// The digest of the tool at an index as it is by itself.
    pub(crate) fn digest_of(&self, index: usize) -> Option<&Digest> {
        self.tools.get(index).map(|shelf| &shelf.digest)
    }

    /// The toolset that has the tool at an index.
    pub(crate) fn owner(&self, index: usize) -> Option<&Arc<dyn Toolset>> {
        self.tools.get(index).map(|shelf| &shelf.owner)
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
