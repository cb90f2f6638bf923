//! A tool that a skill says it may use.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::name::is_tool;
use crate::problem::{Problem, quoted};

/// A tool that a skill says it may use: `bash`, or `Bash(git:*)` with a pattern.
///
/// ```
/// let tool: legwork_definitions::AllowedTool = "Bash(git:*)".parse()?;
/// assert_eq!((tool.name.as_str(), tool.pattern.as_deref()), ("Bash", Some("git:*")));
/// # Ok::<(), legwork_definitions::Problem>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AllowedTool {
    /// Its name, as the skill writes it.
    pub name: String,
    /// What stands in parentheses, as the skill writes it; none = every use.
    pub pattern: Option<String>,
}

impl AllowedTool {
    /// The entries of a text: separated by blanks or commas that are in no parentheses.
    pub(super) fn split(text: &str) -> Vec<&str> {
        let mut depth = 0usize;
        let apart = |c: char| {
            match c {
                '(' => depth = depth.saturating_add(1),
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && (c == ',' || c.is_whitespace())
        };
        text.split(apart).filter(|entry| !entry.is_empty()).collect()
    }
}

impl FromStr for AllowedTool {
    type Err = Problem;

    fn from_str(entry: &str) -> Result<Self, Problem> {
        let entry = entry.trim();
        let (name, pattern) = match entry.split_once('(') {
            None => (entry, None),
            Some((name, rest)) => match rest.strip_suffix(')') {
                Some(pattern) => (name, Some(pattern.to_owned())),
                None => return Err(unlike(entry)),
            },
        };
        match is_tool(name) {
            true => Ok(Self { name: name.to_owned(), pattern }),
            false => Err(unlike(entry)),
        }
    }
}

impl fmt::Display for AllowedTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.pattern {
            Some(pattern) => write!(f, "{}({pattern})", self.name),
            None => f.write_str(&self.name),
        }
    }
}

fn unlike(entry: &str) -> Problem {
    Problem::new(
        format!("found {}, expected a tool", quoted(entry)),
        "write a name, such as `bash`, or a name and a pattern, such as `bash(git:*)`",
    )
}
