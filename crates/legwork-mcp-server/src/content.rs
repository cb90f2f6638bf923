//! What results, resources and prompts hold.

use legwork_core::message::{MediaSource, ResultPart};
use rmcp::model::{ContentBlock, PromptMessage, ResourceContents, Role};

/// A part of a result.
#[derive(Debug, Clone, PartialEq)]
pub struct Content(pub(crate) ContentBlock);

impl Content {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self(ContentBlock::text(text))
    }

    /// A picture, in standard base64.
    pub fn image(media_type: impl Into<String>, base64: impl Into<String>) -> Self {
        Self(ContentBlock::image(base64, media_type))
    }

    /// A sound, in standard base64.
    pub fn audio(media_type: impl Into<String>, base64: impl Into<String>) -> Self {
        Self(ContentBlock::audio(base64, media_type))
    }

    /// A resource with its contents.
    pub fn resource(contents: Contents) -> Self {
        Self(ContentBlock::resource(contents.0))
    }
}

impl From<&ResultPart> for Content {
    fn from(part: &ResultPart) -> Self {
        match part {
            ResultPart::Image(image) => match &image.source {
                MediaSource::Base64(bytes) => Self::image(&image.media_type, bytes),
                _ => Self::text(part.text()),
            },
            ResultPart::File(file) => match &file.source {
                MediaSource::Base64(bytes) if file.media_type.starts_with("audio/") => {
                    Self::audio(&file.media_type, bytes)
                }
                MediaSource::Base64(bytes) => {
                    let name = file.name.as_deref().unwrap_or("file");
                    let uri = format!("legwork://result/{name}");
                    Self::resource(Contents::base64(uri, &file.media_type, bytes))
                }
                _ => Self::text(part.text()),
            },
            part => Self::text(part.text()),
        }
    }
}

/// The contents of a resource.
#[derive(Debug, Clone, PartialEq)]
pub struct Contents(pub(crate) ResourceContents);

impl Contents {
    /// A text.
    pub fn text(
        uri: impl Into<String>,
        media_type: impl Into<String>,
        text: impl Into<String>,
    ) -> Self {
        Self(ResourceContents::text(text, uri).with_mime_type(media_type))
    }

    /// Bytes, in standard base64.
    pub fn base64(
        uri: impl Into<String>,
        media_type: impl Into<String>,
        base64: impl Into<String>,
    ) -> Self {
        Self(ResourceContents::blob(base64, uri).with_mime_type(media_type))
    }
}

/// A message of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Said(pub(crate) PromptMessage);

impl Said {
    /// What the user says.
    pub fn user(content: Content) -> Self {
        Self(PromptMessage::new(Role::User, content.0))
    }

    /// What the model said.
    pub fn assistant(content: Content) -> Self {
        Self(PromptMessage::new(Role::Assistant, content.0))
    }
}
