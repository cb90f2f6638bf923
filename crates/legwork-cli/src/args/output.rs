//! What is shown, and how: the flags of every verb that runs an agent.

use clap::{Args, ValueEnum};

use crate::settings::variable;

/// What is shown, and how.
#[derive(Debug, Args, Default)]
#[command(next_help_heading = "Output")]
pub(crate) struct Output {
    /// Print one event a line, as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Show each event
    #[arg(long, short, conflicts_with_all = ["quiet", "json"])]
    pub(crate) verbose: bool,
    /// Show the final answer only, and errors
    #[arg(long, short, conflicts_with = "json")]
    pub(crate) quiet: bool,
    /// When to use colours [default: auto, which honours NO_COLOR]
    #[arg(long, value_enum, value_name = "WHEN")]
    pub(crate) color: Option<Color>,
    /// For screen readers: words for marks, nothing moves, no colours [env: LEGWORK_PLAIN]
    #[arg(long)]
    pub(crate) plain: bool,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal
    #[default]
    Auto,
    /// Also where the output goes to a pipe, with Markdown rendered
    Always,
    /// Never
    Never,
}

/// Whether traces say what was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Content {
    /// They do not
    #[default]
    Off,
    /// They do
    On,
}

impl Output {
    /// Whether it is to be read out: said here or by the environment.
    pub(crate) fn is_plain(&self) -> bool {
        let is_set = |name| variable(name).is_some_and(|value| value != "0");
        self.plain || is_set("LEGWORK_PLAIN") || is_set("ACCESSIBLE")
    }
}
