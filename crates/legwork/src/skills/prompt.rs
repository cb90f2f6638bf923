//! Texts about skills, for the model and for problems.

use legwork_definitions::{Skill, nearest};

use super::{HEADING, TOOL};

/// The section of the system prompt that lists the skills.
pub(super) fn section<'s>(skills: impl Iterator<Item = &'s Skill>) -> String {
    let each = skills.map(|skill| format!("- {}: {}", skill.name, line(&skill.description)));
    format!(
        "{HEADING} Before you begin with something that one of these \
         is for, load it with `{TOOL}` and do as it says:\n{}",
        each.collect::<Vec<_>>().join("\n")
    )
}

/// An untrusted text on one line, without control characters.
pub(super) fn line(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A suggestion in place of an unknown name: the nearest known name, or all of them.
pub(crate) fn instead(name: &str, known: &[&str], what: &str) -> String {
    match (nearest(name, known.iter().copied()), known) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, []) => format!("there are no {what}"),
        (None, known) => format!("the {what} are {}", known.join(", ")),
    }
}
