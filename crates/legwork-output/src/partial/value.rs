//! A JSON value that may still grow.

use std::sync::Arc;

use legwork_core::Vector;
use serde_json::Number;

use crate::partial::Text;
use crate::partial::shared::Shared;

/// A JSON value that may still grow; clones share everything.
///
/// Its depth is bounded by the parser that made it.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, which is always complete.
    Number(Number),
    /// A text, or its beginning.
    Text(Text),
    /// An array, or its first items.
    Array(Array),
    /// An object, or its first entries.
    Object(Object),
}

impl Value {
    /// Whether it has arrived in full.
    pub fn is_complete(&self) -> bool {
        match self {
            Self::Null | Self::Bool(_) | Self::Number(_) => true,
            Self::Text(text) => text.is_complete(),
            Self::Array(array) => array.is_complete(),
            Self::Object(object) => object.is_complete(),
        }
    }

    /// The value of a key, if this is an object that has it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.as_object()?.get(key)
    }

    /// The text, if this is one.
    pub fn as_text(&self) -> Option<&Text> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The array, if this is one.
    pub fn as_array(&self) -> Option<&Array> {
        match self {
            Self::Array(array) => Some(array),
            _ => None,
        }
    }

    /// The object, if this is one.
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }
}

/// The items of an array that have arrived; the last one may still grow.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    items: Shared<Value>,
    complete: bool,
}

impl Array {
    pub(super) fn growing(items: Vector<Value>) -> Self {
        Self { items: Shared::growing(items), complete: false }
    }

    pub(super) fn complete(items: Vector<Value>) -> Self {
        Self { items: Shared::complete(items), complete: true }
    }

    /// Whether its end has arrived.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// How many items have arrived, or begun to.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether no item has begun to arrive.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many items are complete; only the last one can be incomplete.
    pub fn complete_len(&self) -> usize {
        let open = self.items.iter().next_back().is_some_and(|last| !last.is_complete());
        self.len() - usize::from(open)
    }

    /// The item at an index, found in logarithmic time.
    pub fn get(&self, index: usize) -> Option<&Value> {
        self.items.get(index)
    }

    /// The items, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Value> {
        self.items.iter()
    }
}

/// The entries of an object that have arrived; the last one may still grow.
#[derive(Debug, Clone, PartialEq)]
pub struct Object {
    entries: Shared<(Arc<str>, Value)>,
    complete: bool,
}

impl Object {
    pub(super) fn growing(entries: Vector<(Arc<str>, Value)>) -> Self {
        Self { entries: Shared::growing(entries), complete: false }
    }

    pub(super) fn complete(entries: Vector<(Arc<str>, Value)>) -> Self {
        Self { entries: Shared::complete(entries), complete: true }
    }

    /// Whether its end has arrived.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// How many entries have arrived, or begun to; equal keys are counted each.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no entry has begun to arrive.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a key; of equal keys, the last one. Searches all entries.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries.iter().rev().find(|(name, _)| &**name == key).map(|(_, value)| value)
    }

    /// The entries, in the order in which they came; equal keys each.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &Value)> {
        self.entries.iter().map(|(key, value)| (&**key, value))
    }
}
