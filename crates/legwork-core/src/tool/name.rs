//! Names of tools.

/// The maximum length of a tool's name, in characters.
const LONGEST: usize = 64;

/// The error for a tool name that not all providers accept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a valid name: use 1 to {LONGEST} letters, digits, `-` and `_`")]
pub struct InvalidName(pub String);

/// Checks that all providers accept a tool's name: 1 to 64 ASCII letters, digits, `-` and `_`.
///
/// # Errors
/// [`InvalidName`] with the name.
pub fn check_name(name: &str) -> Result<(), InvalidName> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    match (1..=LONGEST).contains(&name.len()) && name.chars().all(fits) {
        true => Ok(()),
        false => Err(InvalidName(name.to_owned())),
    }
}
