//! The summary of a path of the conversation that is left.
//!
//! Everything here is pure. Before the head is moved, who runs a session makes a [`Leaving`],
//! sends [`Leaving::request`] as an inference that is no step, moves the head, and journals
//! [`Leaving::summarised`] on the new path. If anything fails before that, nothing changed.

use legwork_core::event::BranchSummarised;
use legwork_core::{AgentState, ModelRequest, Response, Seq};
use legwork_port::AppMessage;

use crate::app::BranchSummary;
use crate::compaction::{Cannot, said};
use crate::memory::Memory;
use crate::source::Source;

/// A path that is about to be left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaving {
    /// The last entry of the path.
    pub from: Seq,
    /// How many messages of the transcript are left.
    pub messages: usize,
    /// The beginning of the first of them, in words.
    first: String,
}

impl Leaving {
    /// What is left when the head moves from that of a state to another path.
    ///
    /// `common` is the last entry that both paths have.
    ///
    /// # Errors
    /// If calls are open, or no message is left.
    pub fn of(state: &AgentState, common: Seq) -> Result<Self, Cannot> {
        let transcript = &state.context().transcript;
        transcript.settled().ok_or(Cannot::NotSettled)?;
        let len = transcript.messages().len();
        let is_left = |index: &usize| transcript.entry(*index).is_some_and(|entry| entry > common);
        let first = (0..len).find(is_left).ok_or(Cannot::NothingToCut)?;
        let unit = Source::since(state, first).into_iter().next();
        let text = unit.map(|unit| unit.head().text()).unwrap_or_default();
        Ok(Self { from: state.head(), messages: len - first, first: beginning(&text) })
    }

    /// The same, which names its first message by this text of it.
    pub(crate) fn named(self, text: &str) -> Self {
        Self { first: beginning(text), ..self }
    }

    /// The request for the summary: all that the model read last, then one more message of a
    /// user that asks for it. See [`Plan::request`](crate::compaction::Plan::request).
    ///
    /// # Errors
    /// If it does not fit `window`, with room for an answer, even without its oldest messages.
    pub fn request(
        &self,
        memory: &Memory,
        state: &AgentState,
        last: &ModelRequest,
        window: Option<u64>,
    ) -> Result<ModelRequest, Cannot> {
        let transcript = &state.context().transcript;
        let before = memory.before(transcript.messages().len(), transcript);
        crate::compaction::request(before, last, self.ask(), window)
    }

    fn ask(&self) -> String {
        let since = match self.first.is_empty() {
            true => format!("in the last {} messages", self.messages),
            false => format!("from the message that begins with \"{}\" on", self.first),
        };
        format!(
            "This attempt is left: the conversation goes back to before it, and another one \
             begins there. Write a summary of what happened {since}, for whoever begins again and \
             does not see it: what was tried, what was found out, what did not work and why, and \
             which files were changed and are still so. Name paths, commands and error messages \
             word for word. Do not call a tool and do not go on with the work: answer with the \
             summary alone."
        )
    }

    /// The event that records the summary of an answer, on the new path.
    ///
    /// # Errors
    /// If the answer is no summary.
    pub fn summarised(&self, response: &Response) -> Result<BranchSummarised, Cannot> {
        let summary = BranchSummary { summary: said(response)? };
        let message = summary.to_message().map_err(|_| Cannot::NoSummary)?;
        Ok(BranchSummarised { from: self.from, message: message.into() })
    }
}

/// The beginning of a text, in a line.
fn beginning(text: &str) -> String {
    text.trim().lines().next().unwrap_or_default().chars().take(80).collect()
}
