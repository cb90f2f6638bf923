//! The modes of a session: when a person is asked before a call runs.

use clap::ValueEnum as _;
use legwork::acp::Mode;

use crate::args::AskFor;

/// All modes.
pub(super) fn all() -> Vec<Mode> {
    AskFor::value_variants()
        .iter()
        .map(|when| Mode::new(id(*when), name(*when), about(*when)))
        .collect()
}

/// The id of a mode, which is the word of `--approve`.
pub(super) fn id(when: AskFor) -> &'static str {
    match when {
        AskFor::Never => "never",
        AskFor::Ask => "ask",
        AskFor::Writes => "writes",
        AskFor::All => "all",
    }
}

/// The mode of an id.
pub(super) fn named(text: &str) -> Option<AskFor> {
    AskFor::value_variants().iter().copied().find(|when| id(*when) == text)
}

fn name(when: AskFor) -> &'static str {
    match when {
        AskFor::Never => "Never ask",
        AskFor::Ask => "Ask",
        AskFor::Writes => "Ask before writes",
        AskFor::All => "Ask before all",
    }
}

fn about(when: AskFor) -> &'static str {
    match when {
        AskFor::Never => "Calls that need approval are denied",
        AskFor::Ask => "You are asked about the calls for which the tools want it",
        AskFor::Writes => "You are asked before each call that can change something",
        AskFor::All => "You are asked before each call",
    }
}
