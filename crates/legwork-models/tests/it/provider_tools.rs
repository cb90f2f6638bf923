//! Tools that a provider runs itself go beside the functions of a request, in each API.

use std::sync::Arc;

use legwork_core::tool::ToolSpecs;
use legwork_core::{Message, ModelRequest, ModelSettings, ToolSpec};
use legwork_models::answer::Streaming;
use legwork_models::{Builder, anthropic, gemini, openai};
use serde_json::{Map, Value, json};

fn request(tools: Vec<ToolSpec>, extra: Option<Value>) -> ModelRequest {
    let extra = extra.map(|tools| ("tools".to_owned(), tools));
    let extra = Map::from_iter(extra);
    let settings = ModelSettings { extra, ..ModelSettings::default() };
    let mut request = ModelRequest::blank(Arc::new(settings)).with_message(Message::user("Hi?"));
    let tools = ToolSpecs::new(tools.into_iter().map(Arc::new).collect());
    request.tools = Arc::new(tools);
    request
}

#[test]
fn they_come_behind_the_functions_from_the_builder_and_from_the_settings() {
    let own = || ToolSpec::new("add", "Adds.", json!({"type": "object"}));
    let (one, other) = (json!({"type": "one"}), json!({"type": "other"}));
    let apis: [fn() -> Builder; 3] = [
        || openai::chat("https://x/v1", "glm-5"),
        || openai::responses("https://x/v1", "gpt-5-mini"),
        || anthropic::messages("https://x/v1", "claude-sonnet-4-6"),
    ];
    for api in apis {
        let tools = |builder: Builder, request: &ModelRequest| {
            let body = builder.build().unwrap().body(request, Streaming::No).unwrap();
            let body = String::from_utf8(body.to_vec()).unwrap();
            assert_eq!(body.matches("\"tools\":").count(), 1, "{body}");
            serde_json::from_str::<Value>(&body).unwrap()["tools"].clone()
        };
        let with = || api().field("tools", json!([one]));
        let all = tools(with(), &request(vec![own()], Some(json!([other]))));
        assert_eq!(all.as_array().unwrap().len(), 3, "{all}");
        assert!(all[0].to_string().contains("\"add\""), "{all}");
        assert_eq!((&all[1], &all[2]), (&one, &other));
        assert_eq!(tools(with(), &request(vec![], None)), json!([one]));
        let refused = api().build().unwrap();
        let error = refused.body(&request(vec![], Some(json!("web"))), Streaming::No).unwrap_err();
        assert!(error.message.contains("`tools` is not a list"), "{}", error.message);
    }
    let google = gemini::generate_content("https://x/v1beta", "gemini-3-pro-preview");
    let google = google.field("tools", json!([{"googleSearch": {}}])).build().unwrap();
    let body = google.body(&request(vec![own()], None), Streaming::No).unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(body["tools"][1], json!({"googleSearch": {}}));
}
