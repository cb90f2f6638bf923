//! The digest of a request as it is sent, which costs what was added to the one before.

use std::sync::Arc;

use hmac_sha256::Hash;
use legwork_core::digest::canonical;
use legwork_core::event::RequestSent;
use legwork_core::{Digest, Message, ModelRequest};
use serde_json::{Value, json};

type Link = [u8; 32];

/// A chain of digests over messages: each link covers a message and all before it.
///
/// So two conversations have the same link at an index if and only if they have the same
/// messages up to there.
#[derive(Debug, Clone, Default)]
pub(crate) struct Chain {
    links: Vec<Link>,
    /// How many messages the request before had; none before the first request.
    sent: Option<usize>,
    /// The links of the request before from `gone_from` on, as far as they were cut off.
    gone: Vec<Link>,
    gone_from: usize,
}

impl Chain {
    pub(crate) fn len(&self) -> usize {
        self.links.len()
    }

    pub(crate) fn push(&mut self, message: &Message) {
        let link = link(self.links.last(), message);
        self.links.push(link);
    }

    /// Cuts the chain to a length, for other messages to follow.
    pub(crate) fn truncate(&mut self, len: usize) {
        let Some(sent) = self.sent else { return self.links.truncate(len) };
        let end = if self.gone.is_empty() { sent.min(self.links.len()) } else { self.gone_from };
        if len < end {
            let mut gone: Vec<_> = self.links.get(len..end).unwrap_or_default().to_vec();
            gone.append(&mut self.gone);
            (self.gone, self.gone_from) = (gone, len);
        }
        self.links.truncate(len);
    }

    /// How many messages from the first on are those of the request before; none if there was
    /// none. From now on this is the request before.
    pub(crate) fn sent(&mut self) -> Option<usize> {
        let before = self.sent.replace(self.links.len())?;
        let gone = std::mem::take(&mut self.gone);
        if gone.is_empty() {
            return Some(before.min(self.links.len()));
        }
        let since = self.links.get(self.gone_from..).unwrap_or_default();
        let same = since.iter().zip(&gone).take_while(|(new, old)| new == old).count();
        Some(self.gone_from + same)
    }

    pub(crate) fn last(&self) -> Option<&[u8; 32]> {
        self.links.last()
    }
}

fn link(before: Option<&Link>, message: &Message) -> Link {
    let mut hash = Hash::new();
    hash.update(before.unwrap_or(&[0; 32]));
    hash.update(canonical(&as_sent(message)).as_bytes());
    hash.finalize()
}

/// What of a message decides what is sent: not its metadata.
fn as_sent(message: &Message) -> Value {
    json!({"role": message.role, "parts": message.parts, "author": message.author})
}

/// The parameters of a request, which is all but its messages, with their digest: they seldom
/// change.
#[derive(Default)]
pub(crate) struct Parameters(Option<(ModelRequest, Digest)>);

impl Parameters {
    /// The digest of the parameters of a request.
    pub(crate) fn of(&mut self, request: &ModelRequest) -> Digest {
        if let Some((_, digest)) =
            self.0.as_ref().filter(|(before, _)| have_same_parameters(before, request))
        {
            return digest.clone();
        }
        let digest = parameters(request);
        self.0 = Some((request.clone().first(0), digest.clone()));
        digest
    }
}

fn have_same_parameters(one: &ModelRequest, two: &ModelRequest) -> bool {
    Arc::ptr_eq(&one.tools, &two.tools)
        && one.instructions == two.instructions
        && one.settings == two.settings
        && one.tool_choice == two.tool_choice
        && one.response_format == two.response_format
        && one.max_output == two.max_output
}

/// The digest of the parameters of a request.
pub(crate) fn parameters(request: &ModelRequest) -> Digest {
    Digest::of(&json!({
        "instructions": request.instructions,
        "tools": request.tools.digest(),
        "settings": *request.settings,
        "tool_choice": request.tool_choice,
        "response_format": request.response_format,
        "max_output": request.max_output,
    }))
}

/// The digest of a whole request, whose first messages a link covers.
pub(crate) fn of_request(
    covered: usize,
    last: Option<&[u8; 32]>,
    kept: Option<usize>,
    request: &ModelRequest,
    parameters: &Digest,
) -> RequestSent {
    let mut last = last.copied();
    for message in request.messages().iter_from(covered) {
        last = Some(link(last.as_ref(), message));
    }
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let messages = count(request.messages().len());
    let mut all = last.unwrap_or_default().to_vec();
    all.extend_from_slice(&messages.to_be_bytes());
    all.extend_from_slice(parameters.as_str().as_bytes());
    RequestSent { digest: Digest::of_bytes(&all), messages, kept: kept.map(count) }
}

/// The digest of a request of which nothing is known yet; it costs as much as it has messages.
pub fn digest(request: &ModelRequest) -> Digest {
    of_request(0, None, None, request, &parameters(request)).digest
}
