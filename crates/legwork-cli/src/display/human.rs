//! Lines for people: the answer on standard output, all else on standard error.

mod aside;
mod asking;
mod auxiliary;
mod below;
mod lines;
#[cfg(test)]
mod tests;
mod waiting;

use std::io::{self, Write};
use std::time::Instant;

use legwork::core::budget::Amounts;
use legwork::core::error::{ErrorRecord, ErrorSource};
use legwork::core::inbox::{Answer, Verdict};
use legwork::core::{Event, ExecutionStatus, Micros, ToolCall};
use legwork::port::event::{Action, Committed, ExecutionEnd};
use legwork::port::{EventKind, RunEvent};

use self::aside::Aside;
use super::markdown::Markdown;
use super::retry::{VOID, waiting};
use super::status::Status;
use super::summary::spent_within;
use super::terminal::{Terminal, Tone};
use super::text::{clip_with, one_line, visible};
use super::tool::{self, Finished};
use super::{At, Displayer, Pane, Question, Usage, diff, tasks, verbose};
use crate::short_id::Length;

/// Lines of a failed command that are shown, and with `--verbose`.
const LINES: usize = 5;
const LINES_VERBOSE: usize = 20;

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Verbosity {
    /// The answer and errors only.
    Quiet,
    #[default]
    Usual,
    /// Each event.
    Verbose,
}

/// What the answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum AnswerForm {
    /// What the model writes.
    #[default]
    Text,
    /// A value, shown when it was accepted.
    Value,
}

impl AnswerForm {
    /// That of an agent that wants an output, or none.
    pub(crate) fn of<T>(output: Option<&T>) -> Self {
        output.map_or(Self::Text, |_| Self::Value)
    }
}

/// Where lines for people are shown.
#[derive(Default)]
enum Within {
    /// In a run, which ends with its execution.
    #[default]
    Run,
    /// In a chat, which goes on.
    Chat(Pane),
}

/// Lines for people.
pub(crate) struct Human<O, E> {
    within: Within,
    out: O,
    err: E,
    terminal: Terminal,
    verbosity: Verbosity,
    answer: AnswerForm,
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
    /// Whether text of the last answer was shown.
    answered: bool,
    /// Whether the cursor is behind a question.
    asked_person: bool,
    /// What waits for the end of a line of the answer.
    aside: Vec<Aside>,
}

impl<O: Write, E: Write> Human<O, E> {
    pub(crate) fn new(out: O, err: E, terminal: Terminal) -> Self {
        let Terminal { columns, out_colour, marks, .. } = terminal;
        Self {
            within: Within::default(),
            out,
            err,
            terminal,
            verbosity: Verbosity::Usual,
            answer: AnswerForm::Text,
            status: Status::default(),
            markdown: Markdown::new(columns, out_colour, marks),
            running: Vec::new(),
            asked: (String::new(), Instant::now()),
            again: None,
            held: String::new(),
            open: false,
            answered: false,
            asked_person: false,
            aside: Vec::new(),
        }
    }

    /// The same, telling more or less.
    pub(crate) fn verbosity(self, verbosity: Verbosity) -> Self {
        Self { verbosity, ..self }
    }

    /// The same in a chat.
    pub(crate) fn within(self, pane: &Pane) -> Self {
        let status = Status::in_prompt(pane.clone());
        Self { within: Within::Chat(pane.clone()), status, ..self }
    }

    /// The same for another kind of answer.
    pub(crate) fn answer(self, answer: AnswerForm) -> Self {
        Self { answer, ..self }
    }

    fn asking(&mut self, model: &str) -> io::Result<()> {
        self.finish()?;
        self.asked = (visible(model).into_owned(), Instant::now());
        self.doing(&format!("asking {}", visible(model)), self.asked.1);
        Ok(())
    }

    fn retried(&mut self, what: &str, wait: Micros, discarded: bool) -> io::Result<()> {
        // What nobody has seen yet is not shown at all.
        let unseen = std::mem::take(&mut self.held);
        if discarded && unseen.is_empty() && self.terminal.out {
            self.finish()?;
            self.quiet(VOID)?;
        }
        self.answered = false;
        if !self.terminal.lively {
            return self.quiet(what);
        }
        self.close()?;
        self.again = Instant::now().checked_add(wait.into());
        self.doing(what, Instant::now());
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
        if let Some(lines) = tasks::lines(finished.call, finished.outcome, self.terminal) {
            lines.iter().try_for_each(|line| self.note(line))?;
            self.show_running();
            return Ok(());
        }
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

    fn error(&mut self, error: &ErrorRecord, hint: Option<&str>) -> io::Result<()> {
        let label = match error.source {
            ErrorSource::Tool(_) | ErrorSource::Hook(_) => "warning",
            _ => "error",
        };
        self.labelled(Tone::Bad, label, &error.message)?;
        hint.map_or(Ok(()), |hint| self.hint(hint))
    }

    fn failed(&mut self, message: &str, hint: Option<&str>) -> io::Result<()> {
        self.again = None;
        self.labelled(Tone::Bad, "error", message)?;
        hint.map_or(Ok(()), |hint| self.hint(hint))
    }

    fn resumed(&mut self, event: &RunEvent) -> io::Result<()> {
        let session = event.session.as_ref().map_or_else(String::new, ToString::to_string);
        let step = event.step.map_or_else(String::new, |step| format!(" in step {step}"));
        self.quiet(&format!("resuming {session}{step}"))
    }

    fn ended(&mut self, event: &RunEvent, end: &ExecutionEnd) -> io::Result<()> {
        self.again = None;
        self.show_answer(end)?;
        self.finish()?;
        self.pending(end)?;
        let status = &end.status;
        let why = match &end.signal {
            Some(signal) => Some(&signal.message),
            None => end.explain.as_ref(),
        };
        match (status, why) {
            (ExecutionStatus::Stopped | ExecutionStatus::Cancelled, Some(why)) => {
                self.labelled(Tone::Strong, status.as_str(), why)?;
            }
            (ExecutionStatus::InProgress, _) => {
                let words = match self.within {
                    Within::Run => "the session can be resumed",
                    Within::Chat(_) => "say what is to be done instead, or /resume goes on",
                };
                self.labelled(Tone::Strong, "interrupted", words)?;
            }
            _ => {}
        }
        if self.verbosity != Verbosity::Quiet {
            self.spent("", &end.used)?;
            // Other executions of the session came before this one.
            if end.session_used.steps > end.used.steps {
                self.spent("the whole session: ", &end.session_used)?;
            }
        }
        if let Within::Chat(_) = self.within {
            return self.ended_in_chat(end);
        }
        let completed = *status == ExecutionStatus::Completed;
        if completed && self.verbosity == Verbosity::Quiet {
            return Ok(());
        }
        if let Some(session) = &event.session {
            let line = format!("session {}", visible(&Length::SHORT.of(session)));
            let line = self.terminal.paint(Tone::Quiet, &line);
            self.note(&line)?;
        }
        if completed {
            return Ok(());
        }
        // In one line, however long it is: it is there to be copied.
        let next = end.next.as_ref();
        next.map_or(Ok(()), |next| self.note(&format!("to go on: {}", next.how)))
    }

    /// How to go on in a chat, where that needs more than words.
    fn ended_in_chat(&mut self, end: &ExecutionEnd) -> io::Result<()> {
        let Some(next) = &end.next else { return Ok(()) };
        match next.action {
            Action::Answer => self.note("to go on: /resume asks again"),
            Action::Raise => self.note(&format!("to go on: leave, then {}", next.how)),
            _ if end.status == ExecutionStatus::Failed => self.note("to try again: /resume"),
            _ => Ok(()),
        }
    }

    fn spent(&mut self, of: &str, used: &Amounts) -> io::Result<()> {
        let Terminal { marks, columns, .. } = self.terminal;
        for line in spent_within(of, &Usage::of_amounts(used), marks, columns).lines() {
            let line = self.terminal.paint(Tone::Quiet, line);
            self.note(&line)?;
        }
        Ok(())
    }

    /// Shows the answer of what ended, unless it was shown as it came.
    fn show_answer(&mut self, end: &ExecutionEnd) -> io::Result<()> {
        if self.answered || end.status != ExecutionStatus::Completed {
            return Ok(());
        }
        match (self.answer, &end.output) {
            (AnswerForm::Value, Some(value)) => self.value(value),
            (AnswerForm::Value, None) => Ok(()),
            (AnswerForm::Text, _) => self.text(&end.text),
        }
    }

    /// Shows what the agent that runs does.
    fn show_own(&mut self, at: At<'_>, event: &RunEvent) -> io::Result<()> {
        match &event.kind {
            EventKind::SubagentStarted { .. } | EventKind::SubagentFinished { .. } => {
                self.show_subagent(at, event)
            }
            EventKind::StepStarted => {
                self.answered = false;
                Ok(())
            }
            EventKind::Committed(committed) => self.committed(committed),
            EventKind::ExecutionResumed(_) => self.resumed(event),
            EventKind::JournalCut { damage } => self.labelled(Tone::Bad, "warning", damage),
            EventKind::InferenceStarted { model, .. } => self.asking(model),
            EventKind::InferenceRetried { attempt, wait, left, error, discarded } => {
                self.retried(&waiting(*attempt, *wait, *left, error), *wait, *discarded)
            }
            EventKind::ToolCallDelta { tool, .. } => self.writing_call(tool),
            EventKind::TextDelta { .. } if self.answer == AnswerForm::Value => Ok(()),
            EventKind::OutputRejected { stage, problem } => {
                self.quiet(&format!("answer rejected ({stage}): {}", one_line(problem)))
            }
            EventKind::TextDelta { text } => {
                self.answered = true;
                self.text(text)
            }
            EventKind::ThinkingDelta { text } => {
                if !self.is_open() && !text.trim().is_empty() {
                    self.doing(&format!("thinking: {}", one_line(text)), self.asked.1);
                }
                Ok(())
            }
            EventKind::ToolStarted { index, call } => self.tool_started(*index, call),
            EventKind::ToolProgress { index, message, .. } => {
                self.progress(*index, message);
                Ok(())
            }
            EventKind::ToolFinished { index, .. } => match Finished::of(&event.kind) {
                Some(finished) => self.tool_finished(*index, &finished),
                None => Ok(()),
            },
            EventKind::Answered { answer } => {
                answered(answer).map_or(Ok(()), |said| self.quiet(said))
            }
            EventKind::StepFinished { .. } => self.finish(),
            EventKind::Error { error, hint } => self.error(error, hint.as_deref()),
            EventKind::Warning { message } => self.labelled(Tone::Strong, "warning", message),
            EventKind::Note { message } => self.quiet(&visible(message)),
            EventKind::Interrupting => self.interrupting(event),
            EventKind::ExecutionFinished(end)
            | EventKind::ExecutionPaused(end)
            | EventKind::ExecutionInterrupted(end) => self.ended(event, end),
            EventKind::RunFailed { message, hint } => self.failed(message, hint.as_deref()),
            _ => Ok(()),
        }
    }

    /// Once an answer is whole, what was held back of it is written.
    fn committed(&mut self, committed: &Committed) -> io::Result<()> {
        for entry in &committed.entries {
            self.auxiliary(&entry.event)?;
        }
        let whole = |entry: &Event| matches!(entry, Event::Responded(_));
        if !committed.entries.iter().any(|entry| whole(&entry.event)) {
            return Ok(());
        }
        self.again = None;
        self.release()
    }

    fn writing_call(&mut self, tool: &str) -> io::Result<()> {
        if self.terminal.out {
            self.close()?;
        }
        self.doing(&format!("writing a call of {}", one_line(tool)), Instant::now());
        Ok(())
    }

    fn interrupting(&mut self, event: &RunEvent) -> io::Result<()> {
        let words = match event.session {
            Some(_) => "saving the session... (Ctrl-C again to quit)",
            None => "ending... (Ctrl-C again to quit)",
        };
        self.labelled(Tone::Strong, "interrupted", words)
    }

    /// The answer of what ended, and errors.
    fn show_quietly(&mut self, event: &RunEvent) -> io::Result<()> {
        match &event.kind {
            EventKind::Error { error, hint } if !matches!(error.source, ErrorSource::Tool(_)) => {
                self.error(error, hint.as_deref())
            }
            EventKind::RunFailed { message, hint } => self.failed(message, hint.as_deref()),
            EventKind::ExecutionFinished(end)
            | EventKind::ExecutionPaused(end)
            | EventKind::ExecutionInterrupted(end) => {
                if self.answer == AnswerForm::Text {
                    self.text(&end.text)?;
                    self.answered = true;
                }
                self.ended(event, end)
            }
            _ => Ok(()),
        }
    }
}

/// What an answer did; none if the line of the call says it.
fn answered(answer: &Answer) -> Option<&'static str> {
    match answer.verdict {
        Verdict::Tell => Some("the model is told that a call was cut off and may have happened"),
        Verdict::RunAgain => Some("a call that waited is run again"),
        Verdict::Approve(_) => Some("a call was approved"),
        Verdict::Supply(_) | Verdict::Deny(_) => None,
        _ => Some("a call that waited was answered"),
    }
}

impl<O: Write + Send, E: Write + Send> Displayer for Human<O, E> {
    fn can_ask(&self) -> bool {
        self.terminal.asks
    }

    fn question(&mut self, question: &Question) -> io::Result<()> {
        self.ask(question)
    }

    fn answered(&mut self) {
        self.asked_person = false;
    }

    fn lends(&mut self) {
        if let Within::Chat(pane) = &self.within {
            pane.lends();
        }
    }

    fn takes(&mut self) {
        if let Within::Chat(pane) = &self.within {
            pane.holds_keys();
        }
    }

    fn laid_out(&mut self, text: &str) -> io::Result<()> {
        if self.is_held_back() {
            self.aside.push(Aside::Text(text.to_owned()));
            return Ok(());
        }
        self.finish()?;
        text.lines().try_for_each(|line| self.note(line))
    }

    fn show(&mut self, at: At<'_>, event: &RunEvent) -> io::Result<()> {
        self.terminal.measure();
        self.markdown.set_columns(self.terminal.columns);
        if aside::may_wait(&event.kind) && self.is_held_back() {
            self.aside.push(Aside::Event(Box::new(event.clone())));
            return Ok(());
        }
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
        match at.below {
            Some(name) => self.show_below(name, at, event),
            None => self.show_own(at, event),
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
        if let Within::Chat(pane) = &self.within {
            pane.leave();
        }
    }
}
