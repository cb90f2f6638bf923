//! The tools of one run.

use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::{Either, join_all, select};
use legwork_core::tool::ToolSpecs;
use legwork_core::{AgentState, Seq};
use legwork_port::toolset::Scope;
use legwork_port::{Emitter, Tool, unwind};
use tokio::sync;

use crate::source::Source;
use crate::step_tools::StepTools;
use crate::toolsets::Toolsets;

/// The tools of one run: what the toolsets of its agent list, asked once a step.
pub struct Toolbox {
    toolsets: Arc<Toolsets>,
    /// The toolsets that are open for this run.
    sources: sync::Mutex<Vec<Source>>,
    last: Mutex<Last>,
    events: Emitter,
}

/// The tools as they were last collected, and as a step last showed them.
#[derive(Default)]
struct Last {
    /// For a state of this version.
    all: Option<(Seq, Arc<StepTools>)>,
    /// What a step showed, and of which tools that was made.
    shown: Option<(Arc<StepTools>, Arc<StepTools>)>,
    /// The state with which the step began in which the run resumes.
    step_began: Option<AgentState>,
    /// Tools that are left out, because others have their names.
    left_out: Vec<String>,
}

impl Toolbox {
    /// The tools of a run of an agent that has these toolsets. Its observer is warned of
    /// toolsets that cannot be used.
    pub fn new(toolsets: Arc<Toolsets>, events: Emitter) -> Self {
        let (sources, last) = Default::default();
        Self { toolsets, sources, last, events }
    }

    /// Whether its tools are known without opening anything, and always shown.
    pub fn is_fixed(&self) -> bool {
        self.toolsets.is_fixed()
    }

    /// Lists the tools of the step under way for the state with which it began.
    ///
    /// Called when a run resumes in the middle of a step, so that a call finds the tool that
    /// the model was shown, whatever changed in the state since.
    pub fn list_as_of(&self, step_began: AgentState) {
        self.last().step_began = Some(step_began);
    }

    /// Opens the toolsets for a run, unless they are open. One that cannot be opened has no
    /// tools.
    pub async fn open(&self, scope: &Scope) {
        let mut sources = self.sources.lock().await;
        if self.toolsets.is_fixed() || !sources.is_empty() {
            return;
        }
        let step_began = self.last().step_began.take();
        *self.last() = Last { step_began, ..Last::default() };
        *sources = self.toolsets.open(scope).await;
        sources.iter().flat_map(Source::problems).for_each(|why| self.warn(&why));
    }

    /// Releases the toolsets. Those that no other run uses are closed when it returns, or, where
    /// closing takes longer than `limit`, dropped; observers are warned of that.
    pub async fn close(&self, limit: impl Future<Output = ()>) {
        let sources = std::mem::take(&mut *self.sources.lock().await);
        if sources.is_empty() {
            return;
        }
        let open = Mutex::new(sources.iter().map(|source| source.name()).collect::<Vec<_>>());
        let close = async |source: Source| {
            let name = source.name();
            source.close().await;
            open.lock().unwrap_or_else(PoisonError::into_inner).retain(|open| *open != name);
        };
        let mut closed = Box::pin(join_all(sources.into_iter().map(close)));
        if let Either::Right(_) = select(&mut closed, pin!(limit)).await {
            // What it owns may panic where it is dropped.
            let _ = unwind::call(|| drop(closed));
            let names = open.into_inner().unwrap_or_else(PoisonError::into_inner).join("`, `");
            self.warn(&format!("toolsets that did not close in time were dropped: `{names}`"));
        }
    }

    /// All tools for a state. Toolsets that were opened are asked once a step, and once more
    /// if a hook changed the state before the step began.
    ///
    /// # Errors
    /// When two tools have one name.
    pub async fn all(&self, state: &AgentState) -> Result<Arc<StepTools>, String> {
        if self.toolsets.is_fixed() {
            return Ok(Arc::clone(self.toolsets.fixed()));
        }
        let before = self.last().all.clone();
        if let Some((version, all)) = &before
            && (state.current_step().is_some() || *version == state.version())
        {
            return Ok(Arc::clone(all));
        }
        let step_began = self.last().step_began.take().filter(|_| state.current_step().is_some());
        let listed_for = step_began.as_ref().unwrap_or(state);
        let mut sources = self.sources.lock().await;
        for source in sources.iter_mut() {
            let known: Vec<_> = source.problems().collect();
            source.list(listed_for).await;
            source.problems().filter(|why| !known.contains(why)).for_each(|why| self.warn(&why));
        }
        let before = before.as_ref().map(|(_, all)| all);
        let (all, left_out) = self.toolsets.combine(&sources, before)?;
        let known = std::mem::replace(&mut self.last().left_out, left_out.clone());
        for clash in left_out.iter().filter(|clash| !known.contains(clash)) {
            self.warn(&format!("{clash}; the latter is left out"));
        }
        self.last().all = Some((state.version(), Arc::clone(&all)));
        Ok(all)
    }

    /// The tool of a name that a set has, whether it shows it or not.
    ///
    /// Only sets are asked whose tools are known without opening them. None if several have one.
    pub fn hidden(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.toolsets.hidden(name)
    }

    /// Why toolsets have no tools now.
    pub async fn problems(&self) -> Vec<String> {
        self.sources.lock().await.iter().flat_map(Source::problems).collect()
    }

    /// The tools as this run last collected them.
    pub fn known(&self) -> Arc<ToolSpecs> {
        match &self.last().all {
            Some((_, all)) => Arc::clone(&all.specs),
            None => Arc::clone(&self.toolsets.fixed().specs),
        }
    }

    /// The tools that the next inference of a state is shown: what a hook selected, or, in
    /// a step under way, what it was shown before.
    ///
    /// # Errors
    /// As [`Toolbox::all`], and when a required toolset cannot be used.
    pub async fn to_show(&self, state: &AgentState) -> Result<Arc<StepTools>, String> {
        let all = self.all(state).await?;
        if let Some(why) = all.missing() {
            return Err(format!("{why}; it is required"));
        }
        if state.current_step().is_some() {
            return self.shown(state).await;
        }
        let Some(selection) = state.tool_selection() else { return Ok(all) };
        Ok(self.keep(all.select(selection), all))
    }

    /// The tools that the step under way was shown, as its journal says: those of them
    /// that are there still.
    ///
    /// # Errors
    /// As [`Toolbox::all`].
    pub async fn shown(&self, state: &AgentState) -> Result<Arc<StepTools>, String> {
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

    fn keep(&self, shown: StepTools, of: Arc<StepTools>) -> Arc<StepTools> {
        let shown = Arc::new(shown);
        self.last().shown = Some((Arc::clone(&shown), of));
        shown
    }

    fn last(&self) -> MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn warn(&self, message: &str) {
        self.events.warn(|| message.to_owned());
    }
}
