//! The text of an object whose values come one by one, each with its path.
//!
//! A model writes its arguments from the first to the last, so their text is known as it comes:
//! what a value says of the containers around it opens and closes them. Only the open ones are
//! held. A value that does not come in this order is an error.

use std::borrow::Cow;
use std::collections::HashSet;

use super::path::{NoPath, Path, Segment};

/// What a field of an object weighs in addition to its name.
const NAME: usize = 48;

/// A value, or a piece of a text.
#[derive(Debug)]
pub(super) enum Value<'a> {
    Text(Cow<'a, str>),
    /// A piece of a text that goes on.
    Part(Cow<'a, str>),
    /// Its JSON.
    Scalar(Cow<'static, str>),
    /// One of a kind that is not known here.
    Unknown,
}

impl Value<'_> {
    fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Part(text) => Some(text),
            Self::Scalar(_) | Self::Unknown => None,
        }
    }
}

/// Why a value cannot be written.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Problem {
    /// Its path is none.
    Path,
    /// Its path is deeper than values may be nested.
    Nesting,
    /// Something else is, or was, where it belongs, or something is missing before it.
    Place,
    /// Its kind is not known.
    Kind,
}

impl From<NoPath> for Problem {
    fn from(NoPath: NoPath) -> Self {
        Self::Path
    }
}

/// Arguments as far as they came.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    /// The open containers, the outermost first; none before the first value.
    levels: Vec<Level>,
    /// The last value is a text, which may go on.
    in_text: bool,
    /// That text goes on.
    awaits_text: bool,
    /// The path of that text.
    path: String,
}

/// An open object or array.
#[derive(Debug)]
enum Level {
    /// The names before the last one, and the last one.
    Object(HashSet<Box<str>>, Option<Box<str>>),
    /// The number of items.
    Array(u64),
}

impl Arguments {
    /// Whether a value came.
    pub(super) fn have_begun(&self) -> bool {
        !self.levels.is_empty()
    }

    /// Whether the rest of a text did not come.
    pub(super) fn await_text(&self) -> bool {
        self.awaits_text
    }

    /// Writes what a value adds to the text; returns what is held of its names.
    ///
    /// # Errors
    /// What is wrong with it; nothing may be written after that.
    pub(super) fn put(
        &mut self,
        path: &str,
        value: &Value<'_>,
        nesting: usize,
        out: &mut String,
    ) -> Result<usize, Problem> {
        if matches!(value, Value::Unknown) {
            return Err(Problem::Kind);
        }
        self.awaits_text = matches!(value, Value::Part(_));
        if let Some(text) = value.text()
            && self.in_text
            && self.path == path
        {
            escape(text, out);
            return Ok(0);
        }
        let mut segments = Vec::new();
        for segment in Path::of(path)? {
            if segments.len() == nesting {
                return Err(Problem::Nesting);
            }
            segments.push(segment?);
        }
        let shared = self.levels.iter().zip(&segments).take_while(|(level, to)| level.is_at(to));
        let shared = shared.count();
        let Some((first, below)) = segments.get(shared..).and_then(<[_]>::split_first) else {
            // The path of the last value, or of an open container.
            let goes_on = self.in_text && shared == self.levels.len() && shared > 0;
            let text = value.text().filter(|_| goes_on).ok_or(Problem::Place)?;
            escape(text, out);
            return Ok(0);
        };
        let held = self.enter(shared, first, below, out)?;
        self.write(path, value, out);
        Ok(held)
    }

    /// Closes what is open beyond the shared part of a path, and opens the rest of it.
    fn enter(
        &mut self,
        shared: usize,
        first: &Segment<'_>,
        below: &[Segment<'_>],
        out: &mut String,
    ) -> Result<usize, Problem> {
        if self.levels.is_empty() {
            self.levels.push(Level::of(&Segment::Name(Cow::Borrowed("")), out));
        }
        self.close(shared + 1, out);
        let parent = self.levels.get_mut(shared).ok_or(Problem::Place)?;
        let mut held = parent.begin(first, out)?;
        for segment in below {
            let mut level = Level::of(segment, out);
            held += level.begin(segment, out)?;
            self.levels.push(level);
        }
        Ok(held)
    }

    fn write(&mut self, path: &str, value: &Value<'_>, out: &mut String) {
        match value {
            Value::Unknown => {}
            Value::Scalar(json) => out.push_str(json),
            Value::Text(text) | Value::Part(text) => {
                out.push('"');
                escape(text, out);
                self.in_text = true;
                path.clone_into(&mut self.path);
            }
        }
    }

    /// Closes the last text, and the containers beyond so many.
    fn close(&mut self, kept: usize, out: &mut String) {
        if std::mem::take(&mut self.in_text) {
            out.push('"');
        }
        for level in self.levels.drain(kept.min(self.levels.len())..).rev() {
            out.push(match level {
                Level::Object(..) => '}',
                Level::Array(_) => ']',
            });
        }
    }

    /// Writes the rest of the text.
    pub(super) fn finish(mut self, out: &mut String) {
        match self.have_begun() {
            true => self.close(0, out),
            false => out.push_str("{}"),
        }
    }
}

impl Level {
    /// Opens the container that a segment leads into.
    fn of(segment: &Segment<'_>, out: &mut String) -> Self {
        match segment {
            Segment::Name(_) => {
                out.push('{');
                Self::Object(HashSet::new(), None)
            }
            Segment::Index(_) => {
                out.push('[');
                Self::Array(0)
            }
        }
    }

    /// Whether its last value is where a segment leads.
    fn is_at(&self, segment: &Segment<'_>) -> bool {
        match (self, segment) {
            (Self::Object(_, last), Segment::Name(name)) => last.as_deref() == Some(&**name),
            (Self::Array(items), Segment::Index(index)) => index.checked_add(1) == Some(*items),
            _ => false,
        }
    }

    /// Begins the value where a segment leads, which must be the next one; returns what is held
    /// of its name.
    fn begin(&mut self, segment: &Segment<'_>, out: &mut String) -> Result<usize, Problem> {
        match (self, segment) {
            (Self::Object(names, last), Segment::Name(name)) => {
                if names.contains(&**name) || last.as_deref() == Some(&**name) {
                    return Err(Problem::Place);
                }
                if let Some(before) = last.replace(name.as_ref().into()) {
                    names.insert(before);
                    out.push(',');
                }
                out.push('"');
                escape(name, out);
                out.push_str("\":");
                Ok(NAME + name.len())
            }
            (Self::Array(items), Segment::Index(index)) if index == items => {
                if *items > 0 {
                    out.push(',');
                }
                *items += 1;
                Ok(0)
            }
            _ => Err(Problem::Place),
        }
    }
}

/// Writes text as it is inside a JSON string.
fn escape(text: &str, out: &mut String) {
    if text.bytes().all(|byte| byte >= b' ' && !matches!(byte, b'"' | b'\\')) {
        return out.push_str(text);
    }
    let quoted = serde_json::to_string(text).unwrap_or_default();
    out.push_str(quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default());
}

#[cfg(test)]
mod tests;
