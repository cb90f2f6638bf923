//! What is wrong with a file, where, and what mends it.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

/// How much a problem weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The file is not used.
    Error,
    /// The file is used; a part of it is not, or not as its writer may think.
    Warning,
}

/// One thing that is wrong with a file, and what mends it.
///
/// No text of it holds a control character, so that it can be shown in a terminal as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Problem {
    /// How much it weighs.
    pub severity: Severity,
    /// The file or folder; none for text that came from no file.
    #[serde(serialize_with = "lossy", skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// The line in that file, from 1, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The path of the field, such as `budget.usd` or `tools[2]`; none if it is about the whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What to do about it, as an instruction.
    pub mend: String,
}

impl Problem {
    /// An error about a whole text or file: what is wrong, and what to do about it.
    pub fn new(message: impl AsRef<str>, mend: impl AsRef<str>) -> Self {
        Self {
            severity: Severity::Error,
            file: None,
            line: None,
            field: None,
            message: shown(message.as_ref()),
            mend: shown(mend.as_ref()),
        }
    }

    /// The same, of this field.
    #[must_use]
    pub fn on_field(self, field: &str) -> Self {
        Self { field: Some(shown(field)).filter(|field| !field.is_empty()), ..self }
    }

    /// The same, of this line, from 1.
    #[must_use]
    pub fn on_line(self, line: Option<u64>) -> Self {
        Self { line, ..self }
    }

    /// The same, of this file.
    #[must_use]
    pub fn in_file(self, file: &Path) -> Self {
        Self { file: Some(file.to_owned()), ..self }
    }

    /// The same as a warning.
    #[must_use]
    pub fn warning(self) -> Self {
        Self { severity: Severity::Warning, ..self }
    }

    /// Whether it keeps what it is about from being used.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Problem {
    /// `file:line: field: message; mend`, without what is not known.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}:", shown(&file.to_string_lossy()))?;
        }
        match (self.line, &self.file) {
            (Some(line), Some(_)) => write!(f, "{line}: ")?,
            (Some(line), None) => write!(f, "line {line}: ")?,
            (None, Some(_)) => f.write_str(" ")?,
            (None, None) => {}
        }
        if let Some(field) = &self.field {
            write!(f, "{field}: ")?;
        }
        write!(f, "{}; {}", self.message, self.mend)
    }
}

impl std::error::Error for Problem {}

/// All that is wrong with one text or file; at least one error is in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Problems(Vec<Problem>);

impl Problems {
    pub(crate) fn of(problems: Vec<Problem>) -> Self {
        Self(problems)
    }

    /// What was found, if an error is among it.
    ///
    /// # Errors
    /// All of it, if any of it is an error; else it comes back, warnings all.
    pub fn unless_right(found: Vec<Problem>) -> Result<Vec<Problem>, Self> {
        match found.iter().any(Problem::is_error) {
            true => Err(Self(found)),
            false => Ok(found),
        }
    }

    /// The problems, in the order of the text.
    pub fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.0.iter()
    }

    /// The same problems, of this file.
    #[must_use]
    pub fn in_file(self, file: &Path) -> Self {
        Self(self.0.into_iter().map(|problem| problem.in_file(file)).collect())
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

impl IntoIterator for Problems {
    type Item = Problem;
    type IntoIter = std::vec::IntoIter<Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl fmt::Display for Problems {
    /// One problem a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// A text with what could move a cursor or turn the reading direction written as escapes.
pub(crate) fn shown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_control() || turns(c) => escaped.extend(c.escape_default()),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Whether a character changes how its neighbours are shown.
fn turns(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// The beginning of a text from a file, quoted.
pub(crate) fn quoted(text: &str) -> String {
    const MOST: usize = 40;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("`{}...`", shown(text.get(..end).unwrap_or_default())),
        None => format!("`{}`", shown(text)),
    }
}

/// The beginning of what another library says, which may quote a whole file.
pub(crate) fn cut(text: &str) -> String {
    const MOST: usize = 200;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[expect(clippy::ref_option, reason = "serde calls it by reference")]
fn lossy<S: Serializer>(file: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    file.as_ref().map(|file| file.to_string_lossy()).serialize(serializer)
}

#[cfg(test)]
mod tests;
