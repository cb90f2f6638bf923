//! The line of a field, for problems that are found when its file was read long ago.

use std::path::Path;

use crate::file::{self, Links};
use crate::format::Format;
use crate::syntax::node::{Data, Field, Node};
use crate::syntax::{self, Text, front_matter};

/// The line, from 1, of a field such as `tools[2]` in a file, as the file is now; none if it
/// is not known. Of a Markdown file the front matter is looked at.
pub fn line_of(file: &Path, field: &str) -> Option<u64> {
    let text = file::read(file, Links::Follow).ok()?;
    let Text { fields, .. } = match Format::of(file)? {
        // A skill has no name that an agent could have: only its front matter counts.
        Format::Markdown => {
            let parts = front_matter::split(&text).ok()?;
            Text { fields: syntax::front(&parts.front).ok()?, body: None }
        }
        format => syntax::read(&text, format).ok()?,
    };
    let mut steps = field.split(['.', '[']).map(|step| step.trim_end_matches(']'));
    let Field { line, node, .. } = named(&fields, steps.next()?)?;
    let mut at = (*line, node);
    for step in steps {
        let Some(inner) = inner(at.1, step) else { break };
        at = inner;
    }
    at.1.line.or(at.0)
}

fn named<'n>(fields: &'n [Field], key: &str) -> Option<&'n Field> {
    fields.iter().find(|field| field.key == key)
}

fn inner<'n>(node: &'n Node, step: &str) -> Option<(Option<u64>, &'n Node)> {
    match &node.data {
        Data::List(nodes) => nodes.get(step.parse::<usize>().ok()?).map(|node| (node.line, node)),
        Data::Table(fields) => named(fields, step).map(|field| (field.line, &field.node)),
        _ => None,
    }
}
