//! What is known of where the output goes.

use std::io::{IsTerminal as _, stderr, stdin, stdout};
use std::sync::OnceLock;

use super::marks::{Marks, Signs};
use crate::args::{Color, Output};
use crate::settings::variable;

/// Columns where the output goes to no terminal.
const PIPED: usize = 160;
/// Columns where a terminal does not say.
const USUAL: usize = 80;

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
    /// Whether standard error goes to a terminal.
    pub(crate) err: bool,
    /// Whether a question on standard error finds somebody to answer it.
    pub(crate) asks: bool,
    /// Whether to style standard output.
    pub(crate) out_colour: bool,
    /// Whether lines on standard error can be taken back.
    pub(crate) lively: bool,
    /// Whether to colour standard error.
    pub(crate) colour: bool,
    /// The columns of a line.
    pub(crate) columns: usize,
    /// The marks that it can show.
    pub(crate) marks: Marks,
}

/// How something is set off from the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Quiet,
    Bad,
    Strong,
    Added,
    Removed,
}

impl Terminal {
    /// Looks at the process's own output.
    pub(crate) fn detect() -> Self {
        Self::asked(&Output::default())
    }

    /// The same, as the person asked for it.
    pub(crate) fn asked(asked: &Output) -> Self {
        let (out, err) = (stdout().is_terminal(), stderr().is_terminal());
        let term = variable("TERM");
        let dumb = term.as_deref().is_none_or(|term| term == "dumb");
        let plain = asked.is_plain();
        let colour = asked.color.or_else(|| COLOR.get().copied()).unwrap_or_default();
        let coloured = |stream: bool| match colour {
            _ if plain => false,
            Color::Always => true,
            Color::Never => false,
            Color::Auto => stream && !dumb && variable("NO_COLOR").is_none(),
        };
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable);
        let signs = match plain {
            true => Signs::Ascii,
            false => Signs::of(locale.as_deref(), term.as_deref()),
        };
        Self {
            // Who asks for colours wants them, wherever the answer goes.
            out: out || colour == Color::Always && !plain,
            out_colour: coloured(out),
            err,
            asks: err && stdin().is_terminal(),
            lively: err && !dumb && !plain,
            colour: coloured(err),
            columns: if out || err { measured().unwrap_or(USUAL) } else { PIPED },
            marks: Marks::of(signs),
        }
    }

    /// The columns after which words go to the next line: a log's lines stay whole.
    pub(crate) fn prose(self) -> usize {
        if self.err { self.columns } else { usize::MAX }
    }

    /// The same for what goes to standard output: a pipe has no width.
    pub(crate) fn for_out(self) -> Self {
        let columns = if self.out { self.columns } else { PIPED };
        Self { columns, ..self }
    }

    /// The columns of a table on standard output: one for programs has one line a row.
    pub(crate) fn for_table(self) -> usize {
        if self.out { self.columns } else { usize::MAX }
    }

    /// Looks again how wide it is.
    pub(crate) fn measure(&mut self) {
        if let Some(columns) = measured().filter(|_| self.lively) {
            self.columns = columns;
        }
    }

    /// The text in a tone, if there are colours.
    pub(crate) fn paint(self, tone: Tone, text: &str) -> String {
        let code = match tone {
            _ if !self.colour => return text.to_owned(),
            Tone::Quiet => "2",
            Tone::Bad | Tone::Removed => "31",
            Tone::Strong => "1",
            Tone::Added => "32",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

fn measured() -> Option<usize> {
    let size = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    size.filter(|columns| *columns > 0)
}
