//! What a person says in the editor, as a message.

use legwork_core::message::{Image, MediaSource};
use legwork_core::{Message, Part, Role};

use crate::wire::{ContentBlock, Failure, Resource};

/// The message of a prompt.
///
/// # Errors
/// When it is empty, or a model cannot read part of it.
pub(crate) fn message(blocks: Vec<ContentBlock>) -> Result<Message, Failure> {
    let parts = blocks.into_iter().map(part).collect::<Result<Vec<_>, _>>()?;
    if parts.iter().all(|part| part.as_text().is_some_and(|text| text.trim().is_empty())) {
        return Err(Failure::params("the prompt is empty"));
    }
    Ok(Message::new(Role::User, parts))
}

/// The text of a prompt, if it is nothing but text.
pub(crate) fn text(blocks: &[ContentBlock]) -> Option<String> {
    let text = |block: &ContentBlock| match block {
        ContentBlock::Text { text } => Some(text.clone()),
        _ => None,
    };
    blocks.iter().map(text).collect()
}

/// Whether a prompt has a picture.
pub(crate) fn has_image(message: &Message) -> bool {
    message.parts.iter().any(|part| matches!(part, Part::Image(_)))
}

fn part(block: ContentBlock) -> Result<Part, Failure> {
    match block {
        ContentBlock::Text { text } => Ok(Part::text(text)),
        ContentBlock::Image { data, mime_type } => Ok(image(data, mime_type)),
        ContentBlock::ResourceLink { name, uri } => Ok(Part::text(link(&name, &uri))),
        ContentBlock::Resource { resource } => embedded(resource),
        ContentBlock::Audio => Err(Failure::params("audio is not supported: send text")),
        ContentBlock::Unknown => {
            Err(Failure::params("the prompt has a block of an unknown kind: send text"))
        }
    }
}

fn image(data: String, media_type: String) -> Part {
    Part::Image(Image { media_type, source: MediaSource::Base64(data) })
}

/// A file that the person names, to be read with a tool.
fn link(name: &str, uri: &str) -> String {
    let place = uri.strip_prefix("file://").unwrap_or(uri);
    match place.ends_with(name) {
        true => format!("[{place}]"),
        false => format!("[{name}: {place}]"),
    }
}

/// A file that the person gives.
fn embedded(resource: Resource) -> Result<Part, Failure> {
    let Resource { uri, mime_type, text, blob } = resource;
    let place = uri.strip_prefix("file://").unwrap_or(&uri);
    if let Some(text) = text {
        return Ok(Part::text(format!("\n<file path={place:?}>\n{text}\n</file>\n")));
    }
    match (blob, mime_type.filter(|kind| kind.starts_with("image/"))) {
        (Some(blob), Some(kind)) => Ok(image(blob, kind)),
        _ => Err(Failure::params(format!("{place} is neither text nor a picture"))),
    }
}
