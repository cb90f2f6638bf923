//! From text to values that know their lines, whatever the format.

pub(crate) mod front_matter;
mod json;
pub(crate) mod node;
mod yaml;

use node::{Data, Field, Node};

use crate::format::Format;
use crate::problem::Problem;

/// The most bytes that a file may have.
pub(crate) const MAX_BYTES: usize = 1 << 20;
/// The most lists and tables in each other, the whole text being the first.
///
/// More would need more stack than a thread has: the YAML reader takes up to 45 KiB a level.
pub(crate) const MAX_DEPTH: usize = 16;

/// A text taken apart: its fields and, of Markdown, its body.
pub(crate) struct Text {
    pub(crate) fields: Vec<Field>,
    pub(crate) body: Option<String>,
}

/// Reads a text.
///
/// # Errors
/// If it is too large, too deep, or not of that format; what is in its fields is not looked at.
pub(crate) fn read(text: &str, format: Format) -> Result<Text, Problem> {
    small_enough(text.len())?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match format {
        Format::Json => Ok(Text { fields: table(json::read(text)?)?, body: None }),
        Format::Yaml => Ok(Text { fields: table(yaml::read(text, 0)?)?, body: None }),
        Format::Markdown => {
            let parts = front_matter::split(text)?;
            let fields = front(&parts.front)?;
            Ok(Text { fields, body: Some(parts.body.into_owned()) })
        }
    }
}

/// The fields of front matter, which begins in the second line of its file.
pub(crate) fn front(text: &str) -> Result<Vec<Field>, Problem> {
    table(yaml::read(text, 1)?)
}

/// Refuses more bytes than a file may have.
pub(crate) fn small_enough(bytes: usize) -> Result<(), Problem> {
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    Err(Problem::new("it is larger than 1 MiB", "make it shorter, or move parts of it into files"))
}

fn table(node: Node) -> Result<Vec<Field>, Problem> {
    if let Some(deep) = node.deeper_than(MAX_DEPTH) {
        let message = format!("lists and tables are deeper than {MAX_DEPTH} levels");
        return Err(Problem::new(message, "make it flatter").on_line(deep.line));
    }
    let found = node.found();
    match node.data {
        Data::Table(fields) => Ok(fields),
        Data::Null => Ok(Vec::new()),
        _ => Err(Problem::new(
            format!("found {found}, expected fields"),
            "begin with a field such as `name: NAME`",
        )
        .on_line(node.line)),
    }
}

#[cfg(test)]
mod tests;
