//! Whole numbers that are written with a fraction of zero.

use serde::de::DeserializeOwned;
use serde_json::{Number, Value};

/// Reads a value. What does not fit is read once more with `3.0` as `3`.
///
/// # Errors
/// What does not fit of the value as it is.
pub(crate) fn read<T: DeserializeOwned>(value: &Value) -> serde_json::Result<T> {
    T::deserialize(value).or_else(|error| {
        let mut whole = value.clone();
        match make_whole(&mut whole) {
            true => T::deserialize(whole).map_err(|_| error),
            false => Err(error),
        }
    })
}

/// Writes whole numbers without a fraction; says whether there was one with it.
fn make_whole(value: &mut Value) -> bool {
    match value {
        Value::Number(number) => match without_fraction(number) {
            Some(whole) => {
                *number = whole;
                true
            }
            None => false,
        },
        Value::Array(items) => items.iter_mut().fold(false, |any, item| make_whole(item) | any),
        Value::Object(fields) => {
            fields.values_mut().fold(false, |any, field| make_whole(field) | any)
        }
        _ => false,
    }
}

/// The same number without a fraction, if it is one that a double holds exactly.
fn without_fraction(number: &Number) -> Option<Number> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let float = number.as_f64().filter(|_| number.is_f64())?;
    let is_whole = float.fract() == 0.0 && float.abs() <= EXACT;
    #[allow(clippy::cast_possible_truncation, reason = "it is whole, and within the bounds")]
    is_whole.then(|| Number::from(float as i64))
}

#[cfg(test)]
mod tests;
