//! The conversation, well formed by construction.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::chunked::Chunked;
use crate::message::{Message, Part};

/// The messages of a conversation, and how many of the last turn's calls are open.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Transcript {
    messages: Chunked<Arc<Message>>,
    open: usize,
    weight: u64,
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
        self.open += message.tool_calls().count();
        let results = message.parts.iter().filter(|p| matches!(p, Part::ToolResult(_))).count();
        self.open = self.open.saturating_sub(results);
        self.weight += message.weight();
        self.messages.push(message);
    }

    /// Takes the last `count` messages away; used to put others in their place.
    pub(crate) fn take_back(&mut self, count: usize) {
        let keep = self.messages.len().saturating_sub(count);
        let gone: Vec<_> = self.messages.iter().rev().take(count).cloned().collect();
        for message in gone {
            let results = message.parts.iter().filter(|p| matches!(p, Part::ToolResult(_))).count();
            self.open += results;
            self.open = self.open.saturating_sub(message.tool_calls().count());
            self.weight = self.weight.saturating_sub(message.weight());
        }
        self.messages.truncate(keep);
    }
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
