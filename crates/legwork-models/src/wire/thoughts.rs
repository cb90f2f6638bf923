//! Thinking of another provider.

use legwork_core::Message;
use legwork_core::message::Part;

/// The thinking of a message as text, for a message that has nothing else which another provider
/// could read; none if it is blank.
///
/// Otherwise thinking is for the provider that made it alone.
pub(crate) fn thoughts(message: &Message) -> Option<String> {
    let thoughts = message.parts.iter().filter_map(|part| match part {
        Part::Thinking(thinking) if !thinking.text.trim().is_empty() => Some(&*thinking.text),
        _ => None,
    });
    let text = thoughts.collect::<Vec<_>>().join("\n");
    (!text.is_empty()).then(|| format!("<thinking>\n{text}\n</thinking>"))
}
