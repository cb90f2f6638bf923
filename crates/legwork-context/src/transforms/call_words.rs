//! How a call is named in words.

use legwork_core::ToolCall;

use crate::unit::Unit;

/// Most bytes of the arguments that are shown.
const SHOWN: usize = 120;

/// A call of a unit in words, such as `read {"path":"a.rs"}`.
pub(super) fn of(unit: &Unit, index: u32) -> Option<String> {
    let call = unit.calls().nth(usize::try_from(index).ok()?)?;
    Some(format!("`{} {}`", call.name, shown(call)))
}

fn shown(call: &ToolCall) -> String {
    let arguments = call.arguments.trim();
    if arguments.len() <= SHOWN {
        return arguments.to_owned();
    }
    let end = (0..=SHOWN).rev().find(|end| arguments.is_char_boundary(*end)).unwrap_or(0);
    format!("{}...", arguments.get(..end).unwrap_or_default())
}
