//! The tools of an agent: combined, selected, compiled once, found by name.
//!
//! Read the modules in this order: `toolsets` (the sources of an agent), `shown` (the tools
//! of a step), this one (the tools of a run), `names`, `owner`, `schema`, `tools`.

mod names;
mod owner;
mod schema;
mod shown;
mod tools;
mod toolsets;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use legwork_core::tool::ToolSpecs;
use legwork_core::{AgentState, Seq};

pub use names::{List, Names};
pub use owner::{Given, Owner};
pub use schema::Schemas;
pub use schema::fits;
pub use shown::Shown;
pub use tools::Tools;
pub use toolsets::{Toolsets, is_name, odd_name};

/// The tools of one run: what the toolsets of its agent say, asked once a step.
pub struct Toolbox {
    toolsets: Arc<Toolsets>,
    last: Mutex<Last>,
}

/// The tools as they were last collected, and as a step last showed them.
#[derive(Default)]
struct Last {
    /// For a state of this version.
    all: Option<(Seq, Arc<Shown>)>,
    /// What a step showed, and of which tools that was made.
    shown: Option<(Arc<Shown>, Arc<Shown>)>,
}

impl Toolbox {
    /// The tools of a run of an agent that has these toolsets.
    pub fn new(toolsets: Arc<Toolsets>) -> Self {
        Self { toolsets, last: Mutex::default() }
    }

    /// All tools for a state. Toolsets that are not static are asked once a step, and once
    /// more if a hook changed the state before the step began.
    ///
    /// # Errors
    /// When a toolset cannot tell its tools, or two tools have one name.
    pub async fn all(&self, state: &AgentState) -> Result<Arc<Shown>, String> {
        if let Some(all) = self.toolsets.fixed() {
            return Ok(Arc::clone(all));
        }
        let before = self.last().all.clone();
        if let Some((version, all)) = &before
            && (state.current_step().is_some() || *version == state.version())
        {
            return Ok(Arc::clone(all));
        }
        let all = self.toolsets.collect(state, before.as_ref().map(|(_, all)| all)).await?;
        self.last().all = Some((state.version(), Arc::clone(&all)));
        Ok(all)
    }

    /// The tools as this run last collected them.
    pub fn known(&self) -> Arc<ToolSpecs> {
        match (self.toolsets.fixed(), &self.last().all) {
            (Some(all), _) | (None, Some((_, all))) => Arc::clone(&all.specs),
            (None, None) => Arc::default(),
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
        if let Some((shown, of)) = self.last().shown.clone()
            && Arc::ptr_eq(&of, &all)
            && recorded.digest.as_ref() == shown.specs.digest()
        {
            return Ok(shown);
        }
        Ok(self.keep(all.like(&recorded.specs), all))
    }

    fn keep(&self, shown: Shown, of: Arc<Shown>) -> Arc<Shown> {
        let shown = Arc::new(shown);
        self.last().shown = Some((Arc::clone(&shown), of));
        shown
    }

    fn last(&self) -> MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) async fn open(&self) -> Result<(), String> {
        *self.last() = Last::default();
        self.toolsets.open().await
    }

    pub(crate) async fn close(&self) {
        self.toolsets.close().await;
    }
}
