//! One stream of events, many displays: lines for people, JSON for programs.

mod actor;
pub(crate) mod advice;
mod diff;
mod ending;
mod human;
mod json;
mod markdown;
mod marks;
mod next;
mod pane;
mod retry;
mod screen;
pub(crate) mod seen;
mod spinner;
mod status;
mod stream;
mod summary;
mod table;
mod tasks;
mod terminal;
pub(crate) mod text;
pub(crate) mod tool;
mod usage;
mod verbose;

#[cfg(test)]
mod tests;

use std::io;

use legwork::capability::ask_user;
use legwork::core::budget::Ledger;
use legwork::port::RunEvent;

pub(crate) use human::{AnswerForm, Human, Verbosity};
pub(crate) use json::Json;
pub(crate) use next::{Again, to_go_on};
pub(crate) use pane::{PROMPT, Pane};
pub(crate) use screen::{Screen, failure};
pub(crate) use status::line_of_its_own;
pub(crate) use stream::Stream;
pub(crate) use summary::{spent, spent_in_step};
pub(crate) use table::table;
pub(crate) use terminal::{Terminal, Tone, prefer};
pub(crate) use usage::Usage;

/// What displays know of an event beside what it says.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct At<'a> {
    /// What people know the subagent by in which it happens; none for the agent that runs.
    pub(crate) below: Option<&'a str>,
    /// The subagent that it is about.
    pub(crate) subagent: Option<Subagent<'a>>,
    /// The ledger of its session, as of the last commit.
    pub(crate) ledger: Option<&'a Ledger>,
}

/// An agent that works for a tool call of another one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subagent<'a> {
    /// What people know it by: unlike that of others that work.
    pub(crate) name: &'a str,
    /// What it is to do, where that was said in this process.
    pub(crate) task: Option<&'a str>,
}

/// A question about a call that waits.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    /// What the question is about, in a few words.
    pub(crate) label: &'static str,
    /// The call, and why it waits.
    pub(crate) lines: Vec<String>,
    /// What the call would change, as a diff; empty if nothing is known of that.
    pub(crate) diff: String,
    /// The answers that there are.
    pub(crate) prompt: String,
}

/// What a question of the agent offers, and what it takes, a line each.
pub(crate) fn choices(question: &ask_user::Question) -> Vec<String> {
    let numbered = (1..).zip(&question.choices);
    let mut lines: Vec<_> = numbered.map(|(number, choice)| format!("{number} {choice}")).collect();
    if !lines.is_empty() && question.takes_any() {
        lines.push("or other words".to_owned());
    }
    lines
}

impl Question {
    /// The same, asked again: only the answers that there are.
    pub(crate) fn again(&self) -> Self {
        let (lines, diff) = (vec!["please answer with one of these".to_owned()], String::new());
        Self { lines, diff, ..self.clone() }
    }

    /// The same without what it changes: only the call, and the answers that there are.
    fn in_short(&self) -> Self {
        let lines = self.lines.iter().take(1).cloned().collect();
        Self { lines, diff: String::new(), ..self.clone() }
    }
}

/// Shows events as they come.
pub(crate) trait Displayer: Send {
    /// Shows one event.
    ///
    /// # Errors
    /// When the output cannot be written.
    fn show(&mut self, at: At<'_>, event: &RunEvent) -> io::Result<()>;

    /// Whether a person sees it and can answer.
    fn can_ask(&self) -> bool {
        false
    }

    /// Shows a question and leaves the cursor behind it.
    ///
    /// # Errors
    /// When the output cannot be written.
    fn question(&mut self, question: &Question) -> io::Result<()> {
        let _ = question;
        Ok(())
    }

    /// The question was answered by a line of its own.
    fn answered(&mut self) {}

    /// Lends the terminal to another program.
    fn lends(&mut self) {}

    /// The other program has ended.
    fn takes(&mut self) {}

    /// Shows a text that was asked for, as it is laid out.
    ///
    /// # Errors
    /// When the output cannot be written.
    fn laid_out(&mut self, text: &str) -> io::Result<()> {
        let _ = text;
        Ok(())
    }

    /// Moves on what moves; called a few times a second.
    fn tick(&mut self) {}

    /// Takes back what is not to stay; the process is about to end.
    fn leave(&mut self) {}
}
