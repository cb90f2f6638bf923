//! JSON texts, read by a wire within the bounds of the answer.

use legwork_port::Deltas;
use serde_json::Value;

use super::assembly::Assembly;
use super::json::{self, Reader};
use crate::bounds::{Bounds, Passed};
use crate::wire::Wire;

/// Reads one event of a stream, or a whole body.
///
/// # Errors
/// When it is not JSON, or JSON that cannot be used.
pub(crate) fn read(
    wire: &dyn Wire,
    json: &[u8],
    into: &mut Assembly,
    on: &mut dyn Deltas,
) -> Result<(), serde_json::Error> {
    let text = std::str::from_utf8(json).map_err(|_| json::problem(json))?;
    let mut reader = Reader::new(text, &into.room.bounds);
    let whole = wire.read(&mut reader, into, on).and_then(|()| reader.end());
    if let Some(bound) = reader.passed() {
        into.room.pass(bound);
        // Usage mostly follows the rest; where that cannot be read, there is none.
        let _ = wire.read_usage(&mut Reader::new(text, &into.room.bounds), into);
        return Ok(());
    }
    whole.map_err(|_| match into.problem.take() {
        Some(problem) => serde::de::Error::custom(problem),
        None => json::problem(json),
    })?;
    into.begun = into.is_named();
    Ok(())
}

/// Any value; null if it is invalid.
///
/// # Errors
/// The bound that it passes.
pub(crate) fn value(json: &[u8], bounds: &Bounds) -> Result<Value, Passed> {
    let mut reader = Reader::new(std::str::from_utf8(json).unwrap_or_default(), bounds);
    let value = reader.json();
    let whole = value.and_then(|value| reader.end().map(|()| value));
    match reader.passed() {
        Some(passed) => Err(passed),
        None => Ok(whole.unwrap_or_default()),
    }
}
