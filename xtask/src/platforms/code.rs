//! What code names of one system, but where a `cfg` is before it.
//!
//! It goes by the indentation that rustfmt gives: what has an attribute ends with the first line
//! of the same indentation that ends an item, a statement or a field.

/// Paths and files of one system.
const NAMES: &[&str] = &[
    "os::android",
    "os::fd",
    "os::linux",
    "os::macos",
    "os::unix",
    "os::windows",
    "signal::unix",
    "signal::windows",
    "net::unix",
    "net::windows",
    "net::Unix",
    "libc::",
    "nix::",
    "rustix::",
    "\"/dev/",
    "\"/dev\"",
    "\"/proc/",
    "\"/proc\"",
    "\"/sys/",
    "\"/sys\"",
];

/// What a `cfg` names that chooses a system, or a test.
const CHOICES: &[&str] = &["unix", "windows", "target_os", "target_family", "test"];

/// The lines, counted from 1, that name something of one system, and what.
pub(super) fn of_a_system(text: &str) -> Vec<(usize, &'static str)> {
    let mut found = Vec::new();
    let mut chosen = None;
    for (number, line) in (1..).zip(text.lines()) {
        let code = line.trim();
        if code.starts_with("#![cfg(") && chooses(code) {
            return Vec::new();
        }
        let indentation = line.len() - line.trim_start().len();
        match chosen {
            Some(of) if of == indentation && ends(code) => chosen = None,
            Some(_) => {}
            None if code.starts_with("#[cfg(") && chooses(code) => chosen = Some(indentation),
            None => found.extend(named(code).map(|name| (number, name))),
        }
    }
    found
}

fn chooses(attribute: &str) -> bool {
    let mut words = attribute.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|word| CHOICES.contains(&word))
}

/// Whether a line ends what began before it, or in it.
fn ends(code: &str) -> bool {
    let is_attribute = code.starts_with("#[") || code.starts_with("//");
    !is_attribute && code.ends_with([';', ',', '}'])
}

fn named(code: &str) -> impl Iterator<Item = &'static str> {
    let is_comment = code.starts_with("//");
    NAMES.iter().copied().filter(move |name| !is_comment && has(code, name))
}

/// Whether a name is in the code, not as the end of another one.
fn has(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        let before = code.get(..at).and_then(|before| before.chars().next_back());
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}
