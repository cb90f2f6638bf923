//! Optional values of which `null` is one: an absent field is none, a null is null.

use serde::{Deserialize, Deserializer};

/// Reads a field that is there; with `default`, one that is not is none.
pub(crate) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}
