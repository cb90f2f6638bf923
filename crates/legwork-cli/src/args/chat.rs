//! `legwork chat`.

use clap::Args;

use super::output::{Color, Output};
use super::{Agent, Store};

pub(super) const EXAMPLES: &str = "\
Examples:
  legwork                                 a chat with the agent in this directory
  legwork chat --model ollama:qwen3
  legwork chat -c                         go on with the last one of this directory
  legwork chat a1b2c3d4                   go on with a session

While the agent works, what you type is told to it before its next step. Ctrl-C or
Esc interrupts it and not the chat. Ctrl-D in an empty line, or Ctrl-C twice, leaves;
the session is kept, and each turn of it is journaled as it happens.

  /help      all commands      @PATH      a file in what you say; Tab completes it
  Tab        completes         Up, Ctrl-R what you said before
  Alt-Enter  another line; so does \\ at the end of one

A command of your own is a file: .legwork/commands/NAME.md in the project, or
commands/NAME.md beside your legwork.toml. /NAME WORDS says what is in it, with WORDS
in place of $ARGUMENTS.";

#[derive(Debug, Args)]
pub(crate) struct Chat {
    /// The session to go on with: its id, or the beginning or end of it [default: a new one]
    #[arg(add = crate::complete::sessions())]
    pub(crate) session: Option<String>,
    /// Go on with the last session that was begun in this directory
    #[arg(short = 'c', long = "continue", conflicts_with = "session")]
    pub(crate) goes_on: bool,
    #[command(flatten)]
    pub(crate) agent: Agent,
    #[command(flatten)]
    pub(crate) store: Store,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

/// What is shown, and how.
#[derive(Debug, Args, Default)]
#[command(next_help_heading = "Output")]
pub(crate) struct Shown {
    /// Show each event
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// When to use colours [default: auto, which honours NO_COLOR]
    #[arg(long, value_enum, value_name = "WHEN")]
    pub(crate) color: Option<Color>,
    /// For screen readers: words for marks, no colours [env: LEGWORK_PLAIN]
    #[arg(long)]
    pub(crate) plain: bool,
}

impl Shown {
    pub(crate) fn output(&self) -> Output {
        let Self { verbose, color, plain } = *self;
        Output { verbose, color, plain, ..Output::default() }
    }
}
