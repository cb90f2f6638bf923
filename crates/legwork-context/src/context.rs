//! What the models of an agent read, and what is done to keep it short.

use std::fmt;
use std::sync::Arc;

use legwork_port::{AppMessage, Embedder, Model};

use crate::compaction::Policy;
use crate::pipeline::Pipeline;
use crate::transform::Transform;
use crate::transforms::{RemoveSimilar, SummariseResults};

/// The priority of the transform that shows summaries: what comes before it redacts.
const SUMMARISED: i32 = 200;

/// What the models of an agent read of its sessions, and what is done to keep it short.
///
/// By default a model reads the conversation as it is, and the conversation is compacted when it
/// fills the window of the model.
///
/// ```
/// use legwork_context::Context;
/// use legwork_context::compaction::Policy;
/// use legwork_context::transforms::{SlidingWindow, TruncateResults};
///
/// let context = Context::new()
///     .transform(TruncateResults::new().bytes(20_000))
///     .transform(SlidingWindow::of_units(400))
///     .compaction(Policy::new().share(80));
/// assert_eq!(context.pipeline().transforms().len(), 2);
/// ```
#[derive(Clone)]
pub struct Context {
    pipeline: Pipeline,
    pub(crate) compaction: Option<Policy>,
    pub(crate) summaries: Option<Summaries>,
    pub(crate) similar: Option<Similar>,
}

/// Which results are summarised, and by which model.
#[derive(Clone)]
pub(crate) struct Summaries {
    pub(crate) which: SummariseResults,
    /// None = the model of the session.
    pub(crate) by: Option<Arc<dyn Model>>,
}

/// Which results are compared, and how.
#[derive(Clone)]
pub(crate) struct Similar {
    pub(crate) which: RemoveSimilar,
    pub(crate) embedder: Arc<dyn Embedder>,
    pub(crate) least: f32,
}

impl Default for Context {
    fn default() -> Self {
        let (pipeline, compaction) = (Pipeline::new(), Some(Policy::new()));
        Self { pipeline, compaction, summaries: None, similar: None }
    }
}

impl Context {
    /// The conversation as it is, compacted when it fills the window of the model.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with one more transform, in its place by priority.
    #[must_use]
    pub fn transform(self, transform: impl Transform + 'static) -> Self {
        Self { pipeline: self.pipeline.with(transform), ..self }
    }

    /// The same with messages of a kind of the program, which it renders.
    #[must_use]
    pub fn app<T: AppMessage>(self) -> Self {
        Self { pipeline: self.pipeline.with_app::<T>(), ..self }
    }

    /// The same, compacted by this policy.
    #[must_use]
    pub fn compaction(self, policy: Policy) -> Self {
        Self { compaction: Some(policy), ..self }
    }

    /// The same, compacted only on request: a request that is too long fails.
    #[must_use]
    pub fn without_compaction(self) -> Self {
        Self { compaction: None, ..self }
    }

    /// The same with a summary in place of long results of tools, which the model of the session
    /// makes before they are sent for the first time.
    #[must_use]
    pub fn summarise_results(self, which: SummariseResults) -> Self {
        self.summarised(which, None)
    }

    /// The same with a summary in place of long results of tools, which another model makes.
    #[must_use]
    pub fn summarise_results_by(
        self,
        model: impl Model + 'static,
        which: SummariseResults,
    ) -> Self {
        self.summarised(which, Some(Arc::new(model)))
    }

    fn summarised(self, which: SummariseResults, by: Option<Arc<dyn Model>>) -> Self {
        let pipeline = self.pipeline.with(which);
        Self { pipeline, summaries: Some(Summaries { which, by }), ..self }
    }

    /// The same without results that mean the same as an earlier one: those with vectors whose
    /// cosine is at least `least`, from 0 to 1. 0.95 finds what says the same in other words.
    ///
    /// A result is compared with those of the same run that the model still reads.
    #[must_use]
    pub fn remove_similar(
        self,
        embedder: impl Embedder + 'static,
        which: RemoveSimilar,
        least: f32,
    ) -> Self {
        let pipeline = self.pipeline.with(which);
        let similar = Similar { which, embedder: Arc::new(embedder), least };
        Self { pipeline, similar: Some(similar), ..self }
    }

    /// What makes the messages that a model reads.
    pub fn pipeline(&self) -> &Pipeline {
        &self.pipeline
    }

    /// How many transforms change messages before any result is summarised.
    pub(crate) fn redacted(&self) -> usize {
        let transforms = self.pipeline.transforms();
        transforms.iter().filter(|one| one.priority() < SUMMARISED).count()
    }

    /// When the conversation is compacted; none = only on request.
    pub fn policy(&self) -> Option<&Policy> {
        self.compaction.as_ref()
    }

    /// The embedder and models that it asks beside the model of the session.
    pub fn masks(&self) -> impl Iterator<Item = legwork_core::Mask> {
        let model = self.summaries.iter().filter_map(|one| one.by.as_ref()).map(|by| by.mask());
        model.chain(self.similar.iter().map(|similar| similar.embedder.mask()))
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (pipeline, compaction) = (&self.pipeline, &self.compaction);
        f.debug_struct("Context")
            .field("pipeline", pipeline)
            .field("compaction", compaction)
            .finish()
    }
}
