//! Requests that go on from a response that the server keeps.
//!
//! An answer holds, among the metadata of its message, the id of its response and a digest of all
//! that this one stands for: what was sent, and the answer itself. The transcript of a later
//! request goes on from it only if it still begins with the same items. So a transcript that was
//! changed or compacted is sent as a whole, and a fork goes on from where it left.

use legwork_core::digest::Digest;
use legwork_core::inference::FinishReason;
use legwork_core::message::Author;
use legwork_core::{Message, ModelRequest, Response, Role};
use serde_json::{Value, json};

use super::encode;
use crate::wire::{Head, Previous, is_by};

/// The key of the metadata of an answer from which the next request may go on.
const KEY: &str = "legwork.response";

/// What was said so far, as a digest of the items that are sent for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Conversation(Digest);

impl Conversation {
    /// What a request says, and the last response that stands for the beginning of it.
    ///
    /// Nothing is found if no message follows it: a request needs an input.
    pub(crate) fn read<'r>(request: &'r ModelRequest, head: &Head) -> (Self, Option<Previous<'r>>) {
        let (mut said, mut found, mut bytes) = (Self(Digest::of_bytes(b"")), None, Vec::new());
        for (message, next) in request.messages().iter().zip(1..) {
            bytes.clear();
            encode::append(message, head, &mut bytes);
            said = said.then(&bytes);
            if let Some((id, digest)) = response_of(message, head)
                && digest == said.0.as_str()
            {
                found = Some(Previous { id, next });
            }
        }
        let has_input = |found: &Previous<'_>| found.next < request.messages().len();
        (said, found.filter(has_input))
    }

    /// What was said with these items behind it; a message without items changes nothing.
    fn then(self, items: &[u8]) -> Self {
        match items.is_empty() {
            true => self,
            false => Self(Digest::of_bytes(&[self.0.as_str().as_bytes(), items].concat())),
        }
    }

    /// The answer to it, as one that the next request may go on from; unchanged if it is not whole.
    pub(crate) fn answered_by(self, mut response: Response, head: &Head, model: &str) -> Response {
        let is_whole = matches!(response.finish, FinishReason::Stop | FinishReason::ToolCalls);
        let Some(id) = response.id.clone() else { return response };
        if !is_whole || response.incomplete.is_some() {
            return response;
        }
        let author = || Author::Model(model.into());
        let said = response.clone().by(author).message;
        let mut bytes = Vec::new();
        encode::append(&said, head, &mut bytes);
        let Self(digest) = self.then(&bytes);
        let message = Message::clone(&response.message);
        let mark = json!({"id": id, "digest": digest.as_str()});
        response.message = message.with_metadata(KEY, mark).into();
        response
    }
}

/// The id of the response that brought a message, and the digest of what it stands for.
fn response_of<'m>(message: &'m Message, head: &Head) -> Option<(&'m str, &'m str)> {
    if message.role != Role::Assistant || !is_by(message, &head.provider) {
        return None;
    }
    let mark = message.metadata.get(KEY)?;
    let text = |key| mark.get(key).and_then(Value::as_str);
    Some((text("id")?, text("digest")?))
}
