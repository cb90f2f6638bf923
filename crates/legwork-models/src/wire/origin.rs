//! Who wrote a message.

use legwork_core::Message;
use legwork_core::message::Author;

/// Whether a model of this provider wrote a message.
pub(crate) fn is_by(message: &Message, provider: &str) -> bool {
    let Some(Author::Model(model)) = &message.author else { return false };
    model.split_once(':').is_some_and(|(by, _)| by == provider)
}
