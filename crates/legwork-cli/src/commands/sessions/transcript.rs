//! A session as a text to read: a fold over the path of its journal.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use legwork::core::budget::Amounts;
use legwork::core::inbox::Verdict;
use legwork::core::settings::SessionSettings;
use legwork::core::state::Pending;
use legwork::core::tool::Metadata;
use legwork::core::{
    ContinuationOutcome, Entry, Event, ExecutionStatus, Message, Part, Response, StopReason,
    Timestamp, ToolCall, ToolOutcome,
};
use serde_json::Value;

use crate::commands::sessions::list::{INTERRUPTED, SUSPENDED};
use crate::display::text::{age, clip, count, one_line, visible};
use crate::display::tool::{self, Finished};
use crate::display::{Again, Terminal, Usage, spent, spent_in_step, to_go_on};
use crate::recorded::Recorded;
use crate::session::Found;

/// Lines of a tool's result that are shown, most of them from its end.
const LINES: usize = 8;

/// The transcript of a session; `again` is what another command needs to go on with it.
pub(super) fn of(found: &Found, again: &Again, terminal: Terminal, now: Timestamp) -> String {
    let mut transcript = Transcript {
        text: String::new(),
        terminal,
        step: None,
        steps: 0,
        calls: Vec::new(),
        results: BTreeMap::new(),
        shown_error: String::new(),
        used: Amounts::default(),
    };
    transcript.head(found, now);
    for entry in found.journal.path(found.journal.head()) {
        transcript.entry(&entry);
    }
    transcript.foot(found, again);
    transcript.text
}

struct Transcript {
    text: String,
    terminal: Terminal,
    /// The step under way; none between steps.
    step: Option<u64>,
    steps: u64,
    calls: Vec<Arc<ToolCall>>,
    /// What came of them: shown in call order, though it is journaled as it comes.
    results: BTreeMap<u32, Answer>,
    /// The last error of the step under way.
    shown_error: String,
    /// What the step under way charged.
    used: Amounts,
}

/// What came of a call.
#[derive(Default)]
struct Answer {
    outcome: Option<Arc<ToolOutcome>>,
    metadata: Metadata,
    took: Duration,
}

impl Transcript {
    fn line(&mut self, line: &str) {
        self.text.push_str(visible(line).trim_end());
        self.text.push('\n');
    }

    fn indented(&mut self, text: &str) {
        text.lines().for_each(|line| self.line(&format!("    {line}")));
    }

    fn head(&mut self, found: &Found, now: Timestamp) {
        let state = found.journal.fold(&found.id);
        let recorded = Recorded::of(&state);
        self.line(&format!("session {}", found.id));
        self.line(&format!("model   {}", state.settings().model));
        if let Some(dir) = recorded.dir {
            self.line(&format!("dir     {dir}"));
        }
        let times = found.journal.entries();
        if let (Some(first), Some(last)) = (times.first(), times.last()) {
            let (began, changed) = (age(first.at, now), age(last.at, now));
            self.line(&format!("begun   {began}, changed {changed}"));
        }
    }

    fn foot(&mut self, found: &Found, again: &Again) {
        let state = found.journal.fold(&found.id);
        self.show_results();
        self.line("");
        let suspended = state.facts().suspended.as_deref();
        let is_over = state.status().is_none_or(ExecutionStatus::is_terminal);
        let status = match found.running {
            Some(false) if suspended.is_some() && !is_over => SUSPENDED.to_owned(),
            Some(false) => INTERRUPTED.to_owned(),
            _ => state.status().unwrap_or(&ExecutionStatus::InProgress).to_string(),
        };
        let (marks, used) = (self.terminal.marks, Usage::of_amounts(&state.ledger().lifetime));
        self.line(&format!("{status} {} {}", marks.dot, spent(&used, marks)));
        if let Some(reason) = suspended {
            self.line(&format!("suspended: {}", one_line(reason)));
        }
        match to_go_on(&state, again) {
            Some(_) if found.running == Some(true) => self.line("a process runs it now"),
            Some(next) => self.line(&format!("to go on: {next}")),
            None => {}
        }
    }

    fn entry(&mut self, entry: &Entry) {
        self.used = self.used.plus(&entry.event.charged());
        match &entry.event {
            Event::ExecutionStarted(started) => started.input.iter().for_each(|m| self.task(m)),
            Event::ExecutionReopened(_) => self.line("\n(goes on)"),
            Event::InferenceStarted(_) => self.begin_step(),
            Event::Responded(body) => self.response(&body.response),
            Event::ResponseChanged(body) => {
                self.line("(a hook changed the response)");
                self.response(&body.response);
            }
            Event::ToolStarted(_) | Event::SessionStarted(_) | Event::Defined(_) => {}
            Event::ToolFinished(body) => {
                let outcome = Some(Arc::clone(&body.outcome));
                let (metadata, took) = (body.metadata.clone(), body.took.into());
                self.results.insert(body.index, Answer { outcome, metadata, took });
            }
            // What the tool left stays: a hook changes the outcome alone.
            Event::ToolChanged(body) => {
                let outcome = Some(Arc::clone(&body.outcome));
                self.results.entry(body.index).or_default().outcome = outcome;
            }
            Event::InferenceFailed(body) => self.error(body.error.to_string()),
            Event::Failed(error) => self.error(error.to_string()),
            Event::Paused(body) => {
                self.show_results();
                body.pending.iter().for_each(|pending| self.waits(pending));
            }
            Event::Answered(body) => {
                self.line(&format!("(answered: {})", said(&body.answer.verdict)))
            }
            Event::StepFinished(body) => {
                self.show_results();
                self.step = None;
                // Not an error again that was just shown.
                let shown = std::mem::take(&mut self.shown_error);
                if let Some(why) = why(&body.outcome).filter(|why| *why != shown) {
                    self.line(&format!("({why})"));
                }
                let used = Usage::of_amounts(&std::mem::take(&mut self.used));
                self.line(&format!("({})", spent_in_step(&used, self.terminal.marks)));
            }
            Event::OutputAccepted(body) => self.line(&format!("output {}", body.value)),
            Event::OutputRejected(body) => {
                self.line(&format!("(answer rejected, {}: {})", body.stage, body.problem));
            }
            Event::StopRaised(signal) => self.line(&format!("(stop: {})", signal.message)),
            Event::StopPrevented(body) => self.line(&format!("(stop prevented by {})", body.by)),
            Event::Steered(message) | Event::FollowedUp(message) | Event::MessageAdded(message) => {
                self.task(message)
            }
            Event::SettingsSet(settings) => self.line(&format!("(set: {})", set(settings))),
            Event::InboxTaken(taken) => {
                if let Some(refused) = &taken.refused {
                    self.line(&format!("(refused: {})", refused.reason));
                }
            }
            _ => {}
        }
    }

    fn error(&mut self, error: String) {
        self.line(&format!("error: {error}"));
        self.shown_error = error;
    }

    fn waits(&mut self, pending: &Pending) {
        let call = ToolCall::new("", &*pending.tool, &*pending.arguments);
        let line = clip(&format!("? {}", tool::call(&call)), self.terminal.columns).into_owned();
        self.line(&line);
        self.line(&format!("  ({})", pending.reason));
    }

    fn task(&mut self, message: &Message) {
        self.line("");
        let text = message.text();
        for (at, line) in text.lines().take(LINES).enumerate() {
            let lead = if at == 0 { "> " } else { "  " };
            let line = clip(line, self.terminal.columns.saturating_sub(2)).into_owned();
            self.line(&format!("{lead}{line}"));
        }
        self.more(text.lines().count().saturating_sub(LINES));
    }

    fn begin_step(&mut self) {
        if self.step.is_some() {
            return self.line("(asked again)");
        }
        self.steps += 1;
        self.step = Some(self.steps);
        self.line(&format!("\nstep {}", self.steps));
    }

    fn response(&mut self, response: &Response) {
        self.calls = response.message.tool_calls().map(Arc::clone).collect();
        for part in &response.message.parts {
            match part {
                Part::Text(text) => self.line(&text.text),
                Part::Refusal(text) => self.line(&format!("(refused) {}", text.text)),
                Part::Image(_) => self.line("(an image)"),
                Part::File(_) => self.line("(a file)"),
                _ => {}
            }
        }
        if let Some(incomplete) = &response.incomplete {
            self.line(&format!("(the answer is not whole: {incomplete})"));
        }
    }

    fn show_results(&mut self) {
        for (index, answer) in std::mem::take(&mut self.results) {
            let call = self.calls.get(index as usize).cloned();
            let Some((call, outcome)) = call.zip(answer.outcome) else { continue };
            let (call, outcome, metadata) = (&*call, &*outcome, &answer.metadata);
            let took = Some(answer.took).filter(|took| !took.is_zero());
            self.result(&Finished { call, outcome, metadata, took });
        }
    }

    fn result(&mut self, finished: &Finished<'_>) {
        let lines = finished.output();
        let failed = finished.ending().is_some_and(|ending| !ending.is_success());
        if lines.len() < 2 && !failed {
            return self.line(&finished.line(self.terminal));
        }
        let line = match failed {
            true => finished.line(self.terminal),
            false => {
                format!("{} {}", finished.mark(self.terminal.marks), tool::call(finished.call))
            }
        };
        self.line(&clip(&line, self.terminal.columns));
        let left = lines.len().saturating_sub(LINES);
        self.more(left);
        for line in lines.iter().skip(left) {
            let line = clip(line, self.terminal.columns.saturating_sub(4)).into_owned();
            self.indented(&line);
        }
    }

    fn more(&mut self, lines: usize) {
        if lines > 0 {
            self.line(&format!("    ... {}", count(lines as u64, "more line")));
        }
    }
}

/// Why a step was the last, where there is more to say than that it is all done.
fn why(outcome: &ContinuationOutcome) -> Option<String> {
    match (&outcome.signal, outcome.stop_reason()) {
        _ if outcome.should_continue() => None,
        (_, Some(StopReason::Completed)) => None,
        (Some(signal), _) => Some(signal.message.clone()),
        (None, _) => Some(outcome.explain()),
    }
}

/// What was set for the session, in words.
fn set(settings: &SessionSettings) -> String {
    let reset = settings.reset.then(|| "as the agent is defined".to_owned());
    let model = settings.model.as_ref().map(|model| format!("model {model}"));
    let prompt = settings.instructions.as_ref().map(|_| "instructions".to_owned());
    let limits = legwork::agent::describe::limits(&settings.limits);
    let removed = settings.unlimited.iter().map(|dimension| format!("no limit of {dimension}"));
    let all: Vec<_> =
        [reset, model, prompt].into_iter().flatten().chain(limits).chain(removed).collect();
    all.join(", ")
}

fn said(verdict: &Verdict) -> String {
    let words = match verdict {
        Verdict::RunAgain => "run it again",
        Verdict::Tell => "tell the model that it was interrupted",
        Verdict::Supply(result) => return format!("its result is {}", one_line(&text(result))),
        Verdict::Approve(_) => "approved",
        Verdict::Deny(why) => return format!("denied: {}", one_line(why)),
        _ => "in a way that this version does not know",
    };
    words.to_owned()
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
