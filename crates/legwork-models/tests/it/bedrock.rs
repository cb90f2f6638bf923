//! Amazon Bedrock's Converse: recorded answers, frames, requests by the official types.

mod answers;
mod frames;
mod http;
mod oracle;
mod recordings;
mod requests;
mod schema;

use legwork_core::inference::ModelRequest;
use legwork_models::answer::Streaming;
use legwork_models::{HttpModel, bedrock};
use serde_json::Value;

/// A Claude at Bedrock.
const CLAUDE: &str = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";

fn model(id: &str) -> HttpModel {
    bedrock::converse("us-east-1", id).build().unwrap()
}

fn sent(model: &HttpModel, request: &ModelRequest) -> Value {
    serde_json::from_slice(&model.body(request, Streaming::No).unwrap()).unwrap()
}
