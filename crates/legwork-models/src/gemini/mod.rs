//! Google's Gemini API: `encode` writes requests, `decode` reads answers.
//!
//! The same wire goes to the Gemini API ([`generate_content`]) and to Vertex AI ([`vertex`]).
//! Needs the feature `gemini`.
//!
//! Arguments of calls come whole. Vertex AI streams them, as the models from Gemini 3 on write them
//! (`partialArgs`), if a request asks for that by a field:
//!
//! ```
//! use legwork_models::gemini;
//! use serde_json::json;
//!
//! let stream = json!({"functionCallingConfig": {"streamFunctionCallArguments": true}});
//! let model = gemini::vertex("my-project", "global", "gemini-3-pro-preview")
//!     .field("toolConfig", stream)
//!     .build()?;
//! # drop(model);
//! # Ok::<(), legwork_models::Error>(())
//! ```
//!
//! It is sent only with tools, and only where the answer is a stream: Vertex AI refuses it where the
//! answer is a whole one. The Gemini API does not support it.

mod decode;
mod encode;
mod generation;

pub(crate) use decode::Growing;
use generation::Generation;
use http::{HeaderName, HeaderValue};
use legwork_core::ModelRequest;
use legwork_port::Deltas;
use serde_json::{Value, json};

use crate::Api;
use crate::answer::Streaming;
use crate::answer::assembly::Assembly;
use crate::answer::json::{Read, Reader};
use crate::providers::project_url;
use crate::remote::Builder;
use crate::wire::{Body, Counted, Counting, Frame, Head, Quirks, Wire, only, segment};

/// The base URL of Google's own servers.
pub const BASE_URL: &str = "https://generativelanguage.googleapis.com/v1beta";

/// A model of a server that speaks the Gemini API, such as that of [`BASE_URL`]; `/models/` and
/// the model's name are appended to `base_url`.
pub fn generate_content(base_url: impl Into<String>, model: impl Into<String>) -> Builder {
    Builder::new(Api::GenerateContent, base_url, model)
}

/// A Gemini model of Vertex AI, in a project at a location such as `europe-west4` or `global`.
///
/// Its provider is `vertex`. Vertex AI wants an access token, which is short-lived:
/// [`Builder::bearer`].
pub fn vertex(project: &str, location: &str, model: impl Into<String>) -> Builder {
    generate_content(project_url(project, location), model).provider("vertex")
}

/// The fields of a request that Vertex AI counts.
const COUNTED_BY_VERTEX: [&str; 4] = ["contents", "systemInstruction", "tools", "generationConfig"];

const COUNTING: Counting = Counting {
    endpoint: |model| format!("models/{}:countTokens", segment(model)),
    body: counted,
    number: "/totalTokens",
};

/// The Gemini API wants the whole request in a field, Vertex AI the parts that it counts.
fn counted(Counted { provider, model, mut body }: Counted<'_>) -> Value {
    if provider == "vertex" {
        return only(body, &COUNTED_BY_VERTEX).into();
    }
    body.insert("model".to_owned(), format!("models/{model}").into());
    json!({"generateContentRequest": body})
}

/// The wire of the Gemini API.
pub(crate) struct Gemini;

impl Wire for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn title(&self) -> &'static str {
        "Gemini"
    }

    fn provider(&self) -> &'static str {
        "google"
    }

    fn counting(&self) -> Option<Counting> {
        Some(COUNTING)
    }

    fn is_path(&self, path: &str) -> bool {
        path.ends_with(":generateContent") || path.ends_with(":streamGenerateContent")
    }

    fn endpoint(&self, model: &str, asked: Streaming) -> String {
        let method = match asked {
            Streaming::No => "generateContent",
            Streaming::Yes => "streamGenerateContent?alt=sse",
        };
        format!("models/{}:{method}", segment(model))
    }

    fn key(&self, key: &str) -> Result<(HeaderName, HeaderValue), http::Error> {
        Ok((HeaderName::from_static("x-goog-api-key"), HeaderValue::try_from(key)?))
    }

    fn own_fields(&self) -> &'static [&'static str] {
        &["contents", "systemInstruction", "system_instruction", "model"]
    }

    fn head(&self, provider: &str, model: &str, _: &Quirks) -> Head {
        // The messages of one model may have signatures that those of another may not.
        let encoding = match Generation::of(model) {
            Generation::Second => "gemini",
            Generation::Third => "gemini 3",
        };
        Head::new(encoding, provider, b"{".to_vec())
    }

    fn body(&self, request: &ModelRequest, frame: Frame<'_>, out: &mut Body) -> Result<(), String> {
        encode::body(request, frame, out)
    }

    fn read(&self, json: &mut Reader<'_>, into: &mut Assembly, on: &mut dyn Deltas) -> Read {
        decode::read(json, into, on)
    }

    fn read_usage(&self, json: &mut Reader<'_>, into: &mut Assembly) -> Read {
        decode::read_usage(json, into)
    }
}
