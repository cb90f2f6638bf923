//! The compaction of a conversation: from where on its messages are read as they are.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::event::{Compacted, CompactionCause};
use crate::id::Seq;
use crate::message::Part;
use crate::state::{Context, Inner};

/// The latest compaction on the path, and where it cuts the transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compaction {
    /// Its entry.
    pub entry: Seq,
    /// The index in the transcript of the first message that is read as it is.
    pub first: usize,
    /// The estimated bytes of text of the messages before it.
    pub weight_before: u64,
    /// The summary that is read in place of these, and what else was recorded.
    pub compacted: Arc<Compacted>,
}

/// A compaction that is about to be made, before a model is asked for its summary.
///
/// Hooks see it on `on_before_compaction`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedCompaction {
    /// Why.
    pub cause: CompactionCause,
    /// The entry of the first message that is kept.
    pub first_kept: Seq,
    /// Entries before it whose messages are kept, too.
    pub also_kept: Vec<Seq>,
    /// How many tokens the conversation has.
    pub tokens_before: u64,
    /// An estimate of the tokens that are kept.
    pub tokens_kept: u64,
    /// What the summary is to heed, in words of a person.
    pub focus: Option<String>,
    /// The summary; none = the model is asked for it.
    pub summary: Option<String>,
}

impl Context {
    /// Whether a compaction may keep the messages from this entry on.
    ///
    /// Its first message must not be the first of the conversation, must not be one that an
    /// earlier compaction left out, and must not be a result, whose call would be cut off.
    pub fn can_begin_at(&self, first_kept: Seq) -> bool {
        self.cut_at(first_kept).is_some()
    }

    fn cut_at(&self, first_kept: Seq) -> Option<usize> {
        let first = self.transcript.first_of(first_kept)?;
        let least = self.compaction.as_ref().map_or(1, |before| before.first);
        let message = self.transcript.messages().get(first)?;
        let is_result = message.parts.iter().any(|part| matches!(part, Part::ToolResult(_)));
        (first >= least && !is_result).then_some(first)
    }
}

impl Inner {
    pub(super) fn compact(&mut self, entry: Seq, compacted: &Arc<Compacted>) {
        let context = &mut self.context;
        let Some(first) = context.cut_at(compacted.first_kept) else { return };
        let before = context.compaction.as_ref();
        let (from, weight) = before.map_or((0, 0), |before| (before.first, before.weight_before));
        let left = context.transcript.messages().iter_from(from).take(first - from);
        let weight_before = left.fold(weight, |sum, message| sum + message.weight());
        let compacted = Arc::clone(compacted);
        let compaction = Compaction { entry, first, weight_before, compacted };
        context.compaction = Some(Arc::new(compaction));
        // What a provider counted before says nothing of what is read from now on.
        context.measured = None;
    }
}
