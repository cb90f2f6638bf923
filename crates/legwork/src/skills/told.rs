//! What the model is told of skills.

use legwork_definitions::{Skill, nearest};

use super::{HEADING, TOOL};

/// The section of the system prompt.
pub(super) fn section<'s>(skills: impl Iterator<Item = &'s Skill>) -> String {
    let each = skills.map(|skill| format!("- {}: {}", skill.name, line(&skill.description)));
    format!(
        "{HEADING} Before you begin with something that one of these \
         is for, load it with `{TOOL}` and do as it says:\n{}",
        each.collect::<Vec<_>>().join("\n")
    )
}

/// A text of somebody else in one line, without what moves a cursor or a heading.
pub(super) fn line(text: &str) -> String {
    let told: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    told.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What to say instead of a name that is not there.
pub(crate) fn instead(name: &str, known: &[&str], what: &str) -> String {
    match (nearest(name, known.iter().copied()), known) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, []) => format!("there are no {what}"),
        (None, known) => format!("the {what} are {}", known.join(", ")),
    }
}
