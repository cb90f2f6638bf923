//! The events of a run, as one versioned stream.
//!
//! Observers, `agent.stream(..)` and `legwork run --json` (one line of JSON per event) all get
//! the same stream.

mod committed;
mod end;
mod kind;
mod progress;
#[cfg(feature = "schema")]
mod schema;
mod start;

use std::sync::Arc;

use legwork_core::SessionId;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

pub use end::{Action, ExecutionEnd, Next};
pub use kind::{Committed, EventKind, HookEnd};
#[cfg(feature = "schema")]
pub use schema::schema;
pub use start::ExecutionStart;

/// The version of the stream, which is raised when a field is removed or changes its meaning.
pub const VERSION: u32 = 1;

/// An event of a run, with where it happened.
///
/// Durations are in microseconds, points in time in milliseconds since 1970-01-01 UTC, money
/// in millionths of a US dollar, as in the journal.
///
/// As JSON it is one object with its own fields and those of its [kind](EventKind):
/// `{"version": 1, "session": "s", "step": 1, "type": "text_delta", "text": ".."}`. New kinds
/// and fields may be added without a new [`VERSION`]; readers must ignore unknown ones.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunEvent {
    /// The version of the stream: [`VERSION`].
    pub version: u32,
    /// The session in which it happened; none before there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// The path of the subagent in which it happened: the names from the root down to it.
    ///
    /// Empty for the root, which is the agent that runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<Arc<str>>,
    /// The number of the step in which it happened, from 1; none between steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// What happened.
    #[serde(flatten)]
    pub kind: EventKind,
}

impl RunEvent {
    /// An event without a session; [`Emitter`](crate::Emitter) adds where it happened.
    pub fn new(kind: EventKind) -> Self {
        Self { version: VERSION, session: None, path: Vec::new(), step: None, kind }
    }
}

/// The fields of an event without those of its kind.
#[derive(Deserialize)]
struct Header {
    version: u32,
    session: Option<SessionId>,
    #[serde(default)]
    path: Vec<Arc<str>>,
    step: Option<u32>,
    #[serde(rename = "type")]
    kind: String,
}

impl<'de> Deserialize<'de> for RunEvent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Entries contain raw JSON text, which can only be read from text: a tagged enum would
        // buffer them as parsed values.
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let header: Header = serde_json::from_str(raw.get()).map_err(D::Error::custom)?;
        let Header { version, session, path, step, kind } = header;
        let kind = match kind.as_str() {
            "committed" => serde_json::from_str(raw.get()).map(EventKind::Committed),
            _ => serde_json::from_str(raw.get()),
        };
        let kind = kind.map_err(D::Error::custom)?;
        Ok(Self { version, session, path, step, kind })
    }
}
