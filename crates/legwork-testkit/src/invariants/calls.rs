//! Inferences and calls of a step, by the entries alone.

use legwork_core::event::{Event, ToolStarted};
use legwork_core::inbox::{Answer, Verdict};
use legwork_core::{AgentState, Entry, Response};

use super::{Checked, hold};

const ANSWERED: &str = "each call is answered once (S6.10, S7.3)";
const BEGUN: &str = "a call begins once, and not after its answer (S10.2)";
const AGAIN: &str = "an intent says whether its call runs again (S5.1, S10.2)";
const RESPONSE: &str = "a response that is there is not asked for again (S10.2)";
const RESERVED: &str = "an inference is reserved before it is asked (S5.2)";
const ENDED: &str = "a step ends when all of its calls are answered (S6.10)";
const EXECUTION: &str = "an execution begins and ends between steps (S1.9)";

/// The step under way.
#[derive(Default)]
pub(super) struct Calls {
    asked: bool,
    whole: bool,
    slots: Vec<Slot>,
}

#[derive(Default, Clone)]
struct Slot {
    begun: bool,
    /// It began, and runs again: it was approved or supplied with input, or a person said so.
    again: bool,
    answered: bool,
}

impl Calls {
    /// Takes the next entry; the state is that before it.
    pub(super) fn step(&mut self, before: &AgentState, entry: &Entry) -> Checked {
        let at = entry.seq;
        match &entry.event {
            Event::InferenceStarted(_) => {
                hold!(RESPONSE, !self.whole, "entry {at} asks, and a response is there");
                self.asked = true;
            }
            Event::Responded(responded) => {
                hold!(RESERVED, self.asked, "entry {at} is a response that nothing was held for");
                hold!(RESPONSE, !self.whole, "entry {at} is a second response of a step");
                self.whole = responded.response.incomplete.is_none();
                self.respond(&responded.response);
                self.asked = false;
            }
            Event::InferenceFailed(_) => self.asked = false,
            Event::ResponseChanged(changed) => {
                let begun = self.slots.iter().any(|slot| slot.begun || slot.answered);
                hold!(BEGUN, !begun, "entry {at} changes a response whose calls began");
                self.respond(&changed.response);
            }
            Event::ToolStarted(started) => self.begin(entry, started)?,
            Event::ToolFinished(finished) => self.answer(entry, finished.index)?,
            Event::Answered(answered) => self.decide(before, entry, &answered.answer)?,
            Event::StepFinished(_) => {
                let open = self.slots.iter().filter(|slot| !slot.answered).count();
                hold!(ENDED, open == 0, "entry {at} ends a step with {open} calls unanswered");
                *self = Self::default();
            }
            Event::ExecutionStarted(_) | Event::ExecutionFinished(_) => {
                let kind = entry.event.kind();
                let ended = before.current_step().is_none();
                hold!(EXECUTION, ended, "entry {at} is {kind} in the middle of a step");
                *self = Self::default();
            }
            _ => {}
        }
        Ok(())
    }

    /// What broke off stays so, whatever a hook makes of it (S11.3).
    fn respond(&mut self, response: &Response) {
        let count = if self.whole { response.message.tool_calls().count() } else { 0 };
        self.slots = vec![Slot::default(); count];
    }

    fn begin(&mut self, entry: &Entry, started: &ToolStarted) -> Checked {
        let (at, index) = (entry.seq, started.index);
        let Some(slot) = self.slots.get_mut(index as usize) else {
            hold!(BEGUN, false, "entry {at} begins call {index}, which is not there");
            return Ok(());
        };
        hold!(BEGUN, !slot.answered, "entry {at} begins call {index}, which was answered");
        hold!(BEGUN, !slot.begun, "entry {at} begins call {index} a second time");
        let again = started.again;
        hold!(AGAIN, again == slot.again, "entry {at} begins call {index}, again: {again}");
        slot.begun = true;
        Ok(())
    }

    fn answer(&mut self, entry: &Entry, index: u32) -> Checked {
        let at = entry.seq;
        let Some(slot) = self.slots.get_mut(index as usize) else {
            hold!(ANSWERED, false, "entry {at} answers call {index}, which is not there");
            return Ok(());
        };
        hold!(ANSWERED, !slot.answered, "entry {at} answers call {index} a second time");
        slot.answered = true;
        Ok(())
    }

    /// A call that waits is decided about: it is answered, or may begin again.
    fn decide(&mut self, before: &AgentState, entry: &Entry, answer: &Answer) -> Checked {
        let at = entry.seq;
        let pending = before.pending().iter().find(|pending| pending.id == answer.id);
        let Some(pending) = pending else {
            hold!(ANSWERED, false, "entry {at} answers {}, which does not wait", answer.id);
            return Ok(());
        };
        // What a body asked for is no answer of its call.
        let supplies = matches!(answer.verdict, Verdict::Supply(_)) && pending.input.is_some();
        match answer.verdict {
            _ if supplies => self.runs_again(pending.index),
            Verdict::RunAgain | Verdict::Approve(_) => self.runs_again(pending.index),
            _ => return self.answer(entry, pending.index),
        }
        Ok(())
    }

    fn runs_again(&mut self, index: u32) {
        if let Some(slot) = self.slots.get_mut(index as usize) {
            (slot.begun, slot.again) = (false, slot.begun || slot.again);
        }
    }
}
