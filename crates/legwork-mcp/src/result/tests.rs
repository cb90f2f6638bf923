use legwork_core::ToolOutcome;
use legwork_core::message::{File, Image, MediaSource, ResultPart};
use rmcp::model::CallToolResult;
use serde_json::{Value, json};

use super::outcome;

fn of(result: Value) -> ToolOutcome {
    outcome(serde_json::from_value::<CallToolResult>(result).unwrap())
}

fn texts(texts: &[&str]) -> ToolOutcome {
    ToolOutcome::parts(texts.iter().map(|text| ResultPart::Text((*text).to_owned())))
}

#[test]
fn s18_6_each_kind_of_content_is_what_a_model_can_read() {
    let resource = json!({"uri": "file:///a/b.txt", "mimeType": "text/plain", "text": "so"});
    let blob = json!({"uri": "x://a/b.pdf", "mimeType": "application/pdf", "blob": "UERG"});
    let result = of(json!({"content": [
        {"type": "text", "text": "one"},
        {"type": "image", "data": "AAAA", "mimeType": "image/png"},
        {"type": "audio", "data": "BBBB", "mimeType": "audio/wav"},
        {"type": "resource", "resource": resource},
        {"type": "resource", "resource": blob},
        {"type": "resource_link", "uri": "x://y", "name": "y", "mimeType": "text/html"},
    ]}));
    let base64 = |bytes: &str| MediaSource::Base64(bytes.to_owned());
    let file = |name: Option<&str>, media_type: &str, bytes| {
        let (name, media_type) = (name.map(str::to_owned), media_type.to_owned());
        ResultPart::File(File { name, media_type, source: base64(bytes) })
    };
    let expected = ToolOutcome::parts([
        ResultPart::Text("one".to_owned()),
        ResultPart::Image(Image { media_type: "image/png".to_owned(), source: base64("AAAA") }),
        file(None, "audio/wav", "BBBB"),
        ResultPart::Text("[resource file:///a/b.txt]\nso".to_owned()),
        file(Some("b.pdf"), "application/pdf", "UERG"),
        ResultPart::Text("[resource y: x://y, text/html]".to_owned()),
    ]);
    assert_eq!(result, expected);
}

#[test]
fn s18_6_structured_content_is_read_once() {
    let both = of(json!({
        "content": [{"type": "text", "text": "{\"a\": 1}"}],
        "structuredContent": {"a": 1},
    }));
    assert_eq!(both, texts(&["{\"a\": 1}"]));
    let within = of(json!({
        "content": [{"type": "text", "text": "so"}],
        "structuredContent": {"content": "so"},
    }));
    assert_eq!(within, texts(&["so"]));
    let alone = of(json!({"content": [], "structuredContent": {"a": 1}}));
    assert_eq!(alone, ToolOutcome::parts([ResultPart::Json(json!({"a": 1}))]));
}

#[test]
fn s18_6_an_error_of_a_tool_is_a_failure_that_the_model_reads() {
    let failed = of(json!({"content": [{"type": "text", "text": "no"}], "isError": true}));
    assert_eq!(failed, ToolOutcome::failed("no"));
    assert_eq!(of(json!({"content": []})), texts(&["(it gave no content)"]));
}
