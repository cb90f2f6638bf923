//! A streamed text, changed line by line.

use std::ops::ControlFlow;

use legwork_port::model::{Delta, Deltas, Retry};

use super::Redaction;

/// Hands text on a line at a time, changed.
pub(super) struct Lines<'r, 'd> {
    redaction: &'r Redaction,
    deltas: Option<&'d mut dyn Deltas>,
    /// The line that is not complete.
    line: String,
    kind: Kind,
}

/// What a line is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Thinking,
}

impl<'r, 'd> Lines<'r, 'd> {
    pub(super) fn new(redaction: &'r Redaction, deltas: Option<&'d mut dyn Deltas>) -> Self {
        Self { redaction, deltas, line: String::new(), kind: Kind::Text }
    }

    /// Hands on what is held.
    pub(super) fn end(&mut self) -> ControlFlow<()> {
        let line = std::mem::take(&mut self.line);
        self.say(&line)
    }

    fn push(&mut self, kind: Kind, text: &str) -> ControlFlow<()> {
        if kind != self.kind {
            self.end()?;
            self.kind = kind;
        }
        self.line.push_str(text);
        let Some(end) = self.line.rfind('\n') else { return ControlFlow::Continue(()) };
        let rest = self.line.split_off(end + 1);
        let lines = std::mem::replace(&mut self.line, rest);
        self.say(&lines)
    }

    fn say(&mut self, lines: &str) -> ControlFlow<()> {
        let Some(deltas) = self.deltas.as_mut().filter(|_| !lines.is_empty()) else {
            return ControlFlow::Continue(());
        };
        let text = self.redaction.text(lines);
        deltas.delta(match self.kind {
            Kind::Text => Delta::Text(&text),
            Kind::Thinking => Delta::Thinking(&text),
        })
    }
}

impl Deltas for Lines<'_, '_> {
    fn streams(&self) -> bool {
        self.deltas.as_ref().is_some_and(|deltas| deltas.streams())
    }

    fn delta(&mut self, delta: Delta<'_>) -> ControlFlow<()> {
        match delta {
            Delta::Text(text) => self.push(Kind::Text, text),
            Delta::Thinking(text) => self.push(Kind::Thinking, text),
            other => {
                self.end()?;
                self.deltas.as_mut().map_or(ControlFlow::Continue(()), |to| to.delta(other))
            }
        }
    }

    fn retrying(&mut self, retry: Retry<'_>) -> ControlFlow<()> {
        if let Some(deltas) = &mut self.deltas {
            deltas.retrying(retry)?;
        }
        self.line.clear();
        ControlFlow::Continue(())
    }

    fn continuing(&mut self) -> ControlFlow<()> {
        self.deltas.as_mut().map_or(ControlFlow::Continue(()), |deltas| deltas.continuing())
    }
}
