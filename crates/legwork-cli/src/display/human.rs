//! Lines for people: the answer on standard output, all else on standard error.

use std::io::{self, Write};

use legwork::core::error::{ErrorRecord, ErrorSource};
use legwork::core::inbox::{Answer, Verdict};
use legwork::core::{ExecutionStatus, ToolCall};

use super::status::Status;
use super::terminal::{Terminal, Tone};
use super::text::{clip, count, grouped, one_line, time, visible};
use super::{At, Displayer, End, Event, Usage, advice, tool};
use crate::error::Error;

/// Lines for people.
pub(crate) struct Human<O, E> {
    out: O,
    err: E,
    terminal: Terminal,
    status: Status,
    /// Calls that run, for the status line.
    running: Vec<(u32, String)>,
    /// Whether text was written that no line break ended yet.
    open: bool,
}

impl<O: Write, E: Write> Human<O, E> {
    pub(crate) fn new(out: O, err: E, terminal: Terminal) -> Self {
        let (status, running) = (Status::default(), Vec::new());
        Self { out, err, terminal, status, running, open: false }
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        self.status.clear(&mut self.err);
        match self.terminal.out {
            true => self.out.write_all(visible(text).as_bytes())?,
            false => self.out.write_all(text.as_bytes())?,
        }
        self.open = if text.is_empty() { self.open } else { !text.ends_with('\n') };
        self.out.flush()
    }

    /// Ends the text, so that what follows has a line of its own.
    fn close(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.open) {
            self.out.write_all(b"\n")?;
            self.out.flush()?;
        }
        Ok(())
    }

    fn note(&mut self, line: &str) -> io::Result<()> {
        self.close()?;
        self.status.clear(&mut self.err);
        // Whether anybody reads standard error does not matter to the run.
        let _ = writeln!(self.err, "{line}");
        Ok(())
    }

    fn labelled(&mut self, tone: Tone, label: &str, message: &str) -> io::Result<()> {
        let label = self.terminal.paint(tone, label);
        self.note(&format!("{label}: {}", visible(message)))
    }

    fn quiet(&mut self, line: &str) -> io::Result<()> {
        let line = self.terminal.paint(Tone::Quiet, line);
        self.note(&line)
    }

    fn hint(&mut self, hint: &str) -> io::Result<()> {
        self.labelled(Tone::Strong, "hint", hint)
    }

    fn doing(&mut self, what: &str) -> io::Result<()> {
        self.close()?;
        self.status.show(&mut self.err, self.terminal, what);
        Ok(())
    }

    fn show_running(&mut self) -> io::Result<()> {
        let what = match self.running.as_slice() {
            [] => return Ok(()),
            [(_, call)] => format!("… {call}"),
            [(_, call), rest @ ..] => format!("… {call} and {} more", rest.len()),
        };
        self.doing(&what)
    }

    fn tool_started(&mut self, index: u32, call: &ToolCall) -> io::Result<()> {
        self.running.push((index, tool::call(call)));
        self.show_running()
    }

    fn tool_finished(&mut self, event: &Event<'_>) -> io::Result<()> {
        let Event::ToolFinished { index, call, outcome, took } = event else { return Ok(()) };
        self.running.retain(|(running, _)| running != index);
        let line = tool::line(call, outcome, *took, self.terminal.columns);
        match outcome.is_ok() {
            true => self.quiet(&line)?,
            false => {
                let line = self.terminal.paint(Tone::Bad, &line);
                self.note(&line)?;
            }
        }
        self.show_running()
    }

    fn error(&mut self, error: &ErrorRecord) -> io::Result<()> {
        let label = match error.source {
            ErrorSource::Tool(_) | ErrorSource::Hook(_) => "warning",
            _ => "error",
        };
        self.labelled(Tone::Bad, label, &error.message)?;
        advice::on(error).map_or(Ok(()), |hint| self.hint(hint))
    }

    fn failed(&mut self, error: &Error) -> io::Result<()> {
        self.labelled(Tone::Bad, "error", &error.to_string())?;
        error.hint().map_or(Ok(()), |hint| self.hint(&hint))
    }

    fn resumed(&mut self, at: At<'_>) -> io::Result<()> {
        let session = at.session.map_or_else(String::new, ToString::to_string);
        let step = at.step.map_or_else(String::new, |step| format!(" in step {step}"));
        self.quiet(&format!("resuming {session}{step}"))
    }

    fn ended(&mut self, end: &End<'_>) -> io::Result<()> {
        self.pending(end)?;
        let status = end.status();
        let why = end.outcome().map(|outcome| outcome.explain());
        match (&status, why) {
            (ExecutionStatus::Stopped | ExecutionStatus::Cancelled, Some(why)) => {
                self.labelled(Tone::Strong, status.as_str(), &why)?;
            }
            (ExecutionStatus::InProgress, _) => {
                self.labelled(Tone::Strong, "interrupted", "the session can be resumed")?;
            }
            _ => {}
        }
        self.quiet(&spent(&Usage::of(end.state)))?;
        if status == ExecutionStatus::Completed {
            return Ok(());
        }
        self.note(&format!("session {}", end.session()))?;
        end.next().map_or(Ok(()), |next| self.note(&format!("to go on: {next}")))
    }

    fn pending(&mut self, end: &End<'_>) -> io::Result<()> {
        if end.pending().is_empty() {
            return Ok(());
        }
        let words = "this was running when the process died, so it may or may not have happened:";
        self.labelled(Tone::Strong, "in doubt", words)?;
        for pending in end.pending() {
            let call = ToolCall::new("", &*pending.tool, &*pending.arguments);
            let line =
                clip(&tool::call(&call), self.terminal.columns.saturating_sub(2)).into_owned();
            self.note(&format!("  {line}"))?;
        }
        self.note(
            "nothing was run; see what it did, then let the model be told that it was cut off",
        )
    }
}

fn answered(answer: &Answer) -> &'static str {
    match answer.verdict {
        Verdict::Tell => "the model is told that a call was cut off and may have happened",
        Verdict::RunAgain => "a call that was in doubt is run again",
        Verdict::Supply(_) => "a call that was in doubt was given its result",
        _ => "a call that was in doubt was answered",
    }
}

/// What was spent, in a line.
pub(crate) fn spent(usage: &Usage) -> String {
    let mut parts = vec![count(usage.steps, "step")];
    if usage.tool_calls > 0 {
        parts.push(count(usage.tool_calls, "tool call"));
    }
    parts.push(format!("{} tokens in, {} out", grouped(usage.input), grouped(usage.output)));
    parts.push(time(std::time::Duration::from_millis(usage.active_ms)));
    parts.extend(usage.cost_usd.map(|usd| format!("${usd:.4}")));
    parts.join(" · ")
}

impl<O: Write + Send, E: Write + Send> Displayer for Human<O, E> {
    fn can_ask(&self) -> bool {
        self.terminal.asks
    }

    fn show(&mut self, at: At<'_>, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Started(_) | Event::StepStarted => Ok(()),
            Event::Resumed => self.resumed(at),
            Event::JournalCut(damage) => self.labelled(Tone::Bad, "warning", damage),
            Event::InferenceStarted(model) => self.doing(&format!("… asking {model}")),
            Event::Text(text) | Event::Repeated(text) => self.text(text),
            Event::Thinking(text) if self.open || text.trim().is_empty() => Ok(()),
            Event::Thinking(text) => self.doing(&format!("… thinking: {}", one_line(text))),
            Event::ToolStarted { index, call } => self.tool_started(*index, call),
            Event::ToolProgress { message, .. } => self.doing(&format!("… {}", one_line(message))),
            Event::ToolFinished { .. } => self.tool_finished(event),
            Event::Answered(answer) => self.quiet(answered(answer)),
            Event::StepFinished { .. } => self.close(),
            Event::Error(error) => self.error(error),
            Event::Warning(message) => self.labelled(Tone::Strong, "warning", message),
            Event::Interrupting => {
                let words = "leaving the session so that it can be resumed; again to end at once";
                self.labelled(Tone::Strong, "interrupted", words)
            }
            Event::Ended(end) => self.ended(end),
            Event::Failed(error) => self.failed(error),
        }
    }
}
