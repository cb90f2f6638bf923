//! What the wires of all providers have in common: how a request is written.

#[cfg(any(feature = "anthropic", feature = "bedrock", feature = "gemini"))]
mod arguments;
#[cfg(any(feature = "anthropic", feature = "bedrock"))]
pub(crate) mod claude;
mod counting;
mod course;
mod head;
mod ids;
mod joined;
mod json;
mod origin;
mod outside;
mod quirks;
mod segment;
mod thoughts;

use http::{HeaderMap, HeaderName, HeaderValue};
use legwork_core::ModelRequest;
use legwork_core::chunked::Buffer;
use legwork_core::message::Message;
use legwork_port::{Ability, Deltas, Profile};
use serde_json::{Map, Value};

use crate::answer::Streaming;
use crate::answer::assembly::Assembly;
use crate::answer::json::{Read, Reader};

#[cfg(any(feature = "anthropic", feature = "bedrock", feature = "gemini"))]
pub(crate) use arguments::append_arguments;
#[allow(unused_imports, reason = "each wire uses a part of it")]
pub(crate) use counting::{Counted, Counting, only};
pub(crate) use course::{Course, lacking};
#[cfg(feature = "responses")]
pub(crate) use course::{Previous, Stored};
pub(crate) use head::Head;
#[allow(unused_imports, reason = "each wire uses a part of it")]
pub(crate) use ids::{digest, fitting};
pub(crate) use joined::{Joined, joined, set};
pub(crate) use json::{field, is_any_object, other_fields, write};
pub(crate) use origin::is_by;
pub(crate) use outside::{append_tools, check_tools, from_outside, provider_tools};
pub use quirks::{
    CallIds, MaxTokensField, PromptCache, Quirks, SeedField, ThinkingBack, ThinkingControl,
};
pub(crate) use segment::segment;
pub(crate) use thoughts::thoughts;

/// How an API writes requests and answers; it does no IO.
pub(crate) trait Wire: Send + Sync {
    /// Its name in commands and settings, under which encoded bytes are kept, too.
    fn name(&self) -> &'static str;

    /// Its name in sentences, such as `Chat Completions`.
    fn title(&self) -> &'static str;

    /// Whether requests for an answer go to this path.
    fn is_path(&self, path: &str) -> bool;

    /// Where a request for an answer goes, behind the base URL.
    fn endpoint(&self, model: &str, asked: Streaming) -> String;

    /// The provider that made it, as in `provider:model`.
    fn provider(&self) -> &'static str;

    /// The name under which the catalogue has a model, if it is another one than requests give.
    fn listed_as(&self, _model: &str) -> Option<String> {
        None
    }

    /// What models cannot do over this API, whatever they are.
    fn lacks(&self) -> &'static [Ability] {
        &[]
    }

    /// Where and how the tokens of a request are counted, if the provider counts them.
    fn counting(&self) -> Option<Counting> {
        None
    }

    /// Headers that each request has, apart from the key.
    fn headers(&self, _headers: &mut HeaderMap) {}

    /// The header that holds a key.
    ///
    /// # Errors
    /// When the key has characters that HTTP forbids.
    fn key(&self, key: &str) -> Result<(HeaderName, HeaderValue), http::Error> {
        Ok((http::header::AUTHORIZATION, HeaderValue::try_from(format!("Bearer {key}"))?))
    }

    /// How it streams where the answer does not say.
    fn framing(&self) -> Framing {
        Framing::Text
    }

    /// Fields of a body that cannot be set from outside.
    fn own_fields(&self) -> &'static [&'static str];

    /// The beginning of a body, which is the same for each request.
    fn head(&self, provider: &str, model: &str, quirks: &Quirks) -> Head;

    /// Writes the body of a request to an empty buffer.
    ///
    /// # Errors
    /// What the request asks for and the API cannot do.
    fn body(&self, request: &ModelRequest, frame: Frame<'_>, out: &mut Body) -> Result<(), String>;

    /// Whether a request may ask for thinking and demand a call.
    fn thinks_beside_demands(&self) -> bool {
        true
    }

    /// Whether the server can keep its responses, to make them in the background or to go on from.
    fn keeps_responses(&self) -> bool {
        false
    }

    /// How the answer to this request comes.
    fn course(&self, _request: &ModelRequest, _frame: Frame<'_>) -> Course {
        Course::Direct
    }

    /// Reads one event of a stream, or a whole body.
    ///
    /// # Errors
    /// When it is not JSON.
    fn read(&self, json: &mut Reader<'_>, into: &mut Assembly, on: &mut dyn Deltas) -> Read;

    /// Reads what an event or a body says that was used, and nothing else of it.
    ///
    /// # Errors
    /// When it is not JSON.
    fn read_usage(&self, json: &mut Reader<'_>, into: &mut Assembly) -> Read;
}

/// The body of a request while it is written; it continues the last one.
pub(crate) type Body = Buffer<Message>;

/// How the events of a stream are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Lines of server-sent events.
    Text,
    /// Frames with checksums, as AWS sends them.
    #[cfg(feature = "bedrock")]
    Binary,
}

/// What a body needs in addition to the request.
#[derive(Clone, Copy)]
pub(crate) struct Frame<'a> {
    pub(crate) head: &'a Head,
    /// The model's name at its provider.
    pub(crate) model: &'a str,
    pub(crate) quirks: &'a Quirks,
    /// Fields that the builder was given.
    pub(crate) extra: &'a Map<String, Value>,
    pub(crate) asked: Streaming,
    pub(crate) profile: &'a Profile,
    /// The response that the request goes on from; none sends the whole transcript.
    #[cfg(feature = "responses")]
    pub(crate) previous: Option<Previous<'a>>,
}

/// About how long a body becomes, rather more: what it says, and what is around it.
pub(crate) fn size(request: &ModelRequest) -> usize {
    let said = usize::try_from(request.weight()).unwrap_or(0);
    said + said / 8 + 64 * request.messages().len() + 512
}

/// Appends fields behind others; what is set from outside wins over what is set here, but for
/// fields that the wire has written itself.
pub(crate) fn fields_except<'k>(
    written: &[&str],
    own: impl IntoIterator<Item = (&'k str, Value)>,
    request: &ModelRequest,
    frame: Frame<'_>,
    out: &mut Vec<u8>,
) {
    let inner = &request.settings.extra;
    let is_new =
        |key: &str, value: &Value| !written.contains(&key) && !course::is_usual(key, value);
    for (key, value) in own {
        if !frame.extra.contains_key(key) && !inner.contains_key(key) {
            field(out, key, &value);
        }
    }
    let outer = frame.extra.iter().filter(|(key, _)| !inner.contains_key(*key));
    for (key, value) in outer.chain(inner).filter(|(key, value)| is_new(key, value)) {
        field(out, key, value);
    }
}
