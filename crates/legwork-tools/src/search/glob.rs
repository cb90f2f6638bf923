//! Which files a search looks into, by their names.

use std::path::Path;

use ignore::Match;
use ignore::overrides::{Override, OverrideBuilder};
use serde::Deserialize;

/// Globs as models write them: a string with commas, or an array.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Asked {
    One(String),
    Many(Vec<String>),
}

impl Asked {
    /// The globs one by one; a comma within braces or brackets parts nothing.
    pub(super) fn split(&self) -> Vec<String> {
        let written = match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(many) => many,
        };
        let parts = written.iter().flat_map(|text| {
            let mut depth = 0_usize;
            text.split(move |c| {
                match c {
                    '{' | '[' => depth = depth.saturating_add(1),
                    '}' | ']' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                c == ',' && depth == 0
            })
        });
        parts.map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
    }
}

/// Globs that a path must match, and globs with a `!` that it must not.
#[derive(Debug)]
pub(super) struct Globs(Override);

impl Globs {
    /// # Errors
    /// What is wrong with the first bad glob.
    pub(super) fn new(globs: &[String]) -> Result<Self, ignore::Error> {
        let mut builder = OverrideBuilder::new(".");
        for glob in globs {
            builder.add(&anywhere(glob))?;
        }
        builder.build().map(Self)
    }

    /// Whether a file is looked into, or a directory gone into.
    pub(super) fn takes(&self, path: &Path, is_dir: bool) -> bool {
        !matches!(self.0.matched(path, is_dir), Match::Ignore(_))
    }
}

/// The glob at any depth, unless it starts with a slash; a directory means all
/// that is in it.
fn anywhere(glob: &str) -> String {
    let (not, glob) = glob.strip_prefix('!').map_or(("", glob), |glob| ("!", glob));
    let glob = glob.strip_prefix("./").map_or_else(|| glob.to_owned(), |glob| format!("/{glob}"));
    let all = if glob.ends_with('/') && not.is_empty() { "**" } else { "" };
    let inner = glob.trim_end_matches('/').contains('/');
    let depth = if inner && !glob.starts_with(['/', '*']) { "**/" } else { "" };
    // A directory at any depth, too, when all in it is meant.
    let depth = if !all.is_empty() && !inner { "**/" } else { depth };
    format!("{not}{depth}{glob}{all}")
}
