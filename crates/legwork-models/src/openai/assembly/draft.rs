//! A part of an answer that is being received.

use std::collections::BTreeSet;

use legwork_core::CallId;
use legwork_core::message::{Part, Thinking};
use legwork_port::Delta;
use serde_json::Value;

use crate::openai::call::{self, Origin};

#[derive(Debug)]
pub(super) enum Draft {
    Words(Words, String),
    Other(Value),
    /// A call, and its number among the calls.
    Call(usize, call::Draft),
}

/// What words are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::openai) enum Words {
    Text,
    Thinking,
    Refusal,
}

impl Words {
    /// How they are streamed: a refusal as text, so that it is shown.
    pub(super) fn delta(self, text: &str) -> Delta<'_> {
        match self {
            Self::Text | Self::Refusal => Delta::Text(text),
            Self::Thinking => Delta::Thinking(text),
        }
    }
}

impl Draft {
    /// The order of parts in a body, whose fields come in any order.
    pub(super) fn place_in_body(&self) -> u8 {
        match self {
            Self::Words(Words::Thinking, _) => 0,
            Self::Words(..) | Self::Other(_) => 1,
            Self::Call(..) => 2,
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Words(_, text) => text.len(),
            Self::Call(_, call) => call.len(),
            Self::Other(_) => 0,
        }
    }

    /// Cuts it to so many bytes; false if it is to be dropped.
    pub(super) fn clip(&mut self, bytes: usize) -> bool {
        match self {
            Self::Words(_, text) => {
                text.truncate(text.floor_char_boundary(bytes));
            }
            Self::Call(_, call) => call.clip(bytes),
            Self::Other(_) => return false,
        }
        true
    }

    pub(super) fn part(self, taken: &mut BTreeSet<CallId>, origin: &Origin<'_>) -> Part {
        match self {
            Self::Words(Words::Text, text) => Part::text(text),
            Self::Words(Words::Thinking, text) => {
                Part::Thinking(Thinking { text, ..Thinking::default() })
            }
            Self::Words(Words::Refusal, text) => Part::Refusal(text.into()),
            Self::Other(value) => Part::Other(value),
            Self::Call(_, call) => Part::ToolCall(call.finish(taken, origin)),
        }
    }
}
