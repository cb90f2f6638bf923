//! What a server of each wire says: the same answer, the same errors, as bytes.
//!
//! The tests inside the crate use it, too; so it knows no type of the crate.

#[cfg(feature = "bedrock")]
pub(crate) mod bedrock;
#[cfg(feature = "openai")]
mod chat;
#[cfg(feature = "gemini")]
mod gemini;
#[cfg(feature = "anthropic")]
mod messages;
#[cfg(feature = "responses")]
mod responses;

use serde_json::Value;

/// What a server of a wire says.
#[derive(Clone)]
pub(crate) struct Said {
    /// The content type of a stream.
    pub(crate) stream: &'static str,
    /// The events before the text.
    pub(crate) opening: Vec<u8>,
    /// The event of the text `Hé`, and that of the text `llo`.
    pub(crate) text: [Vec<u8>; 2],
    /// The events after the text; without them the answer has no end.
    pub(crate) closing: Vec<u8>,
    /// An error inside a stream, of a server that is overloaded and says `busy`.
    pub(crate) error: Vec<u8>,
    /// An event that is not JSON.
    pub(crate) garbage: Vec<u8>,
    /// The beginning of an event that is 1 GB long.
    pub(crate) endless: Vec<u8>,
    /// The events of a call that has neither id nor name, and arguments that are an object, if a
    /// server can say so in a stream.
    pub(crate) odd_call_in_stream: Vec<u8>,
    /// A whole body that says `Héllo`, without usage.
    pub(crate) body: Value,
    /// A whole body that is an error of a server that is overloaded.
    pub(crate) error_body: Value,
    /// A whole body with a call that has neither id nor name, and arguments that are an object.
    pub(crate) odd_call: Value,
}

impl Said {
    /// What a server of an API says, by the name of the API.
    pub(crate) fn by(api: &str) -> Self {
        match api {
            #[cfg(feature = "openai")]
            "chat" => chat::said(),
            #[cfg(feature = "responses")]
            "responses" => responses::said(),
            #[cfg(feature = "anthropic")]
            "messages" => messages::said(),
            #[cfg(feature = "gemini")]
            "gemini" => gemini::said(),
            #[cfg(feature = "bedrock")]
            "bedrock" => bedrock::said(),
            other => panic!("nothing is known of {other}"),
        }
    }

    /// The events up to the first text, with that.
    pub(crate) fn begun(&self) -> Vec<u8> {
        [&*self.opening, &*self.text[0]].concat()
    }

    /// The events after the first text.
    pub(crate) fn rest(&self) -> Vec<u8> {
        [&*self.text[1], &*self.closing].concat()
    }

    /// A whole stream.
    pub(crate) fn whole(&self) -> Vec<u8> {
        [self.begun(), self.rest()].concat()
    }
}

/// Server-sent events.
#[cfg(any(feature = "anthropic", feature = "gemini", feature = "openai", feature = "responses"))]
mod text {
    use serde_json::Value;

    /// The content type.
    pub(super) const EVENTS: &str = "text/event-stream";

    /// An event that is not JSON.
    pub(super) const GARBAGE: &[u8] = b"data: {\"type\": nonsense\n\n";

    /// Nothing says how long a line is.
    pub(super) const ENDLESS: &[u8] = b"data: ";

    pub(super) fn events(events: &[Value]) -> Vec<u8> {
        let all = events.iter().map(|event| match event["type"].as_str() {
            // As Anthropic and OpenAI do.
            Some(kind) => format!("event: {kind}\ndata: {event}\n\n"),
            None => format!("data: {event}\n\n"),
        });
        all.collect::<String>().into_bytes()
    }
}
