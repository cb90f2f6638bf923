//! How many tokens a conversation has: what a provider counted, and an estimate of the rest.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::id::Seq;
use crate::inference::{LEAST_BYTES_PER_TOKEN, Response};
use crate::message::Message;
use crate::state::{AgentState, Inner};

/// The tokens of a conversation, as a provider counted them for a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// The entry of the response.
    pub entry: Seq,
    /// How many messages of the transcript were counted, the response included.
    pub messages: usize,
    /// The input tokens, cached ones included, and the output tokens.
    pub tokens: u64,
}

/// How many tokens a conversation has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tokens {
    /// What the provider counted; zero if nothing that it counted holds any more.
    pub measured: u64,
    /// An estimate of what came after that: of all, if nothing was counted.
    pub estimated: u64,
}

impl Tokens {
    /// Both together.
    pub fn total(&self) -> u64 {
        self.measured.saturating_add(self.estimated)
    }

    /// The tokens of so many bytes of text, rather too many than too few.
    ///
    /// A token is taken for [`LEAST_BYTES_PER_TOKEN`] bytes of UTF-8: English prose and code
    /// have 3 to 4.5, scripts with three bytes a character about 3 to 4. On the average the
    /// estimate is up to a third too high.
    pub fn of_weight(weight: u64) -> u64 {
        weight.div_ceil(LEAST_BYTES_PER_TOKEN)
    }
}

impl AgentState {
    /// How many tokens a request over the whole conversation has, as it stands.
    ///
    /// The provider's usage of the last response counts up to that response, and an estimate
    /// ([`Tokens::of_weight`]) from there on. A usage from before a compaction or of another
    /// path is never used. It costs what came after the last response.
    pub fn tokens(&self) -> Tokens {
        let context = self.context();
        let messages = context.transcript.messages();
        if let Some(measured) = context.measured {
            let since: u64 = messages.iter_from(measured.messages).map(weight).sum();
            return Tokens { measured: measured.tokens, estimated: Tokens::of_weight(since) };
        }
        let mut all = context.transcript.weight() + self.prompt_weight();
        if let Some(compaction) = &context.compaction {
            all = all.saturating_sub(compaction.weight_before);
            all += compaction.compacted.summary.len() as u64;
        }
        Tokens { measured: 0, estimated: Tokens::of_weight(all) }
    }

    /// An estimate of what a model reads beside the conversation, in bytes of text: the system
    /// prompt, and the tools as they were shown last.
    pub fn prompt_weight(&self) -> u64 {
        let mut all = self.instructions().len() as u64;
        if let Some(shown) = &self.context().tools_shown {
            all += shown.specs.iter().map(|spec| spec.weight()).sum::<u64>();
            all += shown.instructions.as_ref().map_or(0, |text| text.len() as u64);
        }
        all
    }
}

fn weight(message: &Arc<Message>) -> u64 {
    message.weight()
}

impl Inner {
    /// Takes the usage of a response for the tokens of the conversation up to it.
    pub(super) fn measure(&mut self, entry: Seq, response: &Response) {
        let context = &mut self.context;
        if context.measured.is_some_and(|measured| measured.entry == entry) {
            // The response was changed.
            context.measured = None;
        }
        let messages = context.transcript.messages().len();
        let is_last = messages.checked_sub(1).and_then(|last| context.transcript.entry(last));
        let usage = response.usage.filter(|usage| usage.input > 0);
        if let (Some(usage), true) = (usage, is_last == Some(entry)) {
            context.measured = Some(Measured { entry, messages, tokens: usage.total() });
        }
    }
}
