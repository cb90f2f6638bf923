//! One message as this wire writes it: its parts, without what is around them.

use legwork_core::message::{
    File, Image, MediaSource, Message, Part, ProviderData, ResultPart, Role, Text, Thinking,
    ToolCall, ToolResult,
};
use serde::Serialize;
use serde_json::Value;

use crate::gemini::generation::Generation;
use crate::wire::{append_arguments, fitting, is_by, other_fields, thoughts, write};

/// Characters of a call's id; Google's own have 8, and other ones are taken, too.
const ID: usize = 64;

/// What a call of Gemini 3 must have in place of a signature if another model made it.
///
/// Google's guide to thought signatures names it for this purpose. The official clients send it in
/// base64, as all bytes; both are accepted.
const UNSIGNED: &str = "skip_thought_signature_validator";

/// Who gets a message.
#[derive(Clone, Copy)]
pub(super) struct To<'a> {
    /// The provider, as in `provider:model`.
    pub(super) provider: &'a str,
    pub(super) generation: Generation,
}

/// Parts that are being written.
struct Parts<'o> {
    out: &'o mut Vec<u8>,
    start: usize,
}

/// Appends the parts of a message, of which there is always one.
pub(super) fn append(message: &Message, to: To<'_>, out: &mut Vec<u8>) {
    let start = out.len();
    let mut parts = Parts { out, start };
    match &message.role {
        Role::Assistant => of_model(message, to, &mut parts),
        Role::Tool => of_tools(message, to, &mut parts),
        _ => message.parts.iter().for_each(|part| said(part, None, &mut parts)),
    }
    if parts.is_empty() {
        // An empty text is refused by Vertex AI.
        parts.text(" ", None, None);
    }
}

/// What the model said.
fn of_model(message: &Message, to: To<'_>, parts: &mut Parts<'_>) {
    let is_own = is_by(message, to.provider);
    // Of the calls of one answer, Gemini 3 signs the first, and wants that signature back.
    let mut wants_signature = to.generation == Generation::Third;
    for part in &message.parts {
        match part {
            Part::Thinking(thinking) => signed_thought(thinking, to, parts),
            Part::ToolCall(call) => {
                parts.call(call, to, wants_signature);
                wants_signature = false;
            }
            Part::Other(value) if is_own && value.is_object() => write(parts.next(), value),
            part => said(part, Some(to.provider), parts),
        }
    }
    match parts.is_empty() {
        true if is_own => own_thoughts(message, parts),
        true => thoughts(message).iter().for_each(|text| parts.text(text, None, None)),
        false => {}
    }
}

/// The thoughts of a message that has nothing else, as they came.
fn own_thoughts(message: &Message, parts: &mut Parts<'_>) {
    for part in &message.parts {
        if let Part::Thinking(Thinking { text, .. }) = part
            && !text.is_empty()
        {
            parts.text(text, Some(Thought::Yes), None);
        }
    }
}

/// A thought that its provider signed; others are of no use to it.
fn signed_thought(thinking: &Thinking, to: To<'_>, parts: &mut Parts<'_>) {
    let fields = of(thinking.provider.as_ref(), to.provider);
    if fields.as_ref().is_some_and(|fields| fields.get("thoughtSignature").is_some()) {
        parts.text(&thinking.text, Some(Thought::Yes), fields.as_ref());
    }
}

fn of(data: Option<&ProviderData>, provider: &str) -> Option<Value> {
    data?.of(provider)
}

/// Words and media; a model gets back what it attached to its words.
fn said(part: &Part, provider: Option<&str>, parts: &mut Parts<'_>) {
    match part {
        Part::Text(Text { text, provider: data, .. })
        | Part::Refusal(Text { text, provider: data, .. }) => {
            let fields = provider.and_then(|provider| of(data.as_ref(), provider));
            if !text.is_empty() || fields.is_some() {
                parts.text(text, None, fields.as_ref());
            }
        }
        Part::Image(Image { media_type, source }) | Part::File(File { media_type, source, .. }) => {
            if let Some(media) = Media::of(media_type, source) {
                write(parts.next(), &media);
            }
        }
        _ => {}
    }
}

/// What tools answered; media that cannot be in the response are beside it.
fn of_tools(message: &Message, to: To<'_>, parts: &mut Parts<'_>) {
    for part in &message.parts {
        let Part::ToolResult(result) = part else { continue };
        let all = || result.parts.iter().filter_map(media_of);
        let inner = |media: &Media<'_>| to.generation == Generation::Third && media.fits_response();
        let inside: Vec<_> = all().filter(inner).collect();
        parts.result(result, &inside);
        for media in all().filter(|media| !inner(media)) {
            write(parts.next(), &media);
        }
    }
}

fn media_of(part: &ResultPart) -> Option<Media<'_>> {
    match part {
        ResultPart::Image(Image { media_type, source })
        | ResultPart::File(File { media_type, source, .. }) => Media::of(media_type, source),
        _ => None,
    }
}

/// That words are a thought.
#[derive(Debug, Clone, Copy)]
enum Thought {
    Yes,
}

impl Parts<'_> {
    fn is_empty(&self) -> bool {
        self.out.len() == self.start
    }

    /// Where the next part is written.
    fn next(&mut self) -> &mut Vec<u8> {
        if !self.is_empty() {
            self.out.push(b',');
        }
        self.out
    }

    fn text(&mut self, text: &str, thought: Option<Thought>, fields: Option<&Value>) {
        let out = self.next();
        out.extend_from_slice(b"{\"text\":");
        write(out, text);
        if thought.is_some() {
            out.extend_from_slice(b",\"thought\":true");
        }
        other_fields(out, fields, &["text", "thought"]);
        out.push(b'}');
    }

    /// A call as the model made it, with the fields that its provider wants back.
    fn call(&mut self, call: &ToolCall, to: To<'_>, wants_signature: bool) {
        let fields = of(call.provider.as_ref(), to.provider);
        let fields = fields.as_ref();
        let is_signed = fields.is_some_and(|fields| fields.get("thoughtSignature").is_some());
        let out = self.next();
        out.extend_from_slice(b"{\"functionCall\":{\"id\":");
        write(out, &*fitting(call.id.as_str(), ID));
        out.extend_from_slice(b",\"name\":");
        write(out, &*call.name);
        out.extend_from_slice(b",\"args\":");
        append_arguments(out, call);
        let inner = fields.and_then(|fields| fields.get("functionCall"));
        other_fields(out, inner, &["id", "name", "args"]);
        out.push(b'}');
        other_fields(out, fields, &["functionCall"]);
        if wants_signature && !is_signed {
            out.extend_from_slice(b",\"thoughtSignature\":");
            write(out, UNSIGNED);
        }
        out.push(b'}');
    }

    fn result(&mut self, result: &ToolResult, media: &[Media<'_>]) {
        let out = self.next();
        out.extend_from_slice(b"{\"functionResponse\":{\"id\":");
        write(out, &*fitting(result.call.as_str(), ID));
        out.extend_from_slice(b",\"name\":");
        write(out, &*result.name);
        out.extend_from_slice(b",\"response\":");
        out.extend_from_slice(if result.is_error { b"{\"error\":" } else { b"{\"result\":" });
        match &*result.parts {
            [ResultPart::Json(value)] => write(out, value),
            _ => write(out, &*result.text()),
        }
        out.push(b'}');
        if !media.is_empty() {
            out.extend_from_slice(b",\"parts\":");
            write(out, media);
        }
        out.extend_from_slice(b"}}");
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
enum Media<'a> {
    InlineData { mime_type: &'a str, data: &'a str },
    FileData { mime_type: &'a str, file_uri: &'a str },
}

impl<'a> Media<'a> {
    fn of(mime_type: &'a str, source: &'a MediaSource) -> Option<Self> {
        match source {
            MediaSource::Base64(data) => Some(Self::InlineData { mime_type, data }),
            MediaSource::Url(file_uri) => Some(Self::FileData { mime_type, file_uri }),
            _ => None,
        }
    }

    /// Whether Gemini 3 takes it inside the response of a function.
    fn fits_response(&self) -> bool {
        let Self::InlineData { mime_type, .. } = self else { return false };
        mime_type.starts_with("image/") || matches!(*mime_type, "application/pdf" | "text/plain")
    }
}
