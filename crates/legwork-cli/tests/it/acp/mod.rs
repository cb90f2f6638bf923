//! `legwork acp`: the built command, driven as an editor drives it; each line in both directions
//! is held against the schema of the protocol.

mod cancelled;
mod connection;
mod editor;
mod others;
mod permissions;
mod reopened;
mod schema;
mod shown;
mod stops;

use serde_json::Value;

/// The text of blocks of content.
fn text_of(content: &Value) -> String {
    let blocks = content.as_array().into_iter().flatten();
    blocks.filter_map(|block| block["content"]["text"].as_str()).collect()
}
