//! Sizes in bytes, and how much a command may write.

use legwork::tools::sandbox::Limits;

use super::{Config, Source, Sourced, variable_of};
use crate::args;
use crate::error::Error;

/// The units, the largest of each kind first.
const UNITS: [(&str, u64); 9] = [
    ("TiB", 1 << 40),
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("TB", 1_000_000_000_000),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("KB", 1_000),
    ("B", 1),
];

/// How much a command may write to a disk, by all layers but the session.
///
/// # Errors
/// When the variable of the environment is not a size.
pub(crate) fn max_write(config: &Config, flags: &args::Agent) -> Result<Sourced<u64>, Error> {
    let flag = flags.max_write.map(|most| Sourced::new(most, Source::Flag("--max-write")));
    Ok(Sourced::new(Limits::default().written, Source::Default)
        .or(config.value(|values| &values.max_write))
        .or(variable_of("LEGWORK_MAX_WRITE", bytes)?)
        .or(flag))
}

/// Parses a size such as `500MB` or `10GiB`; a number alone is in bytes.
///
/// # Errors
/// A message, when it is not a size or 0.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let wrong = || "must be a size above 0, such as 500MB or 10GiB".to_owned();
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text.get(digits.len()..).unwrap_or_default();
    let unit = if unit.is_empty() { "B" } else { unit };
    let unit = UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit));
    let number: u64 = digits.trim().replace('_', "").parse().map_err(|_| wrong())?;
    let size = unit.and_then(|(_, bytes)| number.checked_mul(*bytes));
    size.filter(|size| *size > 0).ok_or_else(wrong)
}

/// A size in the largest unit that divides it.
pub(crate) fn in_bytes(size: u64) -> String {
    let exact = UNITS.iter().filter(|(_, unit)| size >= *unit && size.is_multiple_of(*unit));
    exact
        .min_by_key(|(_, unit)| size / unit)
        .map_or_else(|| format!("{size}B"), |(name, unit)| format!("{}{name}", size / unit))
}

#[cfg(test)]
mod tests;
