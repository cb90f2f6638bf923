//! One thing that was looked at.

use serde::Serialize;

use crate::display::{Terminal, Tone};

/// One thing that was looked at.
#[derive(Debug, Serialize)]
pub(super) struct Check {
    pub(super) name: &'static str,
    pub(super) state: State,
    /// What was found.
    pub(super) found: String,
    /// What to do about it.
    pub(super) hint: Option<String>,
}

/// How it stands with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    Good,
    /// Something works less well than it could.
    Warning,
    Bad,
}

impl State {
    pub(super) fn sign(self, terminal: Terminal) -> String {
        match self {
            Self::Good => "✓".to_owned(),
            Self::Warning => terminal.paint(Tone::Strong, "!"),
            Self::Bad => terminal.paint(Tone::Bad, "✗"),
        }
    }
}

impl Check {
    pub(super) fn good(name: &'static str, found: impl Into<String>) -> Self {
        Self { name, state: State::Good, found: found.into(), hint: None }
    }

    pub(super) fn warning(name: &'static str, found: impl Into<String>) -> Self {
        Self { state: State::Warning, ..Self::good(name, found) }
    }

    pub(super) fn bad(name: &'static str, found: impl Into<String>) -> Self {
        Self { state: State::Bad, ..Self::good(name, found) }
    }

    /// The same with what to do about it.
    pub(super) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}
