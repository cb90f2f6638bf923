//! What the editor asks while a line is typed: completions, and what to show behind the prompt.

use std::borrow::Cow;

use rustyline::completion::Candidate;
use rustyline::highlight::Highlighter;
use rustyline::hint::{Hint, Hinter};
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, completion};

use crate::chat::complete::{Completions, Word};
use crate::display::Pane;

/// What the editor asks while a line is typed.
pub(in crate::chat) struct Helper {
    pub(in crate::chat) pane: Pane,
    pub(in crate::chat) completions: Completions,
}

/// The place behind an empty line; what stands there is drawn anew each time.
pub(in crate::chat) struct Behind;

impl Hint for Behind {
    fn display(&self) -> &str {
        " "
    }

    fn completion(&self) -> Option<&str> {
        None
    }
}

impl Hinter for Helper {
    type Hint = Behind;

    fn hint(&self, line: &str, _: usize, _: &Context<'_>) -> Option<Behind> {
        // It is asked first when a line is read.
        self.pane.reads(line);
        line.is_empty().then_some(Behind)
    }
}

impl Highlighter for Helper {
    fn highlight_hint<'h>(&self, _: &'h str) -> Cow<'h, str> {
        Cow::Owned(self.pane.hint())
    }
}

impl Validator for Helper {
    fn validate(&self, cx: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        // As in a shell: a line that ends so goes on.
        Ok(match cx.input().ends_with('\\') {
            true => ValidationResult::Incomplete,
            false => ValidationResult::Valid(None),
        })
    }
}

impl Candidate for Word {
    fn display(&self) -> &str {
        &self.shown
    }

    fn replacement(&self) -> &str {
        &self.text
    }
}

impl completion::Completer for Helper {
    type Candidate = Word;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Word>)> {
        Ok(self.completions.of(line.get(..at).unwrap_or_default()))
    }
}

impl rustyline::Helper for Helper {}
