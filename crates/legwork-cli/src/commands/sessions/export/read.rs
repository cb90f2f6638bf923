//! Reads the path of a journal into the blocks of a document.

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork::core::budget::Amounts;
use legwork::core::inbox::Verdict;
use legwork::core::journal::Journal;
use legwork::core::message::Author;
use legwork::core::{Entry, Event, ExecutionStatus, Message, Response, Seq, ToolCall, ToolOutcome};

use super::document::{Block, Call, Kind};
use super::parts::{of_message, of_outcome};
use crate::display::text::{count, money, one_line};

/// The blocks of the path to the head.
pub(super) fn read(journal: &Journal) -> Vec<Block> {
    let mut reader = Reader::default();
    for entry in journal.path(journal.head()) {
        reader.entry(&entry);
    }
    reader.blocks
}

#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    tasks: u64,
    steps: u64,
    /// The block of the step under way.
    step: Option<usize>,
    used: Amounts,
    /// The blocks of the calls of the last response, by their index in it.
    calls: BTreeMap<u32, usize>,
}

impl Reader {
    fn entry(&mut self, entry: &Entry) {
        self.used = self.used.plus(&entry.event.charged());
        let at = entry.seq;
        match &entry.event {
            Event::ExecutionStarted(started) => self.task(at, &started.input),
            Event::ExecutionReopened(_) => self.note(at, "The task goes on."),
            Event::InferenceStarted(_) => self.begin_step(at),
            Event::Responded(body) => self.response(at, &body.response),
            Event::ResponseChanged(body) => {
                let replaced = std::mem::take(&mut self.calls);
                let first = replaced.values().min().copied().unwrap_or(self.blocks.len());
                self.blocks.truncate(first);
                self.note(at, "A hook changed the response:");
                self.response(at, &body.response);
            }
            Event::ToolStarted(body) => self.change(body.index, |call| {
                call.child = body.child.clone();
                if let Some(arguments) = &body.arguments {
                    call.arguments = pretty(arguments);
                }
            }),
            Event::ToolFinished(body) => self.outcome(body.index, &body.outcome),
            Event::ToolChanged(body) => self.outcome(body.index, &body.outcome),
            Event::InferenceFailed(body) => self.add(at, Kind::Error(body.error.to_string())),
            Event::Failed(error) => self.add(at, Kind::Error(error.to_string())),
            Event::Paused(body) => {
                for pending in &body.pending {
                    self.note(at, &format!("{} waits: {}", pending.tool, pending.reason));
                }
            }
            Event::Answered(body) => self.note(at, &answered(&body.answer.verdict)),
            Event::StepFinished(_) => self.end_step(),
            Event::OutputAccepted(body) => {
                let json = serde_json::to_string_pretty(&body.value).unwrap_or_default();
                self.add(at, Kind::Output(json));
            }
            Event::OutputRejected(body) => {
                self.note(at, &format!("Answer rejected, {}: {}", body.stage, body.problem));
            }
            Event::StopRaised(signal) => self.note(at, &format!("Stop: {}", signal.message)),
            Event::StopPrevented(body) => self.note(at, &format!("Stop prevented by {}", body.by)),
            Event::ExecutionFinished(body) => {
                let signal = body.outcome.signal.as_ref();
                let signal = signal.filter(|_| body.status != ExecutionStatus::Completed);
                let why = signal.map(|signal| format!(": {}", signal.message));
                let status = body.status.to_string().replace('_', " ");
                self.note(at, &format!("Ended: {status}{}", why.unwrap_or_default()));
            }
            Event::Compacted(_) => self.note(at, "The conversation before this was compacted."),
            _ => self.message(at, &entry.event),
        }
    }

    fn message(&mut self, at: Seq, event: &Event) {
        let (how, message) = match event {
            Event::Steered(message) => ("Steering", message),
            Event::FollowedUp(message) => ("Follow-up", message),
            Event::MessageAdded(message) => ("Added", message),
            _ => return,
        };
        let by = match &message.author {
            Some(Author::Person(name) | Author::Hook(name)) => format!(" by {name}"),
            Some(Author::Agent(agent)) => format!(" by {agent}"),
            _ => String::new(),
        };
        self.add(at, Kind::Message(format!("{how}{by}"), of_message(message)));
    }

    fn add(&mut self, entry: Seq, kind: Kind) {
        self.blocks.push(Block { entry, kind });
    }

    fn note(&mut self, at: Seq, text: &str) {
        self.add(at, Kind::Note(text.to_owned()));
    }

    fn task(&mut self, at: Seq, input: &[Arc<Message>]) {
        self.tasks += 1;
        self.steps = 0;
        self.end_step();
        let parts = input.iter().flat_map(|message| of_message(message)).collect();
        self.add(at, Kind::Task(self.tasks, parts));
    }

    fn begin_step(&mut self, at: Seq) {
        if self.step.is_some() {
            return self.note(at, "The model is asked again.");
        }
        self.steps += 1;
        self.step = Some(self.blocks.len());
        self.add(at, Kind::Step(self.steps, String::new()));
    }

    fn end_step(&mut self) {
        let used = std::mem::take(&mut self.used);
        let step = self.step.take().and_then(|step| self.blocks.get_mut(step));
        if let Some(Block { kind: Kind::Step(_, text), .. }) = step {
            *text = count(used.total_tokens(), "token");
            if used.cost.0 > 0 {
                *text = format!("{text}, {}", money(used.cost.0 as f64 / 1e6));
            }
        }
    }

    fn response(&mut self, at: Seq, response: &Response) {
        for part in &response.message.parts {
            if let legwork::core::Part::Thinking(thinking) = part
                && !thinking.text.trim().is_empty()
            {
                self.add(at, Kind::Thinking(thinking.text.clone()));
            }
        }
        let said = of_message(&response.message);
        if !said.is_empty() {
            self.add(at, Kind::Said(said));
        }
        self.calls.clear();
        for (call, index) in response.message.tool_calls().zip(0..) {
            self.calls.insert(index, self.blocks.len());
            self.add(at, Kind::Call(begun(call)));
        }
        if let Some(incomplete) = &response.incomplete {
            self.note(at, &format!("The answer is not whole: {incomplete}"));
        }
    }

    fn outcome(&mut self, index: u32, outcome: &ToolOutcome) {
        self.change(index, |call| {
            call.outcome = Some(in_words(outcome));
            call.result = of_outcome(outcome);
        });
    }

    fn change(&mut self, index: u32, change: impl FnOnce(&mut Call)) {
        let block = self.calls.get(&index).and_then(|block| self.blocks.get_mut(*block));
        if let Some(Block { kind: Kind::Call(call), .. }) = block {
            change(call);
        }
    }
}

fn begun(call: &ToolCall) -> Call {
    let (name, arguments) = (call.name.to_string(), pretty(&call.arguments));
    Call { name, arguments, outcome: None, result: Vec::new(), child: None }
}

/// JSON with line breaks; what is no JSON as it is.
fn pretty(arguments: &str) -> String {
    let parsed = serde_json::from_str::<serde_json::Value>(arguments);
    let pretty = parsed.and_then(|value| serde_json::to_string_pretty(&value));
    pretty.unwrap_or_else(|_| arguments.to_owned())
}

fn in_words(outcome: &ToolOutcome) -> String {
    match outcome {
        ToolOutcome::Ok(_) => "succeeded".to_owned(),
        ToolOutcome::Finished(_) => "succeeded, and ended the task".to_owned(),
        ToolOutcome::Retry(_) => "asked the model to try again".to_owned(),
        ToolOutcome::Failed(kind, _) => format!("failed ({})", kind.as_str().replace('_', " ")),
        ToolOutcome::Blocked { by, .. } => format!("blocked by {}", one_line(by)),
        ToolOutcome::Denied { by, .. } => format!("denied by {}", one_line(by)),
        ToolOutcome::Stopped(_) => "asked to stop".to_owned(),
        ToolOutcome::Interrupted => "interrupted: it may or may not have happened".to_owned(),
        ToolOutcome::Skipped(_) => "not run".to_owned(),
        ToolOutcome::Withdrawn => "its approval was withdrawn".to_owned(),
        _ => "waits".to_owned(),
    }
}

fn answered(verdict: &Verdict) -> String {
    match verdict {
        Verdict::RunAgain => "Answered: run it again".to_owned(),
        Verdict::Tell => "Answered: tell the model that it was interrupted".to_owned(),
        Verdict::Supply(_) => "Answered with a result".to_owned(),
        Verdict::Approve(_) => "Approved".to_owned(),
        Verdict::Deny(why) => format!("Denied: {why}"),
        _ => "Answered".to_owned(),
    }
}
