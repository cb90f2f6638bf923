//! What is known of where the output goes.

use std::io::{IsTerminal as _, stderr, stdin, stdout};
use std::sync::OnceLock;

use clap::ValueEnum;

use crate::settings::variable;

/// Columns where the output goes to no terminal.
const PIPED: usize = 160;
/// Columns where a terminal does not say.
const USUAL: usize = 80;

/// Whether to color standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Color {
    /// Where it is a terminal that can.
    #[default]
    Auto,
    /// Even where it is no terminal.
    Always,
    /// Not at all.
    Never,
}

/// What the person prefers; the process has one standard error, and one preference.
static COLOR: OnceLock<Color> = OnceLock::new();

/// Sets what the person prefers, once.
pub(crate) fn prefer(color: Color) {
    COLOR.get_or_init(|| color);
}

/// What is known of where the output goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terminal {
    /// Whether a person reads standard output as it comes.
    pub(crate) out: bool,
    /// Whether a question on standard error finds somebody to answer it.
    pub(crate) asks: bool,
    /// Whether lines on standard error can be taken back.
    pub(crate) lively: bool,
    /// Whether to colour standard error.
    pub(crate) colour: bool,
    /// The columns of a line.
    pub(crate) columns: usize,
}

/// How something is set off from the rest.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Tone {
    Quiet,
    Good,
    Bad,
    Strong,
}

impl Terminal {
    /// Looks at the process's own output.
    pub(crate) fn detect() -> Self {
        let (out, err) = (stdout().is_terminal(), stderr().is_terminal());
        let dumb = variable("TERM").is_none_or(|term| term == "dumb");
        let size = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        Self {
            out,
            asks: err && stdin().is_terminal(),
            lively: err && !dumb,
            colour: match COLOR.get().copied().unwrap_or_default() {
                Color::Auto => err && !dumb && variable("NO_COLOR").is_none(),
                Color::Always => true,
                Color::Never => false,
            },
            columns: match out || err {
                true => size.filter(|columns| *columns > 0).unwrap_or(USUAL),
                false => PIPED,
            },
        }
    }

    /// The text in a tone, if there are colours.
    pub(crate) fn paint(self, tone: Tone, text: &str) -> String {
        let code = match tone {
            _ if !self.colour => return text.to_owned(),
            Tone::Quiet => "2",
            Tone::Good => "32",
            Tone::Bad => "31",
            Tone::Strong => "1",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}
