//! Names of tools.

/// Characters that the name of a tool may have.
const LONGEST: usize = 64;

/// A name that providers do not accept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a valid name: use 1 to {LONGEST} letters, digits, `-` and `_`")]
pub struct InvalidName(pub String);

/// Checks the name of a tool: 1 to 64 ASCII letters, digits, `-` and `_`, which all providers
/// accept.
///
/// # Errors
/// The name, if it is another.
pub fn check_name(name: &str) -> Result<(), InvalidName> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    match (1..=LONGEST).contains(&name.len()) && name.chars().all(fits) {
        true => Ok(()),
        false => Err(InvalidName(name.to_owned())),
    }
}
