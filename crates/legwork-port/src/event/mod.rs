//! What happens in a run, as one versioned stream.
//!
//! It is the same stream everywhere: for observers, for
//! `agent.stream(..)`, and a line of JSON each for `legwork run --json`.

mod end;
mod kind;
#[cfg(feature = "schema")]
mod schema;

use std::sync::Arc;

use legwork_core::SessionId;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

pub use end::{Action, ExecutionEnd, Next};
pub use kind::{Committed, EventKind, HookEnd};
#[cfg(feature = "schema")]
pub use schema::schema;

/// The version of the stream. It rises when a field goes or changes its meaning.
pub const VERSION: u32 = 1;

/// Something that happened in a run, and where.
///
/// Durations are in microseconds, points in time in milliseconds since 1970-01-01 UTC, money
/// in millionths of a US dollar, as in the journal.
///
/// It is JSON: `{"version": 1, "session": "s", "step": 1, "type": "text_delta", "text": ".."}`,
/// the fields of its [kind](EventKind) beside its own. New kinds and new fields may come
/// without another [`VERSION`]; a reader skips what it does not know.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunEvent {
    /// The version of the stream: [`VERSION`].
    pub version: u32,
    /// The session in which it happened; none before there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// The names of the subagents from the agent that runs down to the one in which it
    /// happened, outermost first; empty for the agent that runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<Arc<str>>,
    /// The step during which it happened, the first being 1; none between steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// What happened.
    #[serde(flatten)]
    pub kind: EventKind,
}

impl RunEvent {
    /// An event of no session; [`Emitter`](crate::Emitter) fills in where it happened.
    pub fn new(kind: EventKind) -> Self {
        Self { version: VERSION, session: None, path: Vec::new(), step: None, kind }
    }
}

/// The fields of an event beside those of its kind.
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
        // Entries keep text of their own, so an event is read from text: a tagged enum would
        // read them from what it has taken apart.
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
