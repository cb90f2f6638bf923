//! Requests that go on from a response that the server keeps.
//!
//! An answer holds, among the metadata of its message, the id of its response and a digest of all
//! that this one covers: what was sent, and the answer itself. The transcript of a later
//! request goes on from it only if it still begins with the same items. So a transcript that was
//! changed or compacted is sent as a whole, and a fork goes on from where it left.

use std::borrow::Cow;

use legwork_core::digest::Digest;
use legwork_core::inference::FinishReason;
use legwork_core::message::Author;
use legwork_core::{CallId, Message, ModelRequest, Response, Role};
use serde_json::{Value, json};

use super::encode;
use crate::wire::{Head, Previous, is_by};

/// The key of the metadata of an answer from which the next request may go on.
const KEY: &str = "legwork.response";

/// What was said so far, as a digest of the items that are sent for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Conversation(Digest);

impl Conversation {
    /// What a request says, and the last response that covers the beginning of it.
    ///
    /// Only a response of the server at this address is found, and only if an item follows it: a
    /// request needs an input.
    pub(crate) fn read<'r>(
        request: &'r ModelRequest,
        head: &Head,
        address: &str,
    ) -> (Self, Option<Previous<'r>>) {
        let mut said = Self(Digest::of_bytes(address.as_bytes()));
        let (mut last, mut found, mut bytes) = (None, None, Vec::new());
        for (message, next) in request.messages().iter().zip(1..) {
            bytes.clear();
            encode::append(message, head, &mut bytes);
            if !bytes.is_empty() {
                found = last.take().or(found);
            }
            said = said.then(&bytes);
            if let Some((id, digest)) = response_of(message, head)
                && digest == said.0.as_str()
            {
                last = Some(Previous { id, next });
            }
        }
        (said, found)
    }

    /// What was said with these items behind it; a message without items changes nothing.
    fn then(self, items: &[u8]) -> Self {
        match items.is_empty() {
            true => self,
            false => Self(Digest::of_bytes(&[self.0.as_str().as_bytes(), items].concat())),
        }
    }

    /// The answer to it, as one that the next request may go on from.
    ///
    /// It is unchanged if it is not whole, or if a call has another id here than at the server.
    pub(crate) fn answered_by(self, mut response: Response, head: &Head, model: &str) -> Response {
        let is_whole = matches!(response.finish, FinishReason::Stop | FinishReason::ToolCalls);
        let Some(id) = response.id.clone() else { return response };
        if !is_whole || response.incomplete.is_some() || !has_ids_of_server(&response, &id) {
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

/// Whether the calls of a response of this id have the ids that its server knows.
///
/// Its calls without an id, or with that of another, got their own when it was read, and what the
/// API does not take in a request is sent as another id.
fn has_ids_of_server(response: &Response, id: &str) -> bool {
    let calls: Vec<_> = response.message.tool_calls().map(|call| &call.id).collect();
    let made = ["call_", id, "_"].concat();
    let is_own = |call: &CallId, before: &[&CallId]| {
        let is_renamed = |other: &&CallId| call.as_str() == format!("{other}_{}", before.len());
        call.as_str().starts_with(&made) || before.iter().any(is_renamed)
    };
    (0..).zip(&calls).all(|(at, call)| {
        let before = calls.get(..at).unwrap_or_default();
        matches!(encode::call_id(call), Cow::Borrowed(_)) && !is_own(call, before)
    })
}

/// The id of the response that brought a message, and the digest of what it covers.
fn response_of<'m>(message: &'m Message, head: &Head) -> Option<(&'m str, &'m str)> {
    if message.role != Role::Assistant || !is_by(message, &head.provider) {
        return None;
    }
    let mark = message.metadata.get(KEY)?;
    let text = |key| mark.get(key).and_then(Value::as_str);
    Some((text("id")?, text("digest")?))
}
