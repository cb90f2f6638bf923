//! The conversation, well formed by construction.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::chunked::Chunked;
use crate::id::CallId;
use crate::message::{Malformed, Message, Part};
use crate::tool::ToolCall;

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

    /// Whether messages make a conversation by themselves: what calls tools stands before its
    /// results, and each call has one.
    ///
    /// # Errors
    /// The first thing that is wrong with them.
    pub fn check<'a>(
        messages: impl IntoIterator<Item = &'a Arc<Message>>,
    ) -> Result<(), Malformed> {
        let (mut all, mut exchanged) = (Self::default(), Vec::new());
        for message in messages {
            message.check()?;
            if message.tool_calls().next().is_some() || results(message).next().is_some() {
                exchanged.push(message);
                all.push(Arc::clone(message));
            }
        }
        if let Some(call) = all.open_call() {
            let (call, tool) = (call.id.clone(), Arc::clone(&call.name));
            return Err(Malformed::OpenCall { call, tool });
        }
        match all.left_out(&exchanged).and_then(|message| results(message).next()) {
            Some(call) => Err(Malformed::LoneResult { call: call.clone() }),
            None => Ok(()),
        }
    }

    /// The first of the messages pushed that never entered.
    fn left_out<'a>(&self, pushed: &[&'a Arc<Message>]) -> Option<&'a Arc<Message>> {
        if self.messages.len() == pushed.len() {
            return None;
        }
        let mut entered: Vec<_> = self.messages.iter().collect();
        pushed.iter().copied().find(|message| {
            let place = entered.iter().position(|other| other == message);
            place.map(|place| entered.swap_remove(place)).is_none()
        })
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
        let due = self.due().map(|call| &call.id);
        answers && results(message).eq(due.take(results(message).count()))
    }

    /// The open calls, in call order.
    fn due(&self) -> impl Iterator<Item = &Arc<ToolCall>> {
        let turn = self.messages.iter().rev().find(|m| m.tool_calls().next().is_some());
        let calls = turn.into_iter().flat_map(|message| message.tool_calls());
        let answered = turn.map_or(0, |m| m.tool_calls().count()).saturating_sub(self.open);
        calls.skip(answered)
    }

    /// The first call without a result.
    fn open_call(&self) -> Option<&Arc<ToolCall>> {
        self.due().next()
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
