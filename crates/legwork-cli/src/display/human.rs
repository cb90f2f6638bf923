//! Lines for people: the answer on standard output, all else on standard error.

mod below;
mod lines;
#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::time::Instant;

use legwork::core::error::{ErrorRecord, ErrorSource};
use legwork::core::inbox::{Answer, Verdict};
use legwork::core::{ExecutionStatus, ToolCall};
use legwork::port::Retry;

use super::markdown::Markdown;
use super::retry::{VOID, waiting};
use super::status::Status;
use super::summary::spent_within;
use super::terminal::{Terminal, Tone};
use super::text::{clip_with, one_line, visible, wrapped};
use super::tool::{self, Finished};
use super::{At, Displayer, End, Event, Usage, advice, diff, verbose};
use crate::error::Error;

/// Lines of a failed command that are shown, and with `--verbose`.
const LINES: usize = 5;
const LINES_VERBOSE: usize = 20;

/// How much is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Verbosity {
    /// The answer and errors only.
    Quiet,
    #[default]
    Usual,
    /// Each event.
    Verbose,
}

/// Lines for people.
pub(crate) struct Human<O, E> {
    out: O,
    err: E,
    terminal: Terminal,
    verbosity: Verbosity,
    status: Status,
    markdown: Markdown,
    /// Calls that run, for the status line.
    running: Vec<(u32, String, Instant)>,
    /// The model that is asked, and since when.
    asked: (String, Instant),
    /// When a wait is over, after which the model is asked again.
    again: Option<Instant>,
    /// Text for a reader that is no terminal: it gets what stays, so text waits until its
    /// answer is whole.
    held: String,
    /// Whether text was written that no line break ended yet.
    open: bool,
}

impl<O: Write, E: Write> Human<O, E> {
    pub(crate) fn new(out: O, err: E, terminal: Terminal) -> Self {
        let Terminal { columns, out_colour, marks, .. } = terminal;
        Self {
            out,
            err,
            terminal,
            verbosity: Verbosity::Usual,
            status: Status::default(),
            markdown: Markdown::new(columns, out_colour, marks),
            running: Vec::new(),
            asked: (String::new(), Instant::now()),
            again: None,
            held: String::new(),
            open: false,
        }
    }

    /// The same, telling more or less.
    pub(crate) fn verbosity(self, verbosity: Verbosity) -> Self {
        Self { verbosity, ..self }
    }

    fn asking(&mut self, model: &str) -> io::Result<()> {
        self.finish()?;
        self.asked = (visible(model).into_owned(), Instant::now());
        self.doing(&format!("asking {}", visible(model)), self.asked.1);
        Ok(())
    }

    fn retried(&mut self, retry: &Retry<'_>) -> io::Result<()> {
        // What nobody has seen yet is not shown at all.
        let unseen = std::mem::take(&mut self.held);
        if retry.discarded && unseen.is_empty() && self.terminal.out {
            self.finish()?;
            self.quiet(VOID)?;
        }
        let what = waiting(retry);
        if !self.terminal.lively {
            return self.quiet(&what);
        }
        self.close()?;
        self.again = Instant::now().checked_add(retry.wait);
        self.doing(&what, Instant::now());
        Ok(())
    }

    fn show_running(&mut self) {
        let (what, since) = match self.running.as_slice() {
            [] => return,
            [(_, call, since)] => (call.clone(), *since),
            [(_, call, since), rest @ ..] => (format!("{call} and {} more", rest.len()), *since),
        };
        self.doing(&what, since);
    }

    fn tool_started(&mut self, index: u32, call: &ToolCall) -> io::Result<()> {
        self.finish()?;
        self.running.push((index, tool::call(call), Instant::now()));
        self.show_running();
        Ok(())
    }

    fn progress(&mut self, index: u32, message: &str) {
        let since = self.running.iter().find(|(running, ..)| *running == index);
        let since = since.map_or_else(Instant::now, |(.., since)| *since);
        self.doing(&one_line(message), since);
    }

    fn tool_finished(&mut self, index: u32, finished: &Finished<'_>) -> io::Result<()> {
        self.finish()?;
        self.running.retain(|(running, ..)| *running != index);
        let line = finished.line(self.terminal);
        let line = self.terminal.paint(finished.tone(), &line);
        self.note(&line)?;
        let (extent, most) = match self.verbosity {
            Verbosity::Verbose => (diff::Extent::All, LINES_VERBOSE),
            _ => (diff::Extent::Beginning, LINES),
        };
        for line in finished.last_lines(most, self.terminal) {
            let line = self.terminal.paint(Tone::Quiet, &line);
            self.note(&line)?;
        }
        for line in diff::lines(finished.call, finished.outcome, extent, self.terminal) {
            self.note(&line)?;
        }
        self.show_running();
        Ok(())
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
        self.again = None;
        self.labelled(Tone::Bad, "error", &error.to_string())?;
        error.hint().map_or(Ok(()), |hint| self.hint(&hint))
    }

    fn resumed(&mut self, at: At<'_>) -> io::Result<()> {
        let session = at.session.map_or_else(String::new, ToString::to_string);
        let step = at.step.map_or_else(String::new, |step| format!(" in step {step}"));
        self.quiet(&format!("resuming {session}{step}"))
    }

    fn ended(&mut self, end: &End<'_>) -> io::Result<()> {
        self.again = None;
        self.finish()?;
        self.pending(end)?;
        let status = end.status();
        let why = end.outcome().map(|outcome| match &outcome.signal {
            Some(signal) => signal.message.clone(),
            None => outcome.explain(),
        });
        match (&status, why) {
            (ExecutionStatus::Stopped | ExecutionStatus::Cancelled, Some(why)) => {
                self.labelled(Tone::Strong, status.as_str(), &why)?;
            }
            (ExecutionStatus::InProgress, _) => {
                self.labelled(Tone::Strong, "interrupted", "the session can be resumed")?;
            }
            _ => {}
        }
        if self.verbosity != Verbosity::Quiet {
            let Terminal { marks, columns, .. } = self.terminal;
            for line in spent_within(&Usage::of(end.state), marks, columns).lines() {
                let line = self.terminal.paint(Tone::Quiet, line);
                self.note(&line)?;
            }
        }
        if status == ExecutionStatus::Completed {
            return Ok(());
        }
        self.note(&format!("session {}", end.session()))?;
        // In one line, however long it is: it is there to be copied.
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
            let room = self.terminal.columns.saturating_sub(2);
            let line = tool::call(&call);
            let line = clip_with(&line, room, self.terminal.marks.more);
            self.note(&format!("  {line}"))?;
        }
        let words =
            "nothing was run; see what it did, then let the model be told that it was cut off";
        self.note(&wrapped(words, self.terminal.prose(), 0))
    }

    /// The answer of what ended, and errors.
    fn show_quietly(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Error(error) if !matches!(error.source, ErrorSource::Tool(_)) => {
                self.error(error)
            }
            Event::Failed(error) => self.failed(error),
            Event::Ended(end) => {
                self.text(&end.text())?;
                self.ended(end)
            }
            _ => Ok(()),
        }
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

impl<O: Write + Send, E: Write + Send> Displayer for Human<O, E> {
    fn can_ask(&self) -> bool {
        self.terminal.asks
    }

    fn show(&mut self, at: At<'_>, event: &Event<'_>) -> io::Result<()> {
        self.terminal.measure();
        self.markdown.set_columns(self.terminal.columns);
        match self.verbosity {
            Verbosity::Quiet if at.below.is_some() => return Ok(()),
            Verbosity::Quiet => return self.show_quietly(event),
            Verbosity::Usual => {}
            Verbosity::Verbose => {
                for line in verbose::line(at, event).iter().flat_map(|lines| lines.lines()) {
                    let most = self.terminal.columns;
                    let line = clip_with(line, most, self.terminal.marks.more);
                    let line = self.terminal.paint(Tone::Quiet, &line);
                    self.finish()?;
                    self.note(&line)?;
                }
            }
        }
        if let Some(below) = at.below {
            return self.show_below(below, event);
        }
        match event {
            Event::SubagentStarted(subagent) => self.subagent_started(subagent),
            Event::SubagentFinished { of, status, used } => {
                self.subagent_finished(of, status, used)
            }
            Event::Started(_) | Event::StepStarted => Ok(()),
            Event::Responded(_) => {
                self.again = None;
                self.release()
            }
            Event::Resumed => self.resumed(at),
            Event::JournalCut(damage) => self.labelled(Tone::Bad, "warning", damage),
            Event::InferenceStarted(model) => self.asking(model),
            Event::InferenceRetried(retry) => self.retried(retry),
            Event::CallComing(name) => {
                if self.terminal.out {
                    self.close()?;
                }
                self.doing(&format!("writing a call of {}", one_line(name)), Instant::now());
                Ok(())
            }
            Event::Text(text) | Event::Repeated(text) => self.text(text),
            Event::Thinking(text) if self.is_open() || text.trim().is_empty() => Ok(()),
            Event::Thinking(text) => {
                self.doing(&format!("thinking: {}", one_line(text)), self.asked.1);
                Ok(())
            }
            Event::ToolStarted { index, call } => self.tool_started(*index, call),
            Event::ToolProgress { index, message } => {
                self.progress(*index, message);
                Ok(())
            }
            Event::ToolFinished { index, finished } => self.tool_finished(*index, finished),
            Event::Answered(answer) => self.quiet(answered(answer)),
            Event::StepFinished { .. } => self.finish(),
            Event::Error(error) => self.error(error),
            Event::Warning(message) => self.labelled(Tone::Strong, "warning", message),
            Event::Note(message) => self.quiet(&visible(message)),
            Event::Interrupting => {
                let words = match at.session {
                    Some(_) => {
                        "leaving the session so that it can be resumed; again to end at once"
                    }
                    None => "ending; again to end at once",
                };
                self.labelled(Tone::Strong, "interrupted", words)
            }
            Event::Ended(end) => self.ended(end),
            Event::Failed(error) => self.failed(error),
        }
    }

    fn tick(&mut self) {
        self.terminal.measure();
        if self.again.take_if(|again| *again <= Instant::now()).is_some() {
            let what = format!("asking {} again", self.asked.0);
            self.doing(&what, Instant::now());
        }
        self.status.tick(&mut self.err, self.terminal);
    }

    fn leave(&mut self) {
        self.status.clear(&mut self.err);
    }
}
