//! What was done to a conversation for a request.

use std::fmt;
use std::sync::Arc;

use legwork_core::state::Tokens;

use crate::renderers::Why;

/// What was done to a conversation for a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// How many messages the model reads.
    pub messages: usize,
    /// How many messages from the first on are those of the request before; none if that is not
    /// known.
    pub kept: Option<usize>,
    /// How many tokens a request of these messages has.
    pub tokens: Tokens,
    /// The messages of programs that are left out because they cannot be put in words.
    pub left_out: Vec<LeftOut>,
    /// The transforms that took in the whole conversation.
    pub rebuilt: Vec<String>,
    /// How many units and messages were looked at, made or moved.
    pub visited: u64,
}

impl Report {
    /// Nothing was done yet.
    pub(crate) fn of(tokens: Tokens) -> Self {
        let (left_out, rebuilt) = (Vec::new(), Vec::new());
        Self { messages: 0, kept: None, tokens, left_out, rebuilt, visited: 0 }
    }
}

/// Messages of a program that are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Their kind.
    pub kind: Arc<str>,
    /// Why.
    pub why: Why,
    /// How many there are.
    pub messages: usize,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, why, messages } = self;
        write!(f, "{messages} messages of the kind `{kind}` are left out: {why}")
    }
}
