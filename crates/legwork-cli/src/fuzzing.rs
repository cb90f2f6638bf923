//! What `cargo xtask fuzz` reaches of the command; nothing else uses it.

use crate::config::AllowPath;
use crate::config::Config;
use crate::error::Error;
use std::path::Path;

/// Reads texts as the user's and the project's file of settings; what they say, or what is
/// wrong with one of them.
///
/// # Errors
/// The first problem, in words, with its hint.
pub fn settings(user: &str, project: &str) -> Result<String, String> {
    let config = Config::of_texts(user, project).map_err(|error| in_words(&error))?;
    Ok(format!("{config:?} {:?}", config.catalogue()))
}

/// Reads a path that is allowed, relative to a folder.
///
/// # Errors
/// In words, when it is no path.
pub fn allow_path(text: &str, folder: &Path) -> Result<String, String> {
    AllowPath::parse(text, folder).map(|path| path.to_string())
}

fn in_words(error: &Error) -> String {
    format!("{error}\n{}", error.hint().unwrap_or_default())
}
