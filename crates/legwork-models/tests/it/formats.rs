//! The format of an answer, as each API is asked for it.

use std::sync::Arc;

use legwork_core::{Message, ModelRequest};
use legwork_models::answer::Streaming;
use legwork_models::{Builder, anthropic, bedrock, gemini, openai};
use serde_json::{Value, json};

fn body(of: Builder, schema: Value) -> Result<Value, String> {
    let mut request = ModelRequest::blank(Arc::default()).with_message(Message::user("Hi?"));
    request.response_format = Some(Arc::new(schema));
    let body = of.build().unwrap().body(&request, Streaming::No);
    body.map(|body| serde_json::from_slice(&body).unwrap()).map_err(|error| error.message)
}

fn chat() -> Builder {
    openai::chat("https://x/v1", "gpt-5-mini")
}

fn responses() -> Builder {
    openai::responses("https://x/v1", "gpt-5-mini")
}

#[test]
fn the_schema_of_any_object_is_json_mode() {
    let any = || json!({"type": "object"});
    let mode = json!({"type": "json_object"});
    assert_eq!(body(chat(), any()).unwrap()["response_format"], mode);
    assert_eq!(body(responses(), any()).unwrap()["text"], json!({"format": mode}));
    let google = gemini::generate_content("https://x/v1beta", "gemini-3-pro-preview");
    let config = body(google, any()).unwrap()["generationConfig"].clone();
    assert_eq!(config, json!({"responseMimeType": "application/json"}));
    for without in [
        anthropic::messages("https://x/v1", "claude-sonnet-4-6"),
        bedrock::converse("us-east-1", "anthropic.claude-sonnet-4-6"),
    ] {
        let said = body(without, any()).unwrap_err();
        assert!(said.contains("no JSON mode") && said.contains("a fenced block"), "{said}");
    }
}

#[test]
fn a_schema_is_held_strictly_where_the_api_can_hold_it() {
    let closed = |properties: Value, required: Value| {
        json!({"type": "object", "properties": properties, "required": required,
               "additionalProperties": false})
    };
    let text = || json!({"type": "string"});
    let cases = [
        (closed(json!({"a": text()}), json!(["a"])), true),
        (closed(json!({}), json!([])), true),
        (closed(json!({"a": text(), "b": text()}), json!(["a"])), false),
        (json!({"type": "object", "properties": {"a": text()}, "required": ["a"]}), false),
        (json!({"title": "T", "type": "object"}), false),
        (closed(json!({"a": {"type": ["object", "null"]}}), json!(["a"])), false),
        (closed(json!({"a": {"anyOf": [text(), {"type": "object"}]}}), json!(["a"])), false),
        (closed(json!({"a": {"type": "array", "items": {"type": "object"}}}), json!(["a"])), false),
        (
            json!({"$defs": {"t": {"type": "object"}}, "type": "object",
                   "properties": {"a": {"$ref": "#/$defs/t"}}, "required": ["a"],
                   "additionalProperties": false}),
            false,
        ),
    ];
    for (schema, strict) in cases {
        let format = body(chat(), schema.clone()).unwrap()["response_format"].clone();
        assert_eq!(format["json_schema"]["strict"], strict, "{schema}");
        assert_eq!(format["json_schema"]["schema"], schema);
        let format = body(responses(), schema.clone()).unwrap()["text"]["format"].clone();
        assert_eq!((&format["strict"], &format["schema"]), (&json!(strict), &schema));
    }
}
