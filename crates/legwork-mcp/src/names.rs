//! Names of tools: the server's before the tool's, as all providers take them.

use std::collections::BTreeSet;

use legwork_core::Digest;

/// Characters of a tool's name at most.
const LONGEST: usize = 64;

/// Hexadecimal digits that tell shortened names apart.
const DIGITS: usize = 6;

/// Characters of a server's name at most.
pub(crate) const SERVER: usize = 32;

/// Whether a server may have this name: 1 to 32 letters, digits, `_` and `-`.
pub fn is_server_name(name: &str) -> bool {
    (1..=SERVER).contains(&name.len()) && name.chars().all(is_plain)
}

/// The name that a model reads of a tool; none of those that are `taken`.
pub(crate) fn shown(server: &str, tool: &str, taken: &BTreeSet<String>) -> String {
    let plain: String = tool.chars().map(|one| if is_plain(one) { one } else { '_' }).collect();
    let whole = format!("{server}_{plain}");
    if whole.len() <= LONGEST && !taken.contains(&whole) {
        return whole;
    }
    let digest = Digest::of_bytes(tool.as_bytes());
    let digits = digest.as_str().get(..DIGITS).unwrap_or_default();
    let kept: String = whole.chars().take(LONGEST - DIGITS - 1).collect();
    format!("{kept}_{digits}")
}

fn is_plain(one: char) -> bool {
    one.is_ascii_alphanumeric() || one == '_' || one == '-'
}

#[cfg(test)]
mod tests;
