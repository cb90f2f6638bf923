//! From the transcript to the messages that a model reads.

use std::fmt;
use std::sync::Arc;

use legwork_core::event::RequestSent;
use legwork_core::{AgentState, ModelRequest, ModelSettings, Transcript};
use legwork_port::{AppMessage, Profile};

use crate::chain;
use crate::memory::{Identity, Key, Memory, Read};
use crate::renderers::Renderers;
use crate::report::Report;
use crate::source::Source;
use crate::stage::Stage;
use crate::transform::{Cx, Transform};

/// What makes the messages that a model reads of a transcript.
///
/// ```
/// use legwork_context::{Memory, Pipeline, transforms::SlidingWindow};
/// use legwork_core::{AgentState, Message, ModelSettings, SessionId};
/// use legwork_port::Profile;
/// use std::sync::Arc;
///
/// let pipeline = Pipeline::new().with(SlidingWindow::of_units(100));
/// let mut memory = Memory::new();
///
/// let state = AgentState::new(SessionId::new("s")).with_message("What is 17 + 25?");
/// let shown = pipeline.to_model(&mut memory, &state, &Profile::new())?;
/// let request = shown.request(Arc::new(ModelSettings::default()));
/// assert_eq!(request.messages().len(), 1);
/// assert_eq!(shown.report.kept, None);
/// # Ok::<(), legwork_context::NotSettled>(())
/// ```
#[derive(Clone)]
pub struct Pipeline {
    transforms: Identity,
    renderers: Renderers,
}

/// Calls of the transcript have no results yet, so no request can be made of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the transcript has calls without results: no request can be made of it")]
pub struct NotSettled;

/// The messages that a model reads, and how they came about.
#[derive(Debug, Clone)]
pub struct Shown {
    /// The messages, each with the entry that its unit begins at.
    pub messages: Transcript,
    /// What was done to the conversation.
    pub report: Report,
    last: Option<[u8; 32]>,
}

impl Default for Pipeline {
    fn default() -> Self {
        Self { transforms: Arc::default(), renderers: Renderers::new() }
    }
}

impl Pipeline {
    /// No transforms, and the renderers that ship: a model reads the transcript as it is.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with one more transform, in its place by priority.
    #[must_use]
    pub fn with(self, transform: impl Transform + 'static) -> Self {
        self.with_shared(Arc::new(transform))
    }

    /// The same with one more transform that is shared.
    #[must_use]
    pub fn with_shared(mut self, transform: Arc<dyn Transform>) -> Self {
        let mut all = (*self.transforms).clone();
        all.push(transform);
        all.sort_by_key(|transform| transform.priority());
        self.transforms = Arc::new(all);
        self
    }

    /// The same with a renderer for a kind of messages of the program.
    #[must_use]
    pub fn with_app<T: AppMessage>(self) -> Self {
        let renderers = self.renderers.with::<T>();
        // What was rendered before may read otherwise: it is another pipeline.
        Self { transforms: Arc::new((*self.transforms).clone()), renderers }
    }

    /// The transforms, in the order in which they run.
    pub fn transforms(&self) -> &[Arc<dyn Transform>] {
        &self.transforms
    }

    /// The messages that a model with this profile reads of a state.
    ///
    /// It costs what was added since the last call with this memory, as long as the state was
    /// made from that one. If nothing transforms the transcript and no message of a program is
    /// in it, the messages are those of the transcript, shared. Drop what is returned before the
    /// next call, or a few messages are copied.
    ///
    /// # Errors
    /// If calls have no results yet.
    pub fn to_model(
        &self,
        memory: &mut Memory,
        state: &AgentState,
        profile: &Profile,
    ) -> Result<Shown, NotSettled> {
        let context = state.context();
        let settled = context.transcript.settled().ok_or(NotSettled)?;
        let is_plain = self.transforms.is_empty()
            && settled.app_messages() == 0
            && context.compaction.is_none();
        if !self.continues(memory, state, profile, is_plain) {
            memory.restart();
            memory.source = if is_plain { Source::default() } else { Source::of(state) };
            memory.stages = self.transforms.iter().map(|_| Stage::default()).collect();
        }
        memory.recorded.read(context);
        let mut report = Report::of(state.tokens());
        let messages = match is_plain {
            true => as_it_is(memory, state, &mut report),
            false => self.transformed(memory, state, profile, &mut report),
        };
        memory.key = Some(Key {
            session: state.session().clone(),
            mark: state.mark(),
            profile: profile.clone(),
            pipeline: Arc::clone(&self.transforms),
            is_plain,
            read: Read::of(state),
            open_from: state.current_step().map_or(usize::MAX, |step| step.input_cut),
        });
        report.messages = messages.messages().len();
        report.kept = memory.output.chain.sent();
        let last = memory.output.chain.last().copied();
        Ok(Shown { messages, report, last })
    }

    /// The messages that the transforms leave, with those of programs in words.
    fn transformed(
        &self,
        memory: &mut Memory,
        state: &AgentState,
        profile: &Profile,
        report: &mut Report,
    ) -> Transcript {
        let context = state.context();
        // First what the provider counted: else it may be taken for what came of it.
        let counted = context.measured.map(|measured| measured.messages.saturating_sub(1));
        let is_new = memory.key.is_none();
        if let Some(counted) = counted.filter(|at| is_new && *at > memory.source.read()) {
            self.advance(memory, counted, state, profile, report);
        }
        self.advance(memory, context.transcript.messages().len(), state, profile, report);
        report.tokens = memory.output.tokens(state);
        report.left_out = memory.output.left_out();
        memory.output.messages.clone()
    }

    /// What the model read at the last call of [`to_model`](Self::to_model), before the message
    /// of the transcript at an index.
    ///
    /// So a request may be a prefix of the last one, which the provider has in its cache.
    pub fn before(&self, memory: &Memory, state: &AgentState, at: usize) -> Transcript {
        memory.before(at, &state.context().transcript)
    }

    fn continues(
        &self,
        memory: &Memory,
        state: &AgentState,
        profile: &Profile,
        is_plain: bool,
    ) -> bool {
        let Some(key) = &memory.key else { return false };
        let same = Arc::ptr_eq(&key.pipeline, &self.transforms)
            && key.is_plain == is_plain
            && key.session == *state.session()
            && key.profile == *profile
            && memory.recorded.is_of(state.context());
        if !same {
            return false;
        }
        // Each step of a run begins a lineage of its own, so that alone tells too little.
        let is_same = key.read.is_of(&state.context().transcript);
        match is_plain {
            true => is_same && memory.output.chain.len() <= key.open_from,
            false => {
                let is_later = is_same || state.extends(&key.mark);
                memory.source.continues(state, is_later.then_some(key.open_from))
            }
        }
    }

    /// Lets the first transforms take in what came since the last request, the others nothing yet;
    /// false if this is another conversation.
    pub(crate) fn read_ahead(
        &self,
        memory: &mut Memory,
        state: &AgentState,
        profile: &Profile,
        transforms: usize,
    ) -> bool {
        let transcript = &state.context().transcript;
        if transcript.settled().is_none() || !self.continues(memory, state, profile, false) {
            return false;
        }
        memory.recorded.read(state.context());
        self.advance_some(memory, transcript.messages().len(), transforms, state, profile);
        true
    }

    fn advance(
        &self,
        memory: &mut Memory,
        to: usize,
        state: &AgentState,
        profile: &Profile,
        report: &mut Report,
    ) {
        let read = memory.source.read();
        let rebuilt = self.advance_some(memory, to, self.transforms.len(), state, profile);
        let Memory { source, stages, output, .. } = memory;
        report.visited += (source.read() - read) as u64;
        report.visited += stages.iter_mut().map(Stage::visited).sum::<u64>();
        for name in rebuilt {
            if !report.rebuilt.iter().any(|known| known == name) {
                report.rebuilt.push(name.to_owned());
            }
        }
        let units = stages.last().map_or_else(|| source.units(), Stage::units);
        report.visited += output.update(units, &self.renderers, state, profile) as u64;
    }

    /// Lets the first transforms take in the transcript up to a message; returns those that were
    /// rebuilt.
    fn advance_some(
        &self,
        memory: &mut Memory,
        to: usize,
        transforms: usize,
        state: &AgentState,
        profile: &Profile,
    ) -> Vec<&str> {
        let Memory { source, stages, output, recorded, .. } = memory;
        let cx = Cx { state, profile, recorded };
        source.read_to(&state.context().transcript, to);
        let mut units = source.units();
        let mut changed = None;
        let mut all_rebuilt = Vec::new();
        let mut stages = stages.iter_mut();
        for (transform, stage) in self.transforms.iter().take(transforms).zip(&mut stages) {
            let rebuilt;
            stage.changed_before(changed);
            (changed, rebuilt) = stage.update(&**transform, units, &cx);
            all_rebuilt.extend(rebuilt.then(|| transform.name()));
            units = stage.units();
        }
        match stages.next() {
            Some(next) => next.changed_before(changed),
            None => output.changed_before(changed),
        }
        all_rebuilt
    }
}

/// The messages of the transcript, whose digests are brought up to date.
fn as_it_is(memory: &mut Memory, state: &AgentState, report: &mut Report) -> Transcript {
    let (chain, transcript) = (&mut memory.output.chain, &state.context().transcript);
    for message in transcript.messages().iter_from(chain.len()) {
        chain.push(message);
        report.visited += 1;
    }
    transcript.clone()
}

impl Shown {
    /// The messages, the report, and the last link of the chain of digests.
    pub(crate) fn into_parts(self) -> (Transcript, Report, Option<[u8; 32]>) {
        (self.messages, self.report, self.last)
    }

    /// A request of these messages.
    pub fn request(&self, settings: Arc<ModelSettings>) -> ModelRequest {
        match self.messages.settled() {
            Some(settled) => ModelRequest::new(settled, settings),
            // Units are whole, so this never happens; an empty request is refused by a provider.
            None => ModelRequest::blank(settings),
        }
    }

    /// What identifies a request of these messages as it is sent, with messages that were added
    /// at its end, and all else that it has.
    pub fn sent(&self, request: &ModelRequest) -> RequestSent {
        let (mine, sent) = (self.messages.messages(), request.messages());
        let is_same = |index: usize| match (mine.get(index), sent.get(index)) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            _ => false,
        };
        let covered = mine.len();
        if covered == 0 || (is_same(0) && is_same(covered - 1)) {
            let (last, kept) = (self.last.as_ref(), self.report.kept);
            return chain::of_request(covered, last, kept, request, &chain::parameters(request));
        }
        chain::of_request(0, None, None, request, &chain::parameters(request))
    }
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.transforms.iter().map(|transform| transform.name());
        f.debug_struct("Pipeline").field("transforms", &names.collect::<Vec<_>>()).finish()
    }
}
