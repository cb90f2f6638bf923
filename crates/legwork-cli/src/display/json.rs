//! One event a line, as JSON.

use std::io::{self, Write};

use legwork::core::ToolCall;
use legwork::core::inbox::Verdict;
use legwork::core::state::Pending;
use legwork::tools::bash::{EXIT_CODE, Ending, SIGNAL};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Value, json};

use super::tool::{self, Finished};
use super::{At, Displayer, End, Event, Subagent, Usage, advice, seen};
use crate::error::Error;

/// The version of the lines: one that reads them goes on to work while it stays the same.
const VERSION: u32 = 1;

/// Writes one event a line, as JSON; each line is flushed.
pub(crate) struct Json<W> {
    out: W,
}

impl<W: Write> Json<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out }
    }
}

impl<W: Write + Send> Displayer for Json<W> {
    fn show(&mut self, at: At<'_>, event: &Event<'_>) -> io::Result<()> {
        // A program finds the answer of a run that was over before where it always is.
        // Of an answer, its pieces and its step tell all there is.
        if matches!(event, Event::Repeated(_) | Event::Responded(_) | Event::CallComing(_)) {
            return Ok(());
        }
        let line = serde_json::to_string(&Line { at, event })? + "\n";
        self.out.write_all(seen::json(&line).as_bytes())?;
        self.out.flush()
    }
}

/// A line: its type and place first, then what belongs to the type.
struct Line<'a> {
    at: At<'a>,
    event: &'a Event<'a>,
}

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut line = serializer.serialize_map(None)?;
        line.serialize_entry("type", kind(self.event))?;
        if let Some(session) = self.at.session {
            line.serialize_entry("session", session)?;
        }
        if let Some(below) = self.at.below {
            line.serialize_entry("path", below.path)?;
        }
        if let Some(step) = self.at.step {
            line.serialize_entry("step", &step)?;
        }
        line.serialize_entry("version", &VERSION)?;
        body(&mut line, self.event)?;
        line.end()
    }
}

fn kind(event: &Event<'_>) -> &'static str {
    match event {
        Event::Started(_) => "execution_started",
        Event::Resumed => "execution_resumed",
        Event::JournalCut(_) => "journal_cut",
        Event::StepStarted => "step_started",
        Event::InferenceStarted(_) => "inference_started",
        Event::InferenceRetried(_) => "inference_retried",
        Event::Text(_) | Event::Repeated(_) => "text_delta",
        Event::Responded(_) | Event::CallComing(_) => "other",
        Event::Thinking(_) => "thinking_delta",
        Event::ToolStarted { .. } => "tool_started",
        Event::ToolProgress { .. } => "tool_progress",
        Event::ToolFinished { .. } => "tool_finished",
        Event::SubagentStarted(_) => "subagent_started",
        Event::SubagentFinished { .. } => "subagent_finished",
        Event::Answered(_) => "answered",
        Event::StepFinished { .. } => "step_finished",
        Event::Error(_) | Event::Failed(_) => "error",
        Event::Warning(_) => "warning",
        Event::Note(_) => "note",
        Event::Interrupting => "interrupting",
        Event::Ended(end) if end.status().is_terminal() => "execution_finished",
        Event::Ended(end) if end.status().is_waiting() => "execution_paused",
        Event::Ended(_) => "execution_interrupted",
    }
}

fn body<M: SerializeMap>(line: &mut M, event: &Event<'_>) -> Result<(), M::Error> {
    match event {
        Event::Resumed | Event::StepStarted | Event::Interrupting => Ok(()),
        Event::Responded(_) | Event::CallComing(_) => Ok(()),
        Event::InferenceRetried(retry) => {
            line.serialize_entry("attempt", &retry.attempt)?;
            line.serialize_entry("wait_ms", &retry.wait.as_millis())?;
            line.serialize_entry("left_ms", &retry.left.as_millis())?;
            line.serialize_entry("discarded", &retry.discarded)?;
            line.serialize_entry("message", retry.error)
        }
        Event::Started(input) => {
            let text: Vec<_> = input.iter().map(|message| message.text()).collect();
            line.serialize_entry("task", &text.join("\n"))
        }
        Event::JournalCut(damage) => line.serialize_entry("damage", damage),
        Event::InferenceStarted(model) => line.serialize_entry("model", model),
        Event::Text(text) | Event::Repeated(text) | Event::Thinking(text) => {
            line.serialize_entry("text", text)
        }
        Event::ToolStarted { index, call } => call_of(line, *index, call),
        Event::ToolProgress { index, message } => {
            line.serialize_entry("index", index)?;
            line.serialize_entry("message", message)
        }
        Event::ToolFinished { index, finished } => finished_of(line, *index, finished),
        Event::SubagentStarted(subagent) => {
            subagent_of(line, subagent)?;
            line.serialize_entry("task", &subagent.task)
        }
        Event::SubagentFinished { of, status, used } => {
            subagent_of(line, of)?;
            line.serialize_entry("status", status)?;
            line.serialize_entry("steps", &of.steps)?;
            line.serialize_entry("usage", &Usage::of_amounts(used))
        }
        Event::Answered(answer) => {
            line.serialize_entry("id", &answer.id)?;
            line.serialize_entry("verdict", verdict(&answer.verdict))
        }
        Event::StepFinished { body, usage, .. } => {
            line.serialize_entry("continues", &body.outcome.should_continue())?;
            line.serialize_entry("stop_reason", &body.outcome.stop_reason())?;
            line.serialize_entry("explain", &body.outcome.explain())?;
            line.serialize_entry("usage", usage)?;
            line.serialize_entry("took_ms", &(body.took.0 / 1000))
        }
        Event::Error(error) => {
            line.serialize_entry("message", &error.message)?;
            line.serialize_entry("hint", &advice::on(error))?;
            line.serialize_entry("kind", &error.kind)?;
            line.serialize_entry("status_code", &error.status)?;
            line.serialize_entry("code", &error.code)?;
            line.serialize_entry("retryable", &error.retryable)
        }
        Event::Warning(message) | Event::Note(message) => line.serialize_entry("message", message),
        Event::Ended(end) => ended(line, end),
        Event::Failed(error) => failed(line, error),
    }
}

fn call_of<M: SerializeMap>(line: &mut M, index: u32, call: &ToolCall) -> Result<(), M::Error> {
    line.serialize_entry("index", &index)?;
    line.serialize_entry("id", &call.id)?;
    line.serialize_entry("tool", &call.name)?;
    line.serialize_entry("arguments", &arguments(&call.arguments))
}

fn finished_of<M: SerializeMap>(
    line: &mut M,
    index: u32,
    finished: &Finished<'_>,
) -> Result<(), M::Error> {
    call_of(line, index, finished.call)?;
    line.serialize_entry("ok", &finished.is_success())?;
    line.serialize_entry("outcome", tool::name(finished.outcome))?;
    match finished.ending() {
        Some(Ending::Exited(code)) => line.serialize_entry(EXIT_CODE, &code)?,
        Some(Ending::Signalled(signal)) => line.serialize_entry(SIGNAL, &signal)?,
        _ => {}
    }
    line.serialize_entry("result", &finished.outcome.to_text())?;
    line.serialize_entry("took_ms", &finished.took.map(|took| took.as_millis()))
}

fn subagent_of<M: SerializeMap>(line: &mut M, subagent: &Subagent<'_>) -> Result<(), M::Error> {
    line.serialize_entry("index", &subagent.index)?;
    line.serialize_entry("agent", subagent.agent)?;
    line.serialize_entry("child", subagent.session)
}

/// Arguments as JSON, or as text where they are none.
fn arguments(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}

fn verdict(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::RunAgain => "run_again",
        Verdict::Tell => "tell",
        Verdict::Supply(_) => "supply",
        _ => "other",
    }
}

fn ended<M: SerializeMap>(line: &mut M, end: &End<'_>) -> Result<(), M::Error> {
    let outcome = end.outcome();
    line.serialize_entry("status", &end.status())?;
    line.serialize_entry("stop_reason", &outcome.and_then(|outcome| outcome.stop_reason()))?;
    line.serialize_entry("explain", &outcome.map(|outcome| outcome.explain()))?;
    line.serialize_entry("text", &end.text())?;
    line.serialize_entry("usage", &Usage::of(end.state))?;
    if end.status().is_waiting() {
        let pending: Vec<_> = end.pending().iter().map(pending).collect();
        line.serialize_entry("pending", &pending)?;
    }
    line.serialize_entry("next", &end.next())
}

fn pending(pending: &Pending) -> Value {
    json!({
        "id": pending.id,
        "tool": pending.tool,
        "arguments": arguments(&pending.arguments),
        "reason": pending.reason,
    })
}

fn failed<M: SerializeMap>(line: &mut M, error: &Error) -> Result<(), M::Error> {
    line.serialize_entry("message", &error.to_string())?;
    line.serialize_entry("hint", &error.hint())
}
