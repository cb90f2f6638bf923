//! The conversation, well formed by construction.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::chunked::Chunked;
use crate::id::CallId;
use crate::message::{Message, Part};

/// The messages of a conversation, and how many of the last turn's calls are open.
///
/// While calls are open only their results enter, in call order; what else is said waits
/// and enters behind the last result. A result that answers no call never enters.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Transcript {
    messages: Chunked<Arc<Message>>,
    open: usize,
    weight: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    waiting: Vec<Arc<Message>>,
}

impl Transcript {
    /// The messages, oldest first.
    pub fn messages(&self) -> &Chunked<Arc<Message>> {
        &self.messages
    }

    /// How many calls of the last turn have no result yet.
    pub fn open_calls(&self) -> usize {
        self.open
    }

    /// The transcript if each of its calls has its one result.
    pub fn settled(&self) -> Option<Settled<'_>> {
        (self.open == 0).then_some(Settled(self))
    }

    /// A rough size in bytes of what a model reads.
    pub fn weight(&self) -> u64 {
        self.weight
    }

    pub(crate) fn push(&mut self, message: Arc<Message>) {
        self.waiting.push(message);
        while let Some(at) = self.waiting.iter().position(|message| self.has_place_for(message)) {
            let message = self.waiting.remove(at);
            self.enter(message);
        }
        if self.open == 0 {
            self.waiting.clear();
        }
    }

    /// Where a message stands that was pushed lately.
    pub(crate) fn position(&self, message: &Arc<Message>) -> Option<usize> {
        let same = |other: &Arc<Message>| Arc::ptr_eq(other, message) || other == message;
        let behind = self.messages.iter().rev().position(same)?;
        Some(self.messages.len() - behind - 1)
    }

    /// Takes all messages from an index on away, the waiting ones too, and gives them back:
    /// used to put others in their place.
    pub(crate) fn rewind(&mut self, len: usize) -> Vec<Arc<Message>> {
        let count = self.messages.len().saturating_sub(len);
        let mut gone: Vec<_> = self.messages.iter().rev().take(count).cloned().collect();
        for message in &gone {
            self.open += results(message).count();
            self.open = self.open.saturating_sub(message.tool_calls().count());
            self.weight = self.weight.saturating_sub(message.weight());
        }
        self.messages.truncate(len);
        gone.reverse();
        gone.append(&mut self.waiting);
        gone
    }

    fn enter(&mut self, message: Arc<Message>) {
        self.open += message.tool_calls().count();
        self.open = self.open.saturating_sub(results(&message).count());
        self.weight += message.weight();
        self.messages.push(message);
    }

    /// Whether a message may stand next: the results that are due, or, with no call open,
    /// anything but a result.
    fn has_place_for(&self, message: &Message) -> bool {
        if self.open == 0 {
            return results(message).next().is_none();
        }
        let answers = results(message).next().is_some() && message.tool_calls().next().is_none();
        answers && results(message).eq(self.due().take(results(message).count()))
    }

    /// The open calls, in call order.
    fn due(&self) -> impl Iterator<Item = &CallId> {
        let turn = self.messages.iter().rev().find(|m| m.tool_calls().next().is_some());
        let calls = turn.into_iter().flat_map(|message| message.tool_calls());
        let answered = turn.map_or(0, |m| m.tool_calls().count()).saturating_sub(self.open);
        calls.skip(answered).map(|call| &call.id)
    }
}

/// The calls that a message answers.
fn results(message: &Message) -> impl Iterator<Item = &CallId> {
    message.parts.iter().filter_map(|part| match part {
        Part::ToolResult(result) => Some(&result.call),
        _ => None,
    })
}

/// Proof that a transcript is settled; a model request is made from nothing else.
#[derive(Debug, Clone, Copy)]
pub struct Settled<'a>(&'a Transcript);

impl Settled<'_> {
    /// The messages, oldest first.
    pub fn messages(&self) -> &Chunked<Arc<Message>> {
        &self.0.messages
    }

    /// A rough size in bytes of what a model reads.
    pub fn weight(&self) -> u64 {
        self.0.weight
    }
}
