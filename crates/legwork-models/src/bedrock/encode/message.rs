//! One message as this wire writes it: blocks of content.

use std::borrow::Cow;

use legwork_core::message::{
    Author, File, Image, Message, Part, ResultPart, Role, Text, Thinking, ToolResult,
};
use legwork_core::tool::ToolCall;
use serde_json::json;

use super::media::{Kind, Media, named};
use crate::bedrock::id::ModelId;
use crate::wire::{append_arguments, fitting, thoughts, write};

/// The longest id of a call, and the longest name of a tool.
const LONGEST: usize = 64;

/// What is sent of a message that has nothing that could be sent: an empty one is refused.
const NOTHING: &str = "(empty)";

/// What is sent beside documents that nothing is said to: the API wants a text.
const READ: &str = "(the documents are attached)";

/// Who gets a message.
#[derive(Clone, Copy)]
pub(super) struct To<'a> {
    /// The provider, as in `provider:model`.
    pub(super) provider: &'a str,
    pub(super) id: ModelId<'a>,
}

/// Whose turn a message belongs to: results of tools come from the user's side.
pub(super) fn role(message: &Message) -> &'static str {
    match message.role {
        Role::Assistant => "assistant",
        _ => "user",
    }
}

/// An id of a call. Some models make ids that others do not take.
fn call_id<'c>(id: &'c str, to: To<'_>) -> Cow<'c, str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.:".contains(&byte);
    let is_strict = matches!(to.id.maker, "amazon" | "anthropic" | "");
    match !is_strict && !id.is_empty() && id.len() <= LONGEST && id.bytes().all(is_plain) {
        true => Cow::Borrowed(id),
        false => fitting(id, LONGEST),
    }
}

/// A name of a tool, as the API takes it.
pub(super) fn name(tool: &str) -> Cow<'_, str> {
    fitting(tool, LONGEST)
}

/// Appends the blocks of a message, separated by commas; never none.
pub(super) fn append(message: &Message, to: To<'_>, out: &mut Vec<u8>) {
    let mut blocks = Blocks::begin(out);
    match message.role {
        Role::Assistant => of_model(message, to, &mut blocks),
        _ => of_user(message, to, &mut blocks),
    }
    if blocks.is_empty() {
        blocks.text(&thoughts(message).unwrap_or_else(|| NOTHING.to_owned()));
    }
}

fn of_model(message: &Message, to: To<'_>, blocks: &mut Blocks<'_>) {
    let whose = Whose::of(message, to);
    for part in &message.parts {
        match part {
            Part::Text(said) | Part::Refusal(said) => own_text(said, whose, to, blocks),
            Part::Thinking(thinking) if whose != Whose::Foreign => {
                own_thinking(thinking, to, blocks);
            }
            Part::ToolCall(call) => blocks.call(call, to),
            Part::Image(image) => blocks.text(&name_of_image(image)),
            Part::File(file) => blocks.text(&name_of_file(file)),
            Part::Other(value) if whose == Whose::Own => write(blocks.next(), value),
            _ => {}
        }
    }
}

fn of_user(message: &Message, to: To<'_>, blocks: &mut Blocks<'_>) {
    let mut wants_text = false;
    for (number, part) in message.parts.iter().enumerate() {
        match part {
            Part::Text(said) | Part::Refusal(said) => blocks.text(&said.text),
            Part::Image(image) => blocks.image(image),
            Part::File(file) => {
                // Two messages with one file say different things, if they say any.
                let place = format!("{number} {}", message.text());
                wants_text |= blocks.file(file, to, By::User, &place) == Some(Kind::Document);
            }
            Part::ToolResult(result) => blocks.result(result, to),
            _ => {}
        }
    }
    if wants_text && message.text().trim().is_empty() {
        blocks.text(READ);
    }
}

/// Who gives a file: the result of a tool holds no sounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    User,
    Tool,
}

/// Whose answer a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// That of a model of the same maker at the same provider.
    Own,
    /// That of another model.
    Foreign,
    /// Nobody says.
    Unknown,
}

impl Whose {
    fn of(message: &Message, to: To<'_>) -> Self {
        let Some(Author::Model(model)) = &message.author else { return Self::Unknown };
        let is_own = model.split_once(':').is_some_and(|(provider, model)| {
            provider == to.provider && ModelId::of(model).maker == to.id.maker
        });
        if is_own { Self::Own } else { Self::Foreign }
    }
}

/// A text, with its citations if it has some.
fn own_text(said: &Text, whose: Whose, to: To<'_>, blocks: &mut Blocks<'_>) {
    let data = said.provider.as_ref().and_then(|data| data.of(to.provider));
    match data.as_ref().and_then(|data| data.get("citations")) {
        Some(citations) if whose != Whose::Foreign && !said.text.is_empty() => {
            let content = json!([{"text": said.text}]);
            let block = json!({"citationsContent": {"content": content, "citations": citations}});
            write(blocks.next(), &block);
        }
        _ => blocks.text(&said.text),
    }
}

/// Thinking of this provider, as it came: with its signature, or as data that only it can read.
fn own_thinking(thinking: &Thinking, to: To<'_>, blocks: &mut Blocks<'_>) {
    let data = thinking.provider.as_ref().and_then(|data| data.of(to.provider));
    let own = |name: &str| data.as_ref().and_then(|data| data.get(name)?.as_str());
    if let Some(data) = own("redacted") {
        write(blocks.next(), &json!({"reasoningContent": {"redactedContent": data}}));
    } else if let Some(signature) = own("signature") {
        let out = blocks.next();
        out.extend_from_slice(b"{\"reasoningContent\":{\"reasoningText\":{\"text\":");
        write(out, &thinking.text);
        out.extend_from_slice(b",\"signature\":");
        write(out, signature);
        out.extend_from_slice(b"}}}");
    }
}

fn name_of_image(image: &Image) -> String {
    named("picture", None, &image.media_type, &image.source)
}

fn name_of_file(file: &File) -> String {
    named("file", file.name.as_deref(), &file.media_type, &file.source)
}

/// Blocks that are being written.
struct Blocks<'o> {
    out: &'o mut Vec<u8>,
    start: usize,
}

impl<'o> Blocks<'o> {
    fn begin(out: &'o mut Vec<u8>) -> Self {
        let start = out.len();
        Self { out, start }
    }

    fn is_empty(&self) -> bool {
        self.out.len() == self.start
    }

    /// Where the next block is written.
    fn next(&mut self) -> &mut Vec<u8> {
        if !self.is_empty() {
            self.out.push(b',');
        }
        self.out
    }

    /// A text that is blank is refused, so it is left out.
    fn text(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        let out = self.next();
        out.extend_from_slice(b"{\"text\":");
        write(out, text);
        out.push(b'}');
    }

    fn image(&mut self, image: &Image) {
        match Media::of_image(image) {
            Some(media) => media.append("", self.next()),
            None => self.text(&name_of_image(image)),
        }
    }

    /// A document, a video or a sound; of any other the model reads that it is there.
    fn file(&mut self, file: &File, to: To<'_>, by: By, place: &str) -> Option<Kind> {
        let media = Media::of_file(file);
        let media = media.filter(|media| match media.kind() {
            Kind::Video => to.id.sees_videos(),
            Kind::Audio => to.id.hears() && by == By::User,
            Kind::Document | Kind::Image => true,
        });
        match &media {
            Some(media) => media.append(place, self.next()),
            None => self.text(&name_of_file(file)),
        }
        media.map(|media| media.kind())
    }

    fn call(&mut self, call: &ToolCall, to: To<'_>) {
        let out = self.next();
        out.extend_from_slice(b"{\"toolUse\":{\"toolUseId\":");
        write(out, &*call_id(call.id.as_str(), to));
        out.extend_from_slice(b",\"name\":");
        write(out, &*name(&call.name));
        out.extend_from_slice(b",\"input\":");
        append_arguments(out, call);
        out.extend_from_slice(b"}}");
    }

    fn result(&mut self, result: &ToolResult, to: To<'_>) {
        let out = self.next();
        out.extend_from_slice(b"{\"toolResult\":{\"toolUseId\":");
        write(out, &*call_id(result.call.as_str(), to));
        out.extend_from_slice(b",\"content\":[");
        let mut content = Blocks::begin(out);
        for (number, part) in result.parts.iter().enumerate() {
            match part {
                // Other values are refused by some models.
                ResultPart::Json(value) if value.is_object() => {
                    write(content.next(), &json!({"json": value}));
                }
                ResultPart::Image(image) => content.image(image),
                ResultPart::File(file) => {
                    let place = format!("{number} {}", result.call);
                    content.file(file, to, By::Tool, &place);
                }
                part => content.text(&part.text()),
            }
        }
        if content.is_empty() {
            content.text(NOTHING);
        }
        out.push(b']');
        if result.is_error && to.id.takes_status() {
            out.extend_from_slice(b",\"status\":\"error\"");
        }
        out.extend_from_slice(b"}}");
    }
}
