//! Checks that the lines of a journal are a session.

use std::fmt;
use std::sync::Arc;

use super::Journal;
use crate::entry::{self, Entry};
use crate::event::{Event, ResultKey};
use crate::id::Seq;
use crate::inbox::Cursor;
use crate::state::AgentState;

/// A problem with an entry of a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The number of the entry: that of its line, from 1.
    pub entry: Seq,
    /// What is wrong, in words.
    pub what: String,
    /// Whether the entry cannot be read, so that later ones were not checked.
    pub is_end: bool,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "entry {}: {}", self.entry, self.what)
    }
}

/// Checks the lines of one journal, one entry each, oldest first.
///
/// It reports lines that cannot be read, wrong numbers and parents, and events without an
/// effect: an answer to a call that is not open, the end of a step when there is no current one.
pub fn check<'l>(lines: impl IntoIterator<Item = &'l [u8]>) -> Vec<Problem> {
    let mut checker = Checker::default();
    for (line, number) in lines.into_iter().zip(1..) {
        if !checker.line(Seq(number), line) {
            break;
        }
    }
    checker.problems
}

#[derive(Default)]
struct Checker {
    entries: Vec<Arc<Entry>>,
    /// The state so far; none before `session_started`.
    state: Option<AgentState>,
    problems: Vec<Problem>,
}

impl Checker {
    /// Checks a line; false if later ones cannot be checked.
    fn line(&mut self, number: Seq, line: &[u8]) -> bool {
        let decoded = Entry::decode(line);
        let entry = match decoded {
            Ok(entry) => Arc::new(entry),
            Err(error) => {
                let what = match error {
                    entry::Error::Damaged(error) => format!("the line is damaged: {error}"),
                    entry::Error::Unreadable { reason, .. } => {
                        format!("this Legwork cannot read it: {reason}; use a newer Legwork")
                    }
                };
                self.problems.push(Problem { entry: number, what, is_end: true });
                return false;
            }
        };
        for what in self.order(number, &entry).into_iter().chain(self.effect(&entry)) {
            self.problems.push(Problem { entry: number, what, is_end: false });
        }
        self.take(entry);
        true
    }

    /// The problems with its number and its parent.
    fn order(&self, number: Seq, entry: &Entry) -> Vec<String> {
        let mut wrong = Vec::new();
        if entry.seq != number {
            wrong.push(format!("its number is {}, expected {number}", entry.seq));
        }
        let head = self.entries.last().map_or(Seq::ZERO, |last| match &last.event {
            Event::HeadMoved(moved) => moved.to,
            _ => last.seq,
        });
        if entry.parent != head {
            wrong.push(format!("its parent is {}, but the head is {head}", entry.parent));
        }
        match (&entry.event, &self.state) {
            (Event::SessionStarted(_), Some(_)) => {
                wrong.push("the session has already begun".to_owned())
            }
            (Event::SessionStarted(_), None) => {}
            (other, None) => {
                let kind = other.kind();
                wrong.push(format!("a journal begins with `session_started`, not with `{kind}`"));
            }
            _ => {}
        }
        wrong
    }

    /// Why the event has no effect; none if it has one.
    fn effect(&self, entry: &Entry) -> Option<String> {
        let state = self.state.as_ref()?;
        let step = state.current_step();
        let under_way = state.status().is_some_and(|status| !status.is_terminal());
        let needs = |there: bool, what: &str| (!there).then(|| what.to_owned());
        let known = |seq: Seq| self.entries.iter().any(|entry| entry.seq == seq);
        let slot = |index: u32| step.and_then(|step| step.calls.get(index as usize));
        match &entry.event {
            // What was reserved for them is a fact of the session that they were copied from.
            Event::Responded(_) | Event::InferenceFailed(_)
                if state.facts().is_copied(entry.seq) =>
            {
                None
            }
            Event::ExecutionStarted(_) => needs(!under_way, "an execution is under way"),
            Event::Responded(_) | Event::InferenceFailed(_) | Event::InferenceInterrupted(_) => {
                let reserved = state.ledger().inference().is_some();
                needs(reserved, "no inference is under way")
            }
            Event::ResponseChanged(_) | Event::StepFinished(_) => {
                needs(step.is_some(), "no step is under way")
            }
            Event::ToolStarted(started) => match slot(started.index) {
                None => Some(format!("the step has no call {}", started.index)),
                Some(slot) => needs(slot.execution().is_none(), "the call was answered before"),
            },
            Event::ToolFinished(finished) => match slot(finished.index) {
                None => Some(format!("the step has no call {}", finished.index)),
                Some(slot) => needs(slot.execution().is_none(), "the call was answered before"),
            },
            Event::ToolChanged(changed) => {
                let done = slot(changed.index).is_some_and(|slot| slot.execution().is_some());
                needs(done, "the call has no answer that could be changed")
            }
            Event::Answered(answered) => {
                let id = &answered.answer.id;
                let waits = state.pending().iter().any(|pending| pending.id == *id);
                (!waits).then(|| format!("no pending call has the id `{id}`"))
            }
            Event::ExecutionReopened(_) => {
                needs(state.status().is_some() && !under_way, "no execution has ended")
            }
            Event::ExecutionFinished(_) | Event::StopPrevented(_) | Event::Paused(_) => {
                needs(under_way, "no execution is under way")
            }
            Event::AuxiliaryFinished(_) => {
                let reserved = state.ledger().auxiliary().is_some();
                needs(reserved, "no inference that is no step is under way")
            }
            Event::Compacted(compacted) => {
                let first = compacted.first_kept;
                let cuts = state.context().can_begin_at(first);
                (!cuts).then(|| format!("the conversation cannot be read from entry {first} on"))
            }
            Event::ResultSummarised(summarised) => self.result(state, summarised.result),
            Event::ResultCompared(compared) => self.result(state, compared.result),
            Event::HeadMoved(moved) => {
                // At the beginning there is no entry.
                let there = moved.to == Seq::ZERO || known(moved.to);
                (!there).then(|| format!("there is no entry {} to move the head to", moved.to))
            }
            Event::Labelled(label) => {
                let there = known(label.entry);
                (!there).then(|| format!("there is no entry {} to label", label.entry))
            }
            Event::InboxTaken(taken) => {
                let before: Cursor = state.facts().inbox_cursor;
                needs(taken.cursor > before, "the inbox item was already taken up")
            }
            _ => None,
        }
    }

    /// Why there is no result of a call; none if there is one.
    fn result(&self, state: &AgentState, key: ResultKey) -> Option<String> {
        let transcript = &state.context().transcript;
        let call = transcript.first_of(key.entry).and_then(|at| transcript.messages().get(at));
        let call = call.and_then(|message| message.tool_calls().nth(key.index as usize));
        match call {
            Some(_) => None,
            None => Some(format!("entry {} has no call {}", key.entry, key.index)),
        }
    }

    fn take(&mut self, entry: Arc<Entry>) {
        let session = match (&entry.event, &self.state) {
            (Event::SessionStarted(started), None) => Some(started.session.clone()),
            _ => None,
        };
        let state = self.state.take().or_else(|| session.map(AgentState::new));
        let moved = match &entry.event {
            Event::HeadMoved(moved) => Some(moved.to),
            _ => None,
        };
        self.entries.push(Arc::clone(&entry));
        let state = state.map(|state| state.apply(&entry));
        self.state = match moved {
            None => state,
            Some(to) => {
                let path = Journal::new(self.entries.clone()).path(to);
                state.map(|state| state.on_path(path))
            }
        };
    }
}
