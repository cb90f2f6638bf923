//! Identifiers of sessions, agents, calls, entries and effects.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::hidden::is_hidden;
use crate::lean;

macro_rules! text_id {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(transparent)]
        pub struct $name(#[serde(deserialize_with = "lean::text")] Arc<str>);

        impl $name {
            /// An id from its text, which is not checked.
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

        impl From<&$name> for $name {
            fn from(id: &$name) -> Self {
                id.clone()
            }
        }
    };
}

text_id! {
    /// The id of a session: a long-lived conversation with a journal.
    SessionId
}
text_id! {
    /// The id of an agent that works in a session.
    AgentId
}
text_id! {
    /// The id of a tool call, as the model's provider chose it.
    CallId
}

/// The maximum length of a session's id, in bytes.
const LONGEST: usize = 1_024;

impl SessionId {
    /// Why it is not a valid id; none if it is valid.
    ///
    /// Ids are shown on terminals and copied into commands, so stores refuse those that could
    /// mislead there.
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
    /// It is too long; it has this many bytes.
    Long(usize),
    /// It begins with `-`, like an option of a command.
    Dash,
    /// It contains an invisible character or a line break.
    Hidden(char),
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it is empty"),
            Self::Long(bytes) => write!(f, "it has {bytes} bytes, the maximum is {LONGEST}"),
            Self::Dash => f.write_str("it begins with `-`, like an option"),
            Self::Hidden(c) => {
                write!(f, "it contains the invisible character U+{:04X}", u32::from(*c))
            }
        }
    }
}

/// The number of an entry in its session, from 1; 0 is before the first.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Seq(pub u64);

impl Seq {
    /// The position before the first entry.
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
    /// The entry of the response that requested it.
    pub entry: Seq,
    /// The index of the call in that response, from 0.
    pub index: u32,
}

impl EffectKey {
    /// The id of the session of a subagent that this call runs; always the same.
    pub fn child(&self) -> SessionId {
        SessionId::new(format!("{}.{}-{}", self.session, self.entry, self.index))
    }
}

/// A text is not the key of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the key of an effect: it is a session, an entry and an index, with `/` between them")]
pub struct NotAKey;

impl FromStr for EffectKey {
    type Err = NotAKey;

    fn from_str(text: &str) -> Result<Self, NotAKey> {
        let mut parts = text.rsplitn(3, '/');
        let index = parts.next().and_then(|part| part.parse().ok()).ok_or(NotAKey)?;
        let entry = parts.next().and_then(|part| part.parse().ok()).map(Seq).ok_or(NotAKey)?;
        let session = parts.next().map(SessionId::from).ok_or(NotAKey)?;
        Ok(Self { session, entry, index })
    }
}

impl fmt::Display for EffectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.session, self.entry, self.index)
    }
}
