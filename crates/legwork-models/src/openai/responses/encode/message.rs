//! One message as the items that this wire writes.

use std::borrow::Cow;

use legwork_core::CallId;
use legwork_core::message::{
    File, Image, MediaSource, Message, Part, ResultPart, Role, ToolResult,
};
use serde::Serialize;

use super::assistant;
use crate::wire::{fitting, write};

/// The id of a call as this API takes it.
pub(in crate::openai::responses) fn call_id(id: &CallId) -> Cow<'_, str> {
    fitting(id.as_str(), 64)
}

/// Appends the items of a message for a provider, with commas between them.
pub(super) fn append(message: &Message, provider: &str, out: &mut Vec<u8>) {
    let mut items = Items { start: out.len(), out };
    match &message.role {
        Role::Assistant => assistant::append(message, provider, &mut items),
        Role::Tool => {
            for part in &message.parts {
                if let Part::ToolResult(result) = part {
                    output(result, items.next());
                }
            }
        }
        role => {
            let content = Content::of(&message.parts);
            write(items.next(), &Said { role: role.as_str(), content });
        }
    }
}

/// Where items are written.
pub(super) struct Items<'o> {
    start: usize,
    out: &'o mut Vec<u8>,
}

impl Items<'_> {
    /// Whether there is none so far.
    pub(super) fn is_empty(&self) -> bool {
        self.out.len() == self.start
    }

    /// The place of another item.
    pub(super) fn next(&mut self) -> &mut Vec<u8> {
        if !self.is_empty() {
            self.out.push(b',');
        }
        self.out
    }
}

/// What a person says.
#[derive(Serialize)]
struct Said<'a> {
    role: &'a str,
    content: Content<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<Input<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(clippy::enum_variant_names, reason = "as the API names them")]
enum Input<'a> {
    InputText {
        text: Cow<'a, str>,
    },
    InputImage {
        image_url: Cow<'a, str>,
        detail: &'static str,
    },
    InputFile {
        #[serde(skip_serializing_if = "Option::is_none")]
        filename: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        file_data: Option<Cow<'a, str>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        file_url: Option<Cow<'a, str>>,
    },
}

/// The result of a call.
fn output(result: &ToolResult, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"type\":\"function_call_output\",\"call_id\":");
    write(out, &*call_id(&result.call));
    out.extend_from_slice(b",\"output\":");
    let is_text = |part: &ResultPart| matches!(part, ResultPart::Text(_) | ResultPart::Json(_));
    match result.parts.iter().all(is_text) {
        true => write(out, &*result.text()),
        false => {
            let parts: Vec<_> = result.parts.iter().filter_map(Input::of_result).collect();
            write(out, &parts);
        }
    }
    out.push(b'}');
}

impl<'a> Content<'a> {
    fn of(parts: &'a [Part]) -> Self {
        if let [Part::Text(text)] = parts {
            return Self::Text(Cow::Borrowed(&text.text));
        }
        let list: Vec<_> = parts.iter().filter_map(Input::of).collect();
        if list.is_empty() { Self::Text(Cow::Borrowed("")) } else { Self::Parts(list) }
    }
}

impl<'a> Input<'a> {
    fn of(part: &'a Part) -> Option<Self> {
        match part {
            Part::Text(text) | Part::Refusal(text) => Some(Self::text(Cow::Borrowed(&text.text))),
            Part::Image(image) => Self::image(image),
            Part::File(file) => Self::file(file),
            _ => None,
        }
    }

    fn of_result(part: &'a ResultPart) -> Option<Self> {
        match part {
            ResultPart::Image(image) => Self::image(image),
            ResultPart::File(file) => Self::file(file),
            part => Some(Self::text(part.text())),
        }
    }

    fn text(text: Cow<'a, str>) -> Self {
        Self::InputText { text }
    }

    fn image(image: &'a Image) -> Option<Self> {
        let (data, url) = media(&image.media_type, &image.source);
        Some(Self::InputImage { image_url: data.or(url)?, detail: "auto" })
    }

    fn file(file: &'a File) -> Option<Self> {
        // The API takes no sounds: the model reads that one is there.
        if file.media_type.starts_with("audio/") {
            let text = ResultPart::File(file.clone()).text().into_owned();
            return Some(Self::text(Cow::Owned(text)));
        }
        let (file_data, file_url) = media(&file.media_type, &file.source);
        let name = file.name.as_deref();
        let filename = match (&file_data, &file_url) {
            (Some(_), _) => Some(name.unwrap_or("file")),
            // The name of a file at a URL is its own.
            (None, Some(_)) => None,
            (None, None) => return None,
        };
        Some(Self::InputFile { filename, file_data, file_url })
    }
}

/// A data URL, or a URL.
fn media<'a>(kind: &str, source: &'a MediaSource) -> (Option<Cow<'a, str>>, Option<Cow<'a, str>>) {
    match source {
        MediaSource::Base64(data) => (Some(format!("data:{kind};base64,{data}").into()), None),
        MediaSource::Url(url) => (None, Some(Cow::Borrowed(url))),
        _ => (None, None),
    }
}
