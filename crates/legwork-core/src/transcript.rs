//! The messages of a conversation, well formed by construction.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::chunked::Chunked;
use crate::id::{CallId, Seq};
use crate::message::{Malformed, Message, Part, ToolCall, ToolResult};

/// The messages of a conversation, and how many calls of the last turn have no result yet.
///
/// While calls are open only their results are appended, in call order; other messages wait
/// and are appended after the last result. A result without an open call is dropped.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Transcript {
    messages: Chunked<Arc<Message>>,
    /// The entry of each message.
    entries: Chunked<Seq>,
    open: usize,
    weight: u64,
    /// How many messages are a program's own.
    #[serde(default, skip_serializing_if = "is_none")]
    apps: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    waiting: Vec<(Seq, Arc<Message>)>,
    #[serde(skip)]
    due: Due,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it by reference")]
fn is_none(count: &usize) -> bool {
    *count == 0
}

/// The position of the next open call, as message and part, if it was searched for.
///
/// A cache: it follows from the messages, and is ignored when transcripts are compared.
#[derive(Debug, Clone, Copy, Default)]
struct Due(Option<(usize, usize)>);

impl PartialEq for Due {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Transcript {
    /// The messages, oldest first.
    pub fn messages(&self) -> &Chunked<Arc<Message>> {
        &self.messages
    }

    /// The journal entry of the message at an index.
    pub fn entry(&self, index: usize) -> Option<Seq> {
        self.entries.get(index).copied()
    }

    /// How many calls of the last turn have no result yet.
    pub fn open_calls(&self) -> usize {
        self.open
    }

    /// How many messages are a program's own ([`Message::app`]).
    pub fn app_messages(&self) -> usize {
        self.apps
    }

    /// The index of the first message of an entry, searched from the end.
    pub fn first_of(&self, entry: Seq) -> Option<usize> {
        let last = self.entries.iter().rev().position(|other| *other == entry)?;
        let last = self.entries.len() - last - 1;
        let same = |index: &usize| self.entry(*index) == Some(entry);
        (0..=last).rev().take_while(same).last()
    }

    /// The transcript as settled, if each of its calls has its result.
    pub fn settled(&self) -> Option<Settled<'_>> {
        (self.open == 0).then_some(Settled(self))
    }

    /// An estimate of what a model reads of it, in bytes of text.
    pub fn weight(&self) -> u64 {
        self.weight
    }

    /// Checks that messages are a conversation by themselves.
    ///
    /// Each call must be followed by exactly one result, and each result must follow its call.
    ///
    /// # Errors
    /// The first problem.
    pub fn check<'a>(
        messages: impl IntoIterator<Item = &'a Arc<Message>>,
    ) -> Result<(), Malformed> {
        let (mut all, mut exchanged) = (Self::default(), Vec::new());
        for message in messages {
            message.check()?;
            if message.tool_calls().next().is_some() || results(message).next().is_some() {
                exchanged.push(message);
                all.push(Seq::ZERO, Arc::clone(message));
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

    /// The first of the pushed messages that was not appended.
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

    /// Appends a message of an entry, as the state does it.
    ///
    /// So that messages as a model reads them are held to the same form: a result without an
    /// open call is dropped, and what is no result waits for the results of open calls.
    pub fn push(&mut self, entry: Seq, message: Arc<Message>) {
        if self.waiting.is_empty() && self.has_place_for(&message) {
            return self.enter(entry, message);
        }
        self.waiting.push((entry, message));
        let next = |all: &Self| all.waiting.iter().position(|(_, one)| all.has_place_for(one));
        while let Some(at) = next(self) {
            let (entry, message) = self.waiting.remove(at);
            self.enter(entry, message);
        }
        if self.open == 0 {
            self.waiting.clear();
        }
    }

    /// Removes all messages from an index on, and those that wait.
    pub fn truncate(&mut self, len: usize) {
        self.rewind(len);
    }

    /// The index of a message, searched from `count` on first, then from the end.
    pub(crate) fn position(&self, message: &Arc<Message>, count: usize) -> Option<usize> {
        let same = |other: &Arc<Message>| Arc::ptr_eq(other, message) || other == message;
        if let Some(since) = self.messages.iter_from(count).position(same) {
            return Some(count + since);
        }
        let behind = self.messages.iter().rev().position(same)?;
        Some(self.messages.len() - behind - 1)
    }

    /// Replaces the result at an index; false, and no change, if the message there is not a
    /// result of the same call alone.
    pub(crate) fn replace_result(&mut self, index: usize, result: ToolResult) -> bool {
        let Some(before) = self.messages.get(index) else { return false };
        match &*before.parts {
            [Part::ToolResult(before)] if before.call == result.call => {}
            _ => return false,
        }
        let message = Arc::new(Message::tool_result(result));
        self.weight = self.weight.saturating_sub(before.weight()) + message.weight();
        self.messages.replace(index, message);
        true
    }

    /// Removes and returns all messages from an index on, the waiting ones too.
    pub(crate) fn rewind(&mut self, len: usize) -> Vec<(Seq, Arc<Message>)> {
        let count = self.messages.len().saturating_sub(len);
        let last = self.entries.iter().rev().copied().zip(self.messages.iter().rev().cloned());
        let mut gone: Vec<_> = last.take(count).collect();
        for (_, message) in &gone {
            self.open += results(message).count();
            self.open = self.open.saturating_sub(message.tool_calls().count());
            self.weight = self.weight.saturating_sub(message.weight());
            self.apps = self.apps.saturating_sub(usize::from(message.app.is_some()));
        }
        self.messages.truncate(len);
        self.entries.truncate(len);
        self.due = Due::default();
        gone.reverse();
        gone.append(&mut self.waiting);
        gone
    }

    fn enter(&mut self, entry: Seq, message: Arc<Message>) {
        let (calls, answers) = (message.tool_calls().count(), results(&message).count());
        if calls > 0 {
            self.due = Due(Some((self.messages.len(), 0)));
        } else if answers > 0 {
            self.due = self.due_after(answers);
        }
        self.open = (self.open + calls).saturating_sub(answers);
        self.weight += message.weight();
        self.apps += usize::from(message.app.is_some());
        self.messages.push(message);
        self.entries.push(entry);
    }

    /// Whether a message can be appended now: results of the next open calls or, if no call is
    /// open, anything but a result.
    fn has_place_for(&self, message: &Message) -> bool {
        if self.open == 0 {
            return results(message).next().is_none();
        }
        let answers = results(message).next().is_some() && message.tool_calls().next().is_none();
        let due = self.due().map(|(_, call)| &call.id);
        answers && results(message).eq(due.take(results(message).count()))
    }

    /// The open calls, in call order, each with its part index in the last turn.
    fn due(&self) -> impl Iterator<Item = (usize, &Arc<ToolCall>)> {
        let Due(known) = self.due;
        let due = if self.open == 0 { None } else { known.or_else(|| self.find_due()) };
        let (turn, from) = due.unwrap_or_default();
        let message = self.messages.get(turn).filter(|_| due.is_some());
        let parts = message.and_then(|turn| turn.parts.get(from..)).unwrap_or_default();
        (from..).zip(parts).filter_map(|(at, part)| Some((at, part.as_call()?)))
    }

    /// Searches the first open call: in the last message with calls, after the answered ones.
    fn find_due(&self) -> Option<(usize, usize)> {
        let is_turn = |message: &Arc<Message>| message.tool_calls().next().is_some();
        let turn = self.messages.len() - 1 - self.messages.iter().rev().position(is_turn)?;
        let parts = &self.messages.get(turn)?.parts;
        let answered = self.messages.get(turn)?.tool_calls().count().saturating_sub(self.open);
        let calls = parts.iter().enumerate().filter(|(_, part)| part.as_call().is_some());
        calls.map(|(at, _)| (turn, at)).nth(answered)
    }

    /// The position of the next open call after this many more results.
    fn due_after(&self, answers: usize) -> Due {
        let Due(known) = self.due;
        let turn = known.or_else(|| self.find_due()).map(|(turn, _)| turn);
        Due(turn.zip(self.due().nth(answers).map(|(part, _)| part)))
    }

    /// The first call without a result.
    fn open_call(&self) -> Option<&Arc<ToolCall>> {
        self.due().next().map(|(_, call)| call)
    }
}

/// The calls that a message has results of.
fn results(message: &Message) -> impl Iterator<Item = &CallId> {
    message.parts.iter().filter_map(|part| match part {
        Part::ToolResult(result) => Some(&result.call),
        _ => None,
    })
}

/// Proof that a transcript is settled: each of its calls has its result.
///
/// A model request can only be built from one.
#[derive(Debug, Clone, Copy)]
pub struct Settled<'a>(&'a Transcript);

impl Settled<'_> {
    /// The messages, oldest first.
    pub fn messages(&self) -> &Chunked<Arc<Message>> {
        &self.0.messages
    }

    /// An estimate of what a model reads of it, in bytes of text.
    pub fn weight(&self) -> u64 {
        self.0.weight
    }

    /// How many messages are a program's own ([`Message::app`]).
    pub fn app_messages(&self) -> usize {
        self.0.apps
    }
}
