//! What a pipeline keeps between the requests of one conversation.

use std::collections::BTreeSet;
use std::sync::Arc;

use legwork_core::event::ResultKey;
use legwork_core::state::Mark;
use legwork_core::{AgentState, Message, Seq, SessionId, Transcript};
use legwork_port::Profile;

use crate::output::Output;
use crate::recorded::Recorded;
use crate::source::Source;
use crate::stage::Stage;
use crate::transform::Transform;
use crate::unit::Unit;

/// What a pipeline keeps between the requests of one conversation.
///
/// It is a cache: the messages that a model reads are the same without it. Keep it beside a
/// run, and give it to [`Pipeline::to_model`](crate::Pipeline::to_model) at each step. It finds
/// out by itself that the conversation is another one (the head moved, it was compacted, a
/// change was refused), and then begins anew.
#[derive(Default)]
pub struct Memory {
    pub(crate) source: Source,
    pub(crate) stages: Vec<Stage>,
    pub(crate) output: Output,
    pub(crate) recorded: Recorded,
    pub(crate) key: Option<Key>,
}

/// The transforms in their order; two pipelines with one are the same pipeline.
pub(crate) type Identity = Arc<Vec<Arc<dyn Transform>>>;

/// What all that is kept belongs to.
pub(crate) struct Key {
    pub(crate) session: SessionId,
    /// The state that was read last.
    pub(crate) mark: Mark,
    pub(crate) profile: Profile,
    /// The address of the pipeline's transforms, which it keeps alive.
    pub(crate) pipeline: Identity,
    /// Whether the transcript is sent as it is.
    pub(crate) is_plain: bool,
    /// The messages of the transcript that were read.
    pub(crate) read: Read,
    /// The index in the transcript from which on messages may still be changed: those of the step
    /// that was under way.
    pub(crate) open_from: usize,
}

impl Memory {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the conversation, but not the digests of the last request.
    pub(crate) fn restart(&mut self) {
        let mut chain = std::mem::take(&mut self.output.chain);
        chain.truncate(0);
        *self = Self::default();
        self.output.chain = chain;
    }

    /// The messages that the model read last, without those of the transcript from an index on.
    pub(crate) fn before(&self, at: usize, transcript: &Transcript) -> Transcript {
        if self.key.as_ref().is_none_or(|key| key.is_plain) {
            let mut before = transcript.clone();
            before.truncate(at);
            return before;
        }
        let units = self.stages.last().map_or_else(|| self.source.units(), Stage::units);
        let first = units.partition_point(|unit| unit.ordinal() <= at);
        let mut before = self.output.messages.clone();
        before.truncate(self.output.messages_before(first));
        before
    }

    /// The results that the model reads.
    pub(crate) fn results(&self) -> BTreeSet<ResultKey> {
        let units = self.stages.last().map_or_else(|| self.source.units(), Stage::units);
        units.iter().flat_map(Unit::results).map(|(key, _)| key).collect()
    }

    /// The units that so many of the transforms left, from a message of the transcript on.
    pub(crate) fn units_after(&self, transforms: usize, from: usize) -> &[Unit] {
        let last = transforms.checked_sub(1).and_then(|last| self.stages.get(last));
        let units = last.map_or_else(|| self.source.units(), Stage::units);
        // They are few, at the end of many.
        let first = units.iter().rposition(|unit| unit.ordinal() <= from).map_or(0, |at| at + 1);
        units.get(first..).unwrap_or_default()
    }
}

/// Which messages of a transcript were read, as far as that tells it from any other.
pub(crate) struct Read {
    /// How many of them were durable, and the last of these: it has one path to it.
    durable: usize,
    last: Option<(Seq, Arc<Message>)>,
    /// Those behind it, which may be taken back.
    others: Vec<Arc<Message>>,
}

impl Read {
    /// The messages of a state.
    pub(crate) fn of(state: &AgentState) -> Self {
        let (transcript, committed) = (&state.context().transcript, state.committed_version());
        let is_open = |at: &usize| transcript.entry(*at).is_none_or(|entry| entry > committed);
        let open = (0..transcript.messages().len()).rev().take_while(is_open).count();
        let durable = transcript.messages().len() - open;
        let last = durable.checked_sub(1);
        let last = last.and_then(|at| {
            Some((transcript.entry(at)?, Arc::clone(transcript.messages().get(at)?)))
        });
        let others = transcript.messages().iter_from(durable).cloned().collect();
        Self { durable, last, others }
    }

    /// Whether a transcript begins with these messages.
    pub(crate) fn is_of(&self, transcript: &Transcript) -> bool {
        let at = self.durable.checked_sub(1);
        let now = at.and_then(|at| Some((transcript.entry(at)?, transcript.messages().get(at)?)));
        let is_same = match (&self.last, now) {
            (Some((entry, one)), Some((now, two))) => *entry == now && Arc::ptr_eq(one, two),
            (None, None) => true,
            _ => false,
        };
        let mut behind = transcript.messages().iter_from(self.durable);
        is_same
            && self.others.iter().all(|one| behind.next().is_some_and(|two| Arc::ptr_eq(one, two)))
    }
}
