//! What names may be made of.

use crate::fields::{Findings, Item};

/// Names of agents, skills and capabilities, as a regular expression.
pub(crate) const NAME: &str = "^[a-z0-9_-]{1,64}$";
/// Names of tools, as a regular expression.
pub(crate) const TOOL: &str = "^[A-Za-z0-9_.:/-]{1,128}$";
/// Names of MCP servers, as a regular expression; as in `legwork_mcp::is_server_name`.
pub(crate) const SERVER: &str = "^[A-Za-z0-9_-]{1,32}$";

const NAME_LENGTH: usize = 64;
const TOOL_LENGTH: usize = 128;
const SERVER_LENGTH: usize = 32;

/// The name that an item is; a finding if it is none.
pub(crate) fn name(item: Item, findings: &mut Findings) -> Option<String> {
    let given = item.clone();
    let name = item.text("write a name, such as `reviewer`", findings)?;
    if !is_name(&name) {
        let mend = match slug(&name) {
            slug if slug.is_empty() => "use only a-z, 0-9, `-` and `_`, at most 64".to_owned(),
            slug => format!("use only a-z, 0-9, `-` and `_`, at most 64, such as `{slug}`"),
        };
        findings.add(given.unlike("a name", mend));
        return None;
    }
    Some(name)
}

/// The tool name that an item is; a finding if it is none.
pub(crate) fn tool(item: Item, findings: &mut Findings) -> Option<String> {
    let given = item.clone();
    let name = item.text("write the name of a tool, such as `read`", findings)?;
    if !is_tool(&name) {
        let mend =
            "write one name an item, without spaces and patterns: letters, digits and `_-.:/`";
        findings.add(given.unlike("the name of a tool", mend));
        return None;
    }
    Some(name)
}

/// The name of an MCP server that an item is; a finding if it is none.
pub(crate) fn server(item: Item, findings: &mut Findings) -> Option<String> {
    let given = item.clone();
    let name = item.text("write the name of an MCP server, such as `git`", findings)?;
    if !is_server(&name) {
        let mend = "use only letters, digits, `-` and `_`, at most 32, as in `[mcp.NAME]`";
        findings.add(given.unlike("the name of an MCP server", mend));
        return None;
    }
    Some(name)
}

fn is_name(name: &str) -> bool {
    let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_-".contains(&b);
    (1..=NAME_LENGTH).contains(&name.len()) && name.bytes().all(fits)
}

pub(crate) fn is_tool(name: &str) -> bool {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b"_.:/-".contains(&b);
    (1..=TOOL_LENGTH).contains(&name.len()) && name.bytes().all(fits)
}

fn is_server(name: &str) -> bool {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b"_-".contains(&b);
    (1..=SERVER_LENGTH).contains(&name.len()) && name.bytes().all(fits)
}

/// The nearest name to a text.
pub(crate) fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.chars().take(4 * NAME_LENGTH) {
        match c.to_ascii_lowercase() {
            c if c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' => slug.push(c),
            _ if slug.is_empty() || slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
        if slug.len() == NAME_LENGTH {
            break;
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

#[cfg(test)]
mod tests;
