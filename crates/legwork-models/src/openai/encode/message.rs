//! One message as this wire writes it.

use std::borrow::Cow;

use legwork_core::message::{ImageSource, Message, Part, Role, ToolResult};
use legwork_core::tool::ToolCall;
use serde::Serialize;
use serde_json::{Map, Value};

use super::to_bytes;

/// The bytes of a message; one of several tool results becomes as many.
pub(super) fn bytes(message: &Message) -> Vec<u8> {
    match &message.role {
        Role::Assistant => to_bytes(&Assistant::of(message)),
        Role::Tool => tool_results(message),
        role => to_bytes(&Said { role: role.as_str(), content: Content::of(&message.parts) }),
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
    Text(&'a str),
    Parts(Vec<ContentPart<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ContentPart<'a> {
    Text { text: &'a str },
    ImageUrl { image_url: Url<'a> },
}

#[derive(Serialize)]
struct Url<'a> {
    url: Cow<'a, str>,
}

impl<'a> Content<'a> {
    fn of(parts: &'a [Part]) -> Self {
        if let [Part::Text(text)] = parts {
            return Self::Text(text);
        }
        let list: Vec<_> = parts.iter().filter_map(ContentPart::of).collect();
        if list.is_empty() { Self::Text("") } else { Self::Parts(list) }
    }
}

impl<'a> ContentPart<'a> {
    fn of(part: &'a Part) -> Option<Self> {
        match part {
            Part::Text(text) | Part::Refusal(text) => Some(Self::Text { text }),
            Part::Image(image) => {
                let url = match &image.source {
                    ImageSource::Url(url) => Cow::Borrowed(url.as_str()),
                    ImageSource::Base64(data) => {
                        Cow::Owned(format!("data:{};base64,{data}", image.media_type))
                    }
                    _ => return None,
                };
                Some(Self::ImageUrl { image_url: Url { url } })
            }
            _ => None,
        }
    }
}

/// What the model said. Its thinking is not sent: this wire has no place for it.
#[derive(Serialize)]
struct Assistant<'a> {
    role: &'static str,
    content: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Call<'a>>,
}

impl<'a> Assistant<'a> {
    fn of(message: &'a Message) -> Self {
        let text = said(&message.parts);
        let tool_calls: Vec<_> = message.tool_calls().map(|call| Call::of(call)).collect();
        let content = (tool_calls.is_empty() || !text.is_empty()).then_some(text);
        Self { role: "assistant", content, tool_calls }
    }
}

/// The words of a model, a refusal among them; copied only if they are split.
fn said(parts: &[Part]) -> Cow<'_, str> {
    let mut texts = parts.iter().filter_map(|part| match part {
        Part::Text(text) | Part::Refusal(text) => Some(text.as_str()),
        _ => None,
    });
    match (texts.next(), texts.next()) {
        (None, _) => Cow::Borrowed(""),
        (Some(only), None) => Cow::Borrowed(only),
        (Some(first), Some(second)) => [first, second].into_iter().chain(texts).collect(),
    }
}

/// A call as the model made it, with the fields that its provider wants back.
#[derive(Serialize)]
struct Call<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    function: Function<'a>,
    #[serde(flatten)]
    provider: Map<String, Value>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    arguments: &'a str,
    #[serde(flatten)]
    provider: Map<String, Value>,
}

impl<'a> Call<'a> {
    fn of(call: &'a ToolCall) -> Self {
        let arguments = match call.arguments.trim() {
            "" => "{}",
            _ => &call.arguments,
        };
        let mut provider = fields(call.provider.as_ref());
        let inner = fields(provider.remove("function").as_ref());
        for own in ["id", "type"] {
            provider.remove(own);
        }
        let function = Function { name: &call.name, arguments, provider: inner };
        Self { id: call.id.as_str(), kind: "function", function, provider }
    }
}

fn fields(value: Option<&Value>) -> Map<String, Value> {
    value.and_then(Value::as_object).cloned().unwrap_or_default()
}

#[derive(Serialize)]
struct Answer<'a> {
    role: &'static str,
    tool_call_id: &'a str,
    content: &'a str,
}

fn tool_results(message: &Message) -> Vec<u8> {
    let results = message.parts.iter().filter_map(|part| match part {
        Part::ToolResult(result) => Some(answer(result)),
        _ => None,
    });
    results.map(|answer| to_bytes(&answer)).collect::<Vec<_>>().join(&b',')
}

fn answer(result: &ToolResult) -> Answer<'_> {
    Answer { role: "tool", tool_call_id: result.call.as_str(), content: &result.text }
}
