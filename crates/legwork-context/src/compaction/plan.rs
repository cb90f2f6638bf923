//! Where a conversation is cut, the request for its summary, and the event that records it.

use std::sync::Arc;

use legwork_core::event::{Compacted, CompactionCause};
use legwork_core::inference::ToolChoice;
use legwork_core::message::Role;
use legwork_core::state::{ProposedCompaction, Tokens};
use legwork_core::{AgentState, Message, ModelRequest, Response, Seq, Transcript};

use super::ask::Ask;
use super::{Files, Policy, open_tasks};
use crate::memory::Memory;
use crate::source::Source;
use crate::unit::Unit;

/// Why a conversation is not compacted, or a summary is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Cannot {
    /// Calls have no results yet.
    #[error("calls have no results yet: compact when the turn is over")]
    NotSettled,
    /// Nothing would be left out.
    #[error(
        "nothing can be left out: the latest messages alone fill what is kept; shorten results of \
         tools, or use a model with a longer window"
    )]
    NothingToCut,
    /// All of the conversation is kept as it is.
    #[error(
        "there is nothing to compact: the conversation has about {tokens} tokens, and the latest \
         {keep} are kept as they are"
    )]
    Short {
        /// The tokens that it has.
        tokens: u64,
        /// The tokens that are kept.
        keep: u64,
    },
    /// A provider refused the conversation as too long, also after it was compacted for that.
    #[error(
        "the conversation is still too long after it was compacted: shorten results of tools, \
         unpin messages, or use a model with a longer window"
    )]
    StillTooLong,
    /// The request for the summary would be too long itself.
    #[error("the request for the summary does not fit the window of the model")]
    TooLong,
    /// The agent does not compact conversations.
    #[error("the agent compacts no conversations by itself: compact it, or allow that")]
    Off,
    /// The answer is no summary.
    #[error("the model gave no summary: the answer is incomplete, empty, or calls a tool")]
    NoSummary,
}

/// Where a conversation is cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The entry of the first message that is kept.
    pub first_kept: Seq,
    /// The index of that message in the transcript.
    pub at: usize,
    /// Entries before it whose messages are kept, too.
    pub also_kept: Vec<Seq>,
    /// Why it is compacted.
    pub cause: CompactionCause,
    /// How many tokens the conversation has.
    pub tokens_before: u64,
    /// An estimate of the tokens that are kept.
    pub tokens_kept: u64,
    /// Whether it is cut inside of a turn.
    pub cuts_turn: bool,
    /// Whether a summary of before is brought up to date.
    pub updates: bool,
    focus: Option<String>,
}

impl Plan {
    /// Where to cut the conversation of a state, so that what the policy keeps is left.
    ///
    /// It is cut where a turn begins, if that leaves between half and one and a half of what is
    /// to be kept; else before an answer of the model inside of a turn, whose first message is
    /// then kept, too, if it is not long. What an earlier compaction left out stays left out.
    /// After an overflow no more than half of the conversation is kept.
    ///
    /// # Errors
    /// If calls are open, nothing would be left out, or the model has not answered since it was
    /// compacted for an overflow.
    pub fn of(
        state: &AgentState,
        policy: &Policy,
        window: Option<u64>,
        cause: CompactionCause,
    ) -> Result<Self, Cannot> {
        let context = state.context();
        context.transcript.settled().ok_or(Cannot::NotSettled)?;
        let from = context.compaction.as_ref().map_or(0, |before| before.first);
        let updates = context.compaction.is_some();
        let units = Source::since(state, from);
        let all: u64 = units.iter().map(tokens).sum();
        let (mut keep, tokens_before) = (policy.kept(window), state.tokens().total());
        if cause == CompactionCause::Overflow {
            if overflowed(state) {
                return Err(Cannot::StillTooLong);
            }
            keep = keep.min(all.min(tokens_before) / 2);
        }
        if all <= keep && cause == CompactionCause::Manual {
            return Err(Cannot::Short { tokens: all, keep });
        }
        let at = cut(&units, keep).filter(|at| *at > 0).ok_or(Cannot::NothingToCut)?;
        let (before, after) = units.split_at_checked(at).ok_or(Cannot::NothingToCut)?;
        let first = after.first().ok_or(Cannot::NothingToCut)?;
        let opening = before.iter().rev().find(|unit| unit.opens_turn());
        let also_kept = match (opening, &context.compaction) {
            _ if first.opens_turn() => Vec::new(),
            (Some(opening), _) if tokens(opening) <= keep / 4 => vec![opening.entry()],
            // The turn that was cut then is cut once more.
            (None, Some(former)) => former.compacted.also_kept.clone(),
            _ => Vec::new(),
        };
        Ok(Self {
            first_kept: first.entry(),
            at: first.ordinal() - 1,
            also_kept,
            cause,
            tokens_before,
            tokens_kept: after.iter().map(tokens).sum(),
            cuts_turn: !first.opens_turn(),
            updates,
            focus: None,
        })
    }

    /// The same, with words of a person about what the summary shall heed.
    #[must_use]
    pub fn with_focus(self, focus: impl Into<String>) -> Self {
        Self { focus: Some(focus.into()), ..self }
    }

    /// The same, as hooks see it.
    pub fn proposed(&self) -> ProposedCompaction {
        ProposedCompaction {
            cause: self.cause.clone(),
            first_kept: self.first_kept,
            also_kept: self.also_kept.clone(),
            tokens_before: self.tokens_before,
            tokens_kept: self.tokens_kept,
            focus: self.focus.clone(),
            summary: None,
        }
    }

    /// The request for the summary: what the model read last, up to the cut, then one more
    /// message of a user that asks for it.
    ///
    /// `last` is the request that was sent last or is about to be: its instructions, tools and
    /// settings are used as they are, so that the provider's prompt cache holds. `memory` is
    /// that of [`Pipeline::to_model`](crate::Pipeline::to_model), which made it of this state.
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
        let Self { updates, cuts_turn, focus, .. } = self;
        let ask = Ask { updates: *updates, cuts_turn: *cuts_turn, focus: focus.as_deref() };
        let before = memory.before(self.at, &state.context().transcript);
        request(before, last, ask.text(), window)
    }

    /// The summary that a model gave.
    ///
    /// # Errors
    /// If the answer is incomplete, calls a tool, or has no text.
    pub fn read(&self, response: &Response) -> Result<String, Cannot> {
        said(response)
    }

    /// The event that records the compaction.
    ///
    /// `files` are those of the path up to the cut; those of an earlier compaction are added.
    pub fn compacted(&self, state: &AgentState, summary: String, files: Files) -> Compacted {
        let files = match &state.context().compaction {
            Some(former) => files.with_former(&former.compacted),
            None => files,
        };
        Compacted {
            summary,
            first_kept: self.first_kept,
            also_kept: self.also_kept.clone(),
            cause: self.cause.clone(),
            tokens_before: self.tokens_before,
            files_read: files.read().cloned().collect(),
            files_changed: files.changed().cloned().collect(),
            open_tasks: open_tasks(state),
        }
    }
}

/// Whether the conversation was compacted for an overflow, and the model did not answer since.
fn overflowed(state: &AgentState) -> bool {
    let Some(last) = &state.context().compaction else { return false };
    let transcript = &state.context().transcript;
    let answers = (0..transcript.messages().len()).rev().find(|at| {
        let message = transcript.messages().get(*at);
        message.is_some_and(|message| message.role == Role::Assistant)
    });
    let is_before = answers.and_then(|at| transcript.entry(at)).is_none_or(|at| at < last.entry);
    last.compacted.cause == CompactionCause::Overflow && is_before
}

/// The index of the first unit to keep; none if all are kept.
fn cut(units: &[Unit], keep: u64) -> Option<usize> {
    let sums = units.iter().rev().scan(0_u64, |sum, unit| {
        *sum += tokens(unit);
        Some(*sum)
    });
    let mut kept: Vec<_> = sums.collect();
    kept.reverse();
    // Messages of one entry are not parted: an entry is what is named as the first that is kept.
    let begins_entry = |at: usize| {
        let entry = |at: usize| units.get(at).map(Unit::entry);
        at.checked_sub(1).and_then(entry) != entry(at)
    };
    let turns = || {
        let all = kept.iter().zip(units).enumerate().skip(1);
        let turns = all.filter(|(at, (_, unit))| unit.opens_turn() && begins_entry(*at));
        turns.map(|(at, (kept, _))| (at, *kept))
    };
    // A turn that begins where a little less is kept, else where a little more is.
    let less = turns().find(|(_, kept)| (keep / 2..=keep).contains(kept));
    let more = turns().rfind(|(_, kept)| (keep..=keep.saturating_add(keep / 2)).contains(kept));
    if let Some((at, _)) = less.or(more) {
        return Some(at);
    }
    let last = units.len().checked_sub(1)?;
    let inside = kept.iter().position(|kept| *kept <= keep).unwrap_or(last);
    // What follows a message of a user is read with it.
    let is_apart = |at: usize| {
        let before = units.iter().take(at).rfind(|unit| unit.head().app.is_none());
        let answers = units.get(at).is_some_and(|unit| !unit.is_user());
        answers && before.is_some_and(Unit::is_user)
    };
    let inside = (1..=inside).rev().find(|at| !is_apart(*at) && begins_entry(*at));
    // Else the next turn, however little of the conversation that is.
    let is_long = kept.first().is_some_and(|all| *all > keep);
    let next = || turns().find(|(_, kept)| *kept <= keep && is_long).map(|(at, _)| at);
    inside.or_else(next)
}

fn tokens(unit: &Unit) -> u64 {
    Tokens::of_weight(unit.weight())
}

/// A request of messages and one more, as the last request is; the model is to call no tool.
///
/// # Errors
/// If it does not fit the window, even without its oldest messages.
pub(crate) fn request(
    mut messages: Transcript,
    last: &ModelRequest,
    ask: String,
    window: Option<u64>,
) -> Result<ModelRequest, Cannot> {
    let ask = Arc::new(Message::user(ask));
    let beside = last.instructions.len() as u64 + last.tools.weight() + ask.weight();
    // A quarter of the window is enough for a summary, and more than a small model gives.
    let room = window.map(|window| (window - window / 4).saturating_sub(Tokens::of_weight(beside)));
    if last.is_rendered() {
        // Its driver shows messages in another form: what was shown is what is shown again.
        let ask = Message::user(format!("{} Write plain text, not JSON.", ask.text()));
        let request = last.clone().first(messages.messages().len()).with_message(ask);
        let fits = room.is_none_or(|room| Tokens::of_weight(messages.weight()) <= room);
        return if fits { Ok(plain(request)) } else { Err(Cannot::TooLong) };
    }
    if let Some(room) = room {
        messages = fitting(messages, room)?;
    }
    messages.push(Seq::ZERO, ask);
    let settled = messages.settled().ok_or(Cannot::NotSettled)?;
    let mut request = ModelRequest::new(settled, Arc::clone(&last.settings));
    request.instructions = Arc::clone(&last.instructions);
    request.tools = Arc::clone(&last.tools);
    request.tool_choice = ToolChoice::Auto;
    Ok(request)
}

/// A request that is answered in words.
fn plain(mut request: ModelRequest) -> ModelRequest {
    (request.response_format, request.tool_choice) = (None, ToolChoice::Auto);
    request
}

/// The messages, without the oldest if all are too long for so many tokens.
fn fitting(messages: Transcript, room: u64) -> Result<Transcript, Cannot> {
    if Tokens::of_weight(messages.weight()) <= room {
        return Ok(messages);
    }
    let units = Source::of_messages(&messages);
    // The first unit is the task, or the summary of what came before.
    let (first, rest) = units.split_first().ok_or(Cannot::TooLong)?;
    let mut left = room.checked_sub(tokens(first)).ok_or(Cannot::TooLong)?;
    let fits = |unit: &&Unit| {
        let fits = tokens(unit) <= left;
        left -= if fits { tokens(unit) } else { left };
        fits
    };
    let kept = rest.iter().rev().take_while(fits).count();
    if kept == 0 {
        return Err(Cannot::TooLong);
    }
    let mut shorter = Transcript::default();
    let kept = rest.iter().skip(rest.len() - kept);
    for message in std::iter::once(first).chain(kept).flat_map(Unit::messages) {
        shorter.push(Seq::ZERO, Arc::clone(message));
    }
    Ok(shorter)
}

/// The text of an answer that is a summary.
pub(crate) fn said(response: &Response) -> Result<String, Cannot> {
    let text = response.text().trim().to_owned();
    let calls = response.message.tool_calls().next().is_some();
    let is_summary = response.incomplete.is_none() && !calls && !text.is_empty();
    if is_summary { Ok(text) } else { Err(Cannot::NoSummary) }
}
