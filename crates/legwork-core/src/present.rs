//! Optional JSON values for which `null` is a value: only an absent field is none.

use serde::{Deserialize, Deserializer};

/// Reads a field that is present; use with `#[serde(default)]` for one that is absent.
///
/// # Errors
/// What is wrong with the value.
pub fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}
