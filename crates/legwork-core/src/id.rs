//! Names of things: sessions, agents, calls, entries, effects.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::hidden::is_hidden;

macro_rules! text_id {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Takes a text as the id.
            pub fn new(text: impl Into<Arc<str>>) -> Self {
                Self(text.into())
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self::new(text)
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self::new(text)
            }
        }
    };
}

text_id! {
    /// Names one session: a long-lived conversation with a journal.
    SessionId
}
text_id! {
    /// Names an agent: who works in a session.
    AgentId
}
text_id! {
    /// Names a tool call, as the model's provider named it.
    CallId
}

/// The most bytes of a session's id.
const LONGEST: usize = 1_024;

impl SessionId {
    /// Why a store refuses it as an id, if it does: ids are shown and copied into commands.
    pub fn unfit(&self) -> Option<Unfit> {
        let text = self.as_str();
        let odd = |c: &char| is_hidden(*c) || (c.is_whitespace() && *c != ' ');
        match text {
            "" => Some(Unfit::Empty),
            long if long.len() > LONGEST => Some(Unfit::Long(long.len())),
            dashed if dashed.starts_with('-') => Some(Unfit::Dash),
            text => text.chars().find(odd).map(Unfit::Hidden),
        }
    }
}

/// Why a text cannot be the id of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfit {
    /// It is empty.
    Empty,
    /// It is too long; its length in bytes.
    Long(usize),
    /// It begins like a flag of a command.
    Dash,
    /// It contains an invisible character or a line break.
    Hidden(char),
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it is empty"),
            Self::Long(bytes) => write!(f, "it has {bytes} bytes, and at most {LONGEST} are taken"),
            Self::Dash => f.write_str("it begins with `-`, as a flag does"),
            Self::Hidden(c) => {
                write!(f, "it holds the character U+{:04X}, which is not seen", u32::from(*c))
            }
        }
    }
}

/// The number of an entry in its session; the first is 1, 0 is before all.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Seq(pub u64);

impl Seq {
    /// Before the first entry.
    pub const ZERO: Self = Self(0);

    /// The number after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The fencing token of a claim; a later claim has a higher one.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Fence(pub u64);

/// The idempotency key of one effect: session, entry and index of the call.
///
/// It is the same when the effect is run again after a crash.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EffectKey {
    /// The session that owes the effect.
    pub session: SessionId,
    /// The entry of the response that asked for it.
    pub entry: Seq,
    /// The index of the call in that response.
    pub index: u32,
}

impl EffectKey {
    /// The session that the effect works in, if it is a subagent: the same every time.
    pub fn child(&self) -> SessionId {
        SessionId::new(format!("{}.{}-{}", self.session, self.entry, self.index))
    }
}

impl fmt::Display for EffectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.session, self.entry, self.index)
    }
}
