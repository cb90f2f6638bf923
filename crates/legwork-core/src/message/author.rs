//! The author of a message.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::id::AgentId;
use crate::lean;

/// The author of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Author {
    /// A model, as `provider:model`.
    Model(#[serde(deserialize_with = "lean::text")] Arc<str>),
    /// A person, by a name.
    Person(Arc<str>),
    /// An agent of another session.
    Agent(AgentId),
    /// A hook, by its name.
    Hook(Arc<str>),
}
