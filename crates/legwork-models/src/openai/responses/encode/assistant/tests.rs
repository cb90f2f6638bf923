use legwork_core::Part;
use legwork_core::message::{Message, ProviderData, Text, Thinking};
use serde_json::{Value, json};

use super::is_item;
use crate::openai::responses::encode::message::append;

fn check(parts: Vec<Part>, expected: Value) {
    let mut out = b"[".to_vec();
    append(&Message::assistant(parts), "openai", &mut out);
    out.push(b']');
    assert_eq!(serde_json::from_slice::<Value>(&out).unwrap(), expected);
}

fn own(data: Value) -> Option<ProviderData> {
    Some(ProviderData::new("openai", data))
}

#[test]
fn texts_of_one_message_become_that_message() {
    let text = |id: &str, text: &str| Text {
        text: text.to_owned(),
        id: Some(id.to_owned()),
        provider: own(json!({"type": "message", "annotations": [{"type": "x"}]})),
    };
    let parts = vec![
        Part::Text(text("m1", "One.")),
        Part::Refusal(text("m1", "No.")),
        Part::Text(text("m2", "Two.")),
        Part::text("Three."),
    ];
    let said = |text: &str| {
        json!({"type": "output_text", "text": text, "logprobs": [],
        "annotations": [{"type": "x"}]})
    };
    let message = |id: &str, content: Value| {
        json!({"type": "message", "role": "assistant",
        "id": id, "status": "completed", "content": content})
    };
    let expected = json!([
        message("m1", json!([said("One."), {"type": "refusal", "refusal": "No."}])),
        message("m2", json!([said("Two.")])),
        {"role": "assistant", "content": "Three."},
    ]);
    check(parts, expected);
}

#[test]
fn texts_of_one_reasoning_become_that_reasoning() {
    let thought = |id: Option<&str>, text: &str, data: Value| {
        let id = id.map(str::to_owned);
        Part::Thinking(Thinking { text: text.to_owned(), id, provider: own(data) })
    };
    let first = |key: &str| json!({"type": "reasoning", "encrypted_content": key});
    let next = json!({"type": "reasoning"});
    let content = json!({"type": "reasoning", "part": "reasoning_text"});
    let parts = vec![
        thought(Some("r1"), "One.", first("a")),
        thought(Some("r1"), "Two.", next.clone()),
        thought(Some("r1"), "Three.", content),
        thought(Some("r2"), "", first("b")),
        thought(None, "", first("c")),
        thought(None, "", first("d")),
    ];
    let said = |text: &str| json!({"type": "summary_text", "text": text});
    let expected = json!([
        {"type": "reasoning", "id": "r1", "encrypted_content": "a",
            "summary": [said("One."), said("Two.")],
            "content": [{"type": "reasoning_text", "text": "Three."}]},
        {"type": "reasoning", "id": "r2", "encrypted_content": "b", "summary": []},
        {"type": "reasoning", "encrypted_content": "c", "summary": []},
        {"type": "reasoning", "encrypted_content": "d", "summary": []},
    ]);
    check(parts, expected);
}

#[test]
fn items_are_told_from_parts_of_chat_completions() {
    let is = |kind: &str| is_item(&json!({"type": kind}));
    let items = ["web_search_call", "mcp_approval_request", "compaction", "tool_search_output"];
    assert!(items.into_iter().all(is));
    assert!(!["audio", "image_url", "document_url", "text", ""].into_iter().any(is));
    assert!(!is_item(&json!([1])));
}
