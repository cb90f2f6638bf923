//! Arrays and objects that are open.

use std::sync::Arc;

use legwork_core::Vector;

use crate::partial::{Array, Object, Value};

/// An array or object whose end has not arrived.
#[derive(Debug)]
pub(super) enum Frame {
    Array(Vector<Value>),
    Object { entries: Vector<(Arc<str>, Value)>, key: Option<Arc<str>> },
}

impl Frame {
    /// Takes a complete value.
    pub(super) fn take(&mut self, value: Value) {
        match self {
            Self::Array(items) => items.push(value),
            Self::Object { entries, key } => {
                if let Some(key) = key.take() {
                    entries.push((key, value));
                }
            }
        }
    }

    /// What has arrived of it, with what is open inside.
    pub(super) fn snapshot(&self, inner: Option<Value>) -> Value {
        match self {
            Self::Array(items) => {
                let mut items = items.clone();
                inner.into_iter().for_each(|inner| items.push(inner));
                Value::Array(Array::growing(items))
            }
            Self::Object { entries, key } => {
                let mut entries = entries.clone();
                let entry = key.clone().zip(inner);
                entry.into_iter().for_each(|entry| entries.push(entry));
                Value::Object(Object::growing(entries))
            }
        }
    }

    /// The array or object, after its end was read.
    pub(super) fn into_value(self) -> Value {
        match self {
            Self::Array(items) => Value::Array(Array::complete(items)),
            Self::Object { entries, .. } => Value::Object(Object::complete(entries)),
        }
    }
}
