//! Values for people and programs; models never see them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::nesting::shallow;

/// The name under which metadata pin messages, which then stay in what a model reads.
///
/// In the metadata of a message, `true` pins it. In the metadata of the conversation, a list of
/// entry numbers pins the messages of these entries; it may change at any time.
pub const PINNED: &str = "legwork.pinned";

/// Named values attached to a message or to the outcome of a call.
///
/// They are journaled and never sent to a model: the previous content of a file, for example.
/// Those of an outcome are not part of the state.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Metadata(BTreeMap<String, Value>);

impl Metadata {
    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// All values with their names, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Sets the value of a name, replacing an earlier one.
    ///
    /// A value that is nested too deeply for a journal is kept as its JSON text.
    pub fn insert(&mut self, name: impl Into<String>, value: Value) {
        self.0.insert(name.into(), shallow(value));
    }
}
