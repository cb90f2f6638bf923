//! An answer that is kept, and sent back over each wire.

use std::sync::LazyLock;

use legwork_core::message::{Author, ToolResult};
use legwork_core::{Message, ModelRequest, ModelSettings, Response};
use legwork_models::answer::Streaming;
use legwork_models::{Api, Builder, HttpModel};
use serde::de::IgnoredAny;
use serde_json::Value;

/// A model of each wire.
static MODELS: LazyLock<Vec<HttpModel>> = LazyLock::new(|| {
    let built = Api::ALL.iter().map(|api| {
        let name = match api.name() {
            "messages" => "claude-sonnet-4-6",
            "gemini" => "gemini-3-pro-preview",
            "bedrock" => "anthropic.claude-sonnet-4-5-20250929-v1:0",
            _ => "gpt-5-mini",
        };
        Builder::new(*api, "https://models.example.com/v1", name).build()
    });
    built.map(|model| model.unwrap_or_else(|error| panic!("{error}"))).collect()
});

/// Makes the models, whose memory is no answer's.
pub(super) fn get_ready() {
    LazyLock::force(&MODELS);
}

/// The name of a model of a wire.
fn named(api: Api) -> &'static str {
    let model = MODELS.iter().find(|model| model.api() == api);
    model.map(legwork_port::Model::name).unwrap_or_default()
}

/// The provider of a wire, as in `provider:model`.
pub(super) fn provider(api: Api) -> &'static str {
    named(api).split(':').next().unwrap_or_default()
}

/// A journal gives it back as it was, and each wire can send it.
pub(super) fn again(api: Api, response: &Response) {
    let response = response.clone().by(|| Author::Model(named(api).into())).for_journal();
    let read = match serde_json::to_string(&response) {
        Ok(written) => serde_json::from_str::<Response>(&written),
        Err(error) => panic!("it cannot be journaled: {error}"),
    };
    // What came is not journaled.
    let kept = Response { came: 0, ..response };
    assert!(read.as_ref().ok() == Some(&kept), "journaled it is {read:?}, not {kept:?}");
    MODELS.iter().for_each(|model| sent(model, &kept));
}

/// Sends an answer back with the results of its calls.
fn sent(model: &HttpModel, response: &Response) {
    let message = response.message.as_ref().clone();
    let results: Vec<_> = message
        .tool_calls()
        .map(|call| ToolResult::new(call.id.clone(), call.name.clone(), "done"))
        .collect();
    let request = ModelRequest::blank(ModelSettings::default().into())
        .with_message(Message::user("Hi?"))
        .with_message(message);
    let results = results.into_iter().map(Message::tool_result);
    let request = results.fold(request, ModelRequest::with_message);
    match model.body(&request, Streaming::Yes) {
        Ok(body) => is_json(model, &body),
        Err(error) if response.incomplete.is_none() => panic!("it is not sent back: {error}"),
        Err(_) => {}
    }
}

fn is_json(model: &HttpModel, body: &[u8]) {
    let read = match serde_json::from_slice::<Value>(body) {
        // What is around a value that is nested as deeply as is allowed adds some levels.
        Err(error) if error.to_string().starts_with("recursion") => {
            serde_json::from_slice::<IgnoredAny>(body).map(drop)
        }
        read => read.map(drop),
    };
    let name = legwork_port::Model::name(model);
    let shown = || String::from_utf8_lossy(body);
    assert!(read.is_ok(), "{name}: {read:?}: {}", shown());
}
