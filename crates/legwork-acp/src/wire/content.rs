//! What a person says in the editor, in blocks.

use serde::Deserialize;

/// A block of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum ContentBlock {
    Text {
        text: String,
    },
    Image {
        data: String,
        #[serde(rename = "mimeType")]
        mime_type: String,
    },
    Audio,
    ResourceLink {
        name: String,
        uri: String,
    },
    Resource {
        resource: Resource,
    },
    #[serde(other)]
    Unknown,
}

/// A resource that a prompt holds.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Resource {
    pub(crate) uri: String,
    pub(crate) mime_type: Option<String>,
    /// Its text; none if it is given in bytes.
    pub(crate) text: Option<String>,
    /// Its bytes in Base64.
    pub(crate) blob: Option<String>,
}
