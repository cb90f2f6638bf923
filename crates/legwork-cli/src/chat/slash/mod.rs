//! The commands of a chat: lines that begin with a slash.

mod agent;
mod compact;
mod cost;
mod diff;
mod help;
mod model;
mod resume;
mod sessions;
mod tools;
mod undo;

use tokio::sync::mpsc::UnboundedReceiver;

use super::files::Commands;
use super::{Chat, Then};
use crate::commands::nearest;
use crate::error::Error;
use crate::keyboard::Typed;

/// What a line says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// Words for the agent.
    Words(String),
    /// A command, and what stands behind its name.
    Command(Builtin, String),
}

/// A command that every chat has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Builtin {
    Agent,
    Compact,
    Cost,
    Diff,
    Help,
    Model,
    Quit,
    Resume,
    Sessions,
    Tools,
    Undo,
}

/// All of them, in the order of the help.
pub(super) const ALL: [Builtin; 11] = [
    Builtin::Model,
    Builtin::Agent,
    Builtin::Tools,
    Builtin::Cost,
    Builtin::Diff,
    Builtin::Undo,
    Builtin::Compact,
    Builtin::Resume,
    Builtin::Sessions,
    Builtin::Help,
    Builtin::Quit,
];

impl Builtin {
    /// Its name without the slash.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Compact => "compact",
            Self::Cost => "cost",
            Self::Diff => "diff",
            Self::Help => "help",
            Self::Model => "model",
            Self::Quit => "quit",
            Self::Resume => "resume",
            Self::Sessions => "sessions",
            Self::Tools => "tools",
            Self::Undo => "undo",
        }
    }

    /// What it does, in a line.
    pub(super) fn help(self) -> &'static str {
        match self {
            Self::Agent => "NAME: let another agent go on; without NAME, show which one works",
            Self::Compact => {
                "FOCUS: put a summary in place of the beginning; FOCUS says what matters"
            }
            Self::Cost => "what the session used",
            Self::Diff => "the changes of files in this session",
            Self::Help => "these commands",
            Self::Model => "PROVIDER:NAME: ask another model; without it, show which one is asked",
            Self::Quit => "leave; the session is kept",
            Self::Resume => "go on with what was interrupted, failed or waits",
            Self::Sessions => "the sessions changed last",
            Self::Tools => "the agent's tools",
            Self::Undo => {
                "STEP: take back what was done from a step on; without it, in the last turn"
            }
        }
    }

    /// Does it while the agent rests.
    pub(super) async fn run(
        self,
        chat: &mut Chat<'_>,
        rest: &str,
        typed: &mut UnboundedReceiver<Typed>,
    ) -> Result<Then, Error> {
        match self {
            Self::Agent => agent::agent(chat, rest).await?,
            Self::Model => model::model(chat, rest).await?,
            Self::Resume => return resume::resume(chat, typed).await,
            Self::Compact => return compact::compact(chat, rest, typed).await,
            Self::Undo => undo::undo(chat, rest).await?,
            looks => return looks.look(chat, rest).await,
        }
        Ok(Then::Stays)
    }

    /// Does it while the agent works, if it changes nothing.
    pub(super) async fn look(self, chat: &Chat<'_>, rest: &str) -> Result<Then, Error> {
        match self {
            Self::Cost => cost::cost(chat).await?,
            Self::Diff => diff::diff(chat).await?,
            Self::Help => help::help(chat),
            Self::Sessions => sessions::sessions(chat).await?,
            Self::Tools => tools::tools(chat).await,
            Self::Quit => return Ok(Then::Leaves),
            Self::Agent | Self::Model if rest.is_empty() => chat.who(),
            Self::Agent | Self::Compact | Self::Model | Self::Resume | Self::Undo => {
                let message = format!("/{} waits until the agent rests", self.name());
                return Err(Error::usage(message, "Ctrl-C or Esc interrupts the agent"));
            }
        }
        Ok(Then::Stays)
    }
}

/// What a line says: a command of every chat, one of a file, or words.
///
/// # Errors
/// When there is no such command.
pub(super) fn of(line: &str, files: &Commands) -> Result<Said, Error> {
    let words = || Said::Words(line.to_owned());
    let Some(rest) = line.trim_start().strip_prefix('/') else { return Ok(words()) };
    if let Some(escaped) = rest.strip_prefix('/') {
        return Ok(Said::Words(format!("/{escaped}")));
    }
    let (name, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    if name.contains('/') {
        // A path.
        return Ok(words());
    }
    let rest = rest.trim();
    if let Some(builtin) = ALL.into_iter().find(|builtin| builtin.name() == name) {
        return Ok(Said::Command(builtin, rest.to_owned()));
    }
    if name == "exit" {
        return Ok(Said::Command(Builtin::Quit, String::new()));
    }
    if let Some(text) = files.says(name, rest) {
        return Ok(Said::Words(text));
    }
    Err(unknown(name, files))
}

fn unknown(name: &str, files: &Commands) -> Error {
    let known = ALL.into_iter().map(|one| one.name()).chain(files.names());
    let hint = match nearest(name, known) {
        Some(near) => format!("did you mean /{near}? /help lists all"),
        None => "/help lists all; // at the beginning stands for one /".to_owned(),
    };
    Error::usage(format!("there is no command /{name}"), hint)
}

#[cfg(test)]
mod tests;
