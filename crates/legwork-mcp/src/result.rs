//! Results of calls, as a model reads them.

use legwork_core::ToolOutcome;
use legwork_core::message::{File, Image, MediaSource, ResultPart};
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::Value;

/// The outcome of a call that was answered.
pub(crate) fn outcome(result: CallToolResult) -> ToolOutcome {
    let CallToolResult { content, structured_content, is_error, .. } = result;
    let mut parts: Vec<_> = content.into_iter().map(part).collect();
    if let Some(value) = structured_content.filter(|value| !says(&parts, value)) {
        parts.push(ResultPart::Json(value));
    }
    if is_error == Some(true) {
        let words: Vec<_> = parts.iter().map(|part| part.text().into_owned()).collect();
        return ToolOutcome::failed(words.join("\n"));
    }
    ToolOutcome::parts(or_nothing(parts))
}

/// Parts, or words for none.
pub(crate) fn or_nothing(parts: Vec<ResultPart>) -> Vec<ResultPart> {
    match parts.is_empty() {
        true => vec![ResultPart::Text("(it gave no content)".to_owned())],
        false => parts,
    }
}

/// Whether a text says a value already: servers give structured content as text, too.
fn says(parts: &[ResultPart], value: &Value) -> bool {
    parts.iter().any(|part| match part {
        ResultPart::Text(text) => {
            serde_json::from_str::<Value>(text).is_ok_and(|said| said == *value)
                || value.as_object().is_some_and(|fields| {
                    fields.len() == 1 && fields.values().any(|field| field == text)
                })
        }
        _ => false,
    })
}

pub(crate) fn part(content: ContentBlock) -> ResultPart {
    match content {
        ContentBlock::Text(text) => ResultPart::Text(text.text),
        ContentBlock::Image(image) => media(None, image.mime_type, image.data),
        ContentBlock::Audio(audio) => media(None, audio.mime_type, audio.data),
        ContentBlock::Resource(resource) => embedded(resource.resource),
        ContentBlock::ResourceLink(link) => {
            let of = link.mime_type.map_or_else(String::new, |of| format!(", {of}"));
            ResultPart::Text(format!("[resource {}: {}{of}]", link.name, link.uri))
        }
        // What a newer protocol knows.
        _ => ResultPart::Text("[content of an unknown kind]".to_owned()),
    }
}

pub(crate) fn embedded(resource: ResourceContents) -> ResultPart {
    match resource {
        ResourceContents::TextResourceContents { uri, text, .. } => {
            ResultPart::Text(format!("[resource {uri}]\n{text}"))
        }
        ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
            let name = uri.rsplit('/').next().filter(|name| !name.is_empty()).map(str::to_owned);
            let of = mime_type.unwrap_or_else(|| "application/octet-stream".to_owned());
            media(name, of, blob)
        }
        _ => ResultPart::Text("[a resource of an unknown kind]".to_owned()),
    }
}

fn media(name: Option<String>, media_type: String, bytes: String) -> ResultPart {
    let source = MediaSource::Base64(bytes);
    match media_type.starts_with("image/") {
        true => ResultPart::Image(Image { media_type, source }),
        false => ResultPart::File(File { name, media_type, source }),
    }
}

#[cfg(test)]
mod tests;
