//! Deserializers with fewer allocations than those of serde, for the fields of frequent entries.
//!
//! All of a journal is read when its session is opened. An `Arc` that serde deserializes takes
//! two allocations, and a list of JSON text has room for four values from its first one on,
//! though most lists of a journal have one value.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// Deserializes a value behind an `Arc`.
pub(crate) fn shared<'de, T, D>(deserializer: D) -> Result<Arc<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    T::deserialize(deserializer).map(Arc::new)
}

/// Deserializes a text behind an `Arc`.
pub(crate) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<str>, D::Error> {
    from_text(deserializer, |text| Arc::from(text))
}

/// Deserializes a value that is made of a text.
pub(crate) fn from_text<'de, T, D: Deserializer<'de>>(
    deserializer: D,
    make: fn(&str) -> T,
) -> Result<T, D::Error> {
    deserializer.deserialize_str(OfText(make))
}

/// Deserializes a list; one of one value takes the memory of that.
pub(crate) fn few<'de, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_seq(Few(PhantomData))
}

struct OfText<T>(fn(&str) -> T);

impl<T> Visitor<'_> for OfText<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        Ok((self.0)(text))
    }
}

struct Few<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Few<T> {
    type Value = Vec<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Vec<T>, A::Error> {
        let Some(first) = values.next_element()? else { return Ok(Vec::new()) };
        // The hint is that of the rest, and none in JSON text.
        let more = values.size_hint().unwrap_or(0).min(64);
        let mut list = Vec::with_capacity(1 + more);
        list.push(first);
        while let Some(next) = values.next_element()? {
            list.push(next);
        }
        Ok(list)
    }
}

#[cfg(test)]
mod tests;
