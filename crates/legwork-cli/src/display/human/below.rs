//! What subagents do, in short lines under the call that they work for.

use std::io::{self, Write};
use std::time::Instant;

use legwork::core::ExecutionStatus;
use legwork::core::budget::Amounts;
use legwork::core::error::{ErrorRecord, ErrorSource};
use legwork::port::{EventKind, RunEvent};

use super::{Human, LINES_VERBOSE, Verbosity};
use crate::display::retry::waiting;
use crate::display::summary::{cost, joined, tokens};
use crate::display::terminal::{Terminal, Tone};
use crate::display::text::{clip_with, columns, count, one_line};
use crate::display::tool::{self, Finished};
use crate::display::{At, Subagent, Usage, diff};

/// How far the lines are set in.
const INDENT: &str = "  ";
/// Lines of a failed command that are shown.
const LINES: usize = 2;

impl<O: Write, E: Write> Human<O, E> {
    /// Shows what a subagent does; the text that it writes goes to who asked for it.
    pub(super) fn show_below(
        &mut self,
        name: &str,
        at: At<'_>,
        event: &RunEvent,
    ) -> io::Result<()> {
        let name = self.short(name);
        match &event.kind {
            EventKind::ToolFinished { .. } => match Finished::of(&event.kind) {
                Some(finished) => self.below_finished(&name, &finished),
                None => Ok(()),
            },
            EventKind::SubagentStarted { .. } | EventKind::SubagentFinished { .. } => {
                self.show_subagent(at, event)
            }
            EventKind::InferenceStarted { model, .. } => {
                self.asked = (one_line(model), Instant::now());
                self.below_does(&format!("{name}: asking {}", one_line(model)));
                Ok(())
            }
            EventKind::InferenceRetried { attempt, wait, left, error, .. } => {
                let what = format!("{name}: {}", waiting(*attempt, *wait, *left, error));
                match self.terminal.lively {
                    true => self.below_does(&what),
                    false => self.below_line(&format!("{INDENT}{what}"), Tone::Quiet)?,
                }
                Ok(())
            }
            EventKind::ToolCallDelta { tool, .. } => {
                self.below_does(&format!("{name}: writing a call of {}", one_line(tool)));
                Ok(())
            }
            EventKind::ToolStarted { call, .. } => {
                self.below_does(&format!("{name}: {}", tool::call(call)));
                Ok(())
            }
            EventKind::ToolProgress { message, .. } => {
                self.below_does(&format!("{name}: {}", one_line(message)));
                Ok(())
            }
            EventKind::Error { error, hint } => self.below_error(&name, error, hint.as_deref()),
            EventKind::Warning { message } => {
                self.labelled(Tone::Strong, "warning", &format!("{name}: {message}"))
            }
            EventKind::JournalCut { damage } => {
                self.labelled(Tone::Bad, "warning", &format!("{name}: {damage}"))
            }
            _ => Ok(()),
        }
    }

    fn below_error(
        &mut self,
        name: &str,
        error: &ErrorRecord,
        hint: Option<&str>,
    ) -> io::Result<()> {
        let label = match error.source {
            ErrorSource::Tool(_) | ErrorSource::Hook(_) => "warning",
            _ => "error",
        };
        self.labelled(Tone::Bad, label, &format!("{name}: {}", error.message))?;
        hint.map_or(Ok(()), |hint| self.hint(hint))
    }

    /// A subagent begins, or is done.
    pub(super) fn show_subagent(&mut self, at: At<'_>, event: &RunEvent) -> io::Result<()> {
        let Some(subagent) = at.subagent else { return Ok(()) };
        match &event.kind {
            EventKind::SubagentFinished { status, steps, used, .. } => {
                self.subagent_finished(subagent.name, status, *steps, used)
            }
            _ => self.subagent_started(subagent),
        }
    }

    /// A subagent begins: who, and with what.
    fn subagent_started(&mut self, subagent: Subagent<'_>) -> io::Result<()> {
        self.finish()?;
        let Terminal { marks, .. } = self.terminal;
        let name = self.short(subagent.name);
        let task = subagent.task.map_or_else(|| "goes on".to_owned(), one_line);
        self.below_line(&format!("{INDENT}{} {name}: {task}", marks.bullet), Tone::Quiet)
    }

    /// A subagent is done or waits: how it stands, its steps, and what it cost.
    fn subagent_finished(
        &mut self,
        name: &str,
        status: &ExecutionStatus,
        steps: u64,
        used: &Amounts,
    ) -> io::Result<()> {
        self.finish()?;
        let Terminal { marks, columns, .. } = self.terminal;
        let status_words = status.as_str().replace('_', " ");
        let mut parts = vec![format!("{INDENT}{} {}", self.short(name), one_line(&status_words))];
        parts.extend((steps > 0).then(|| count(steps, "step")));
        let used = Usage::of_amounts(used);
        parts.push(cost(&used).unwrap_or_else(|| tokens(&used)));
        let good = *status == ExecutionStatus::Completed || !status.is_terminal();
        let tone = if good { Tone::Quiet } else { Tone::Bad };
        for line in joined(&parts, marks, columns, 2 * INDENT.len()).lines() {
            self.below_line(line, tone)?;
        }
        Ok(())
    }

    fn below_finished(&mut self, name: &str, finished: &Finished<'_>) -> io::Result<()> {
        self.finish()?;
        let around = columns(INDENT) + columns(name) + 1;
        let room = self.terminal.columns.saturating_sub(around);
        let line = finished.line(Terminal { columns: room, ..self.terminal });
        let line = self.terminal.paint(finished.tone(), &format!("{INDENT}{name} {line}"));
        self.note(&line)?;
        let inner = self.terminal.columns.saturating_sub(columns(INDENT));
        let inner = Terminal { columns: inner, ..self.terminal };
        let most = if self.verbosity == Verbosity::Verbose { LINES_VERBOSE } else { LINES };
        for line in finished.last_lines(most, inner) {
            let line = self.terminal.paint(Tone::Quiet, &format!("{INDENT}{line}"));
            self.note(&line)?;
        }
        if self.verbosity == Verbosity::Verbose {
            let (call, outcome) = (finished.call, finished.outcome);
            for line in diff::lines(call, outcome, diff::Extent::All, self.terminal) {
                self.note(&line)?;
            }
        }
        self.show_running();
        Ok(())
    }

    /// A line as wide as the terminal; what runs is shown below it again.
    fn below_line(&mut self, line: &str, tone: Tone) -> io::Result<()> {
        let line = clip_with(line, self.terminal.columns, self.terminal.marks.more);
        let line = self.terminal.paint(tone, &line);
        self.note(&line)?;
        self.show_running();
        Ok(())
    }

    fn below_does(&mut self, what: &str) {
        self.doing(what, Instant::now());
    }

    /// A name that leaves room for what is done, however deep the tree is.
    fn short(&self, name: &str) -> String {
        let most = (self.terminal.columns / 3).max(8);
        let name = one_line(name);
        let last = name.rsplit('/').next().unwrap_or_default();
        let name = if columns(&name) > most { last } else { &name };
        clip_with(name, most, self.terminal.marks.more).into_owned()
    }
}
