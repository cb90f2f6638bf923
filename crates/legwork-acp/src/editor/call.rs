//! How a tool call is shown.

use legwork_core::ToolCall;
use legwork_core::message::{MediaSource, ResultPart};
use serde_json::{Map, Value, json};

use crate::wire::update::{image_block, text_block};

/// Arguments that say by themselves what a call is about.
const TELLING: [&str; 8] =
    ["command", "pattern", "path", "file", "query", "url", "question", "agent"];
/// Most characters of a title.
const TITLE: usize = 200;

/// What is shown of a call: a field that is none stays as it is.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    pub(crate) title: String,
    pub(crate) kind: &'static str,
    pub(crate) status: &'static str,
    pub(crate) content: Option<Vec<Value>>,
    pub(crate) locations: Vec<Value>,
    pub(crate) input: Option<Value>,
    pub(crate) output: Option<Value>,
}

impl Shown {
    /// All of it, for a call that is new.
    pub(crate) fn whole(self, id: &str) -> Value {
        let (title, kind) = (self.title.clone(), self.kind);
        let (locations, input) = (self.locations.clone(), self.input.clone());
        let mut fields = self.changed(id);
        if let Some(fields) = fields.as_object_mut() {
            fields.insert("title".to_owned(), title.into());
            fields.insert("kind".to_owned(), kind.into());
            fields.insert("locations".to_owned(), locations.into());
            fields.extend(input.map(|input| ("rawInput".to_owned(), input)));
        }
        fields
    }

    /// What may have changed of a call that is shown.
    pub(crate) fn changed(self, id: &str) -> Value {
        let mut fields = Map::new();
        fields.insert("toolCallId".to_owned(), id.into());
        fields.insert("status".to_owned(), self.status.into());
        fields.extend(self.content.map(|content| ("content".to_owned(), content.into())));
        fields.extend(self.output.map(|output| ("rawOutput".to_owned(), output)));
        Value::Object(fields)
    }
}

/// What kind of call it is, for an icon.
pub(super) fn kind_of(tool: &str) -> &'static str {
    match tool {
        "read" | "list" => "read",
        "search" => "search",
        "write" | "edit" => "edit",
        "bash" | "bash_output" => "execute",
        "fetch" | "web_search" => "fetch",
        "update_tasks" => "think",
        _ => "other",
    }
}

/// A line that says what a call is about.
pub(super) fn title_of(call: &ToolCall) -> String {
    let arguments = call.parse().unwrap_or_default();
    let telling = |name: &&str| arguments.get(*name).and_then(Value::as_str);
    let told = TELLING.iter().find_map(telling).unwrap_or_default();
    let line = told.lines().next().unwrap_or_default();
    let title = format!("{} {line}", call.name);
    title.trim_end().chars().take(TITLE).collect()
}

/// The result of a call as blocks.
pub(super) fn blocks(parts: &[ResultPart]) -> Vec<Value> {
    parts.iter().map(block).map(|content| json!({"type": "content", "content": content})).collect()
}

fn block(part: &ResultPart) -> Value {
    match part {
        ResultPart::Image(image) => match &image.source {
            MediaSource::Base64(data) => image_block(data, &image.media_type),
            MediaSource::Url(url) => text_block(url),
            _ => text_block(&image.media_type),
        },
        ResultPart::File(file) => text_block(file.name.as_deref().unwrap_or(&file.media_type)),
        part => text_block(&part.text()),
    }
}
