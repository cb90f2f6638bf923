//! What an answer of Converse means, worked out over values.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

/// One row of the recording.
pub(super) struct Row {
    pub(super) name: String,
    /// The id of the model.
    pub(super) model: String,
    pub(super) path: String,
    pub(super) request: Value,
    pub(super) status: u16,
    pub(super) content_type: String,
    pub(super) body: Vec<u8>,
    /// The events of a stream, as they were recorded.
    events: Option<Vec<Value>>,
}

impl Row {
    fn read(line: &str) -> Self {
        let row: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let path = text("path");
        let model = path.split('/').nth(2).unwrap().replace("%3A", ":");
        let body = match row["response_body_b64"].as_str() {
            Some(encoded) => STANDARD.decode(encoded).unwrap(),
            None => text("response_body").into_bytes(),
        };
        Self {
            name: format!("{}#{}", text("name"), row["index"]),
            model,
            path,
            request: row["request"].clone(),
            status: row["status"].as_u64().unwrap() as u16,
            content_type: row["response_headers"]["content-type"].as_str().unwrap().to_owned(),
            body,
            events: row["response_events"].as_array().cloned(),
        }
    }

    pub(super) fn is_stream(&self) -> bool {
        self.events.is_some()
    }

    /// The answer as a whole body has it.
    pub(super) fn answer(&self) -> Value {
        match &self.events {
            Some(events) => merged(events),
            None => serde_json::from_slice(&self.body).unwrap(),
        }
    }
}

/// The rows of the recording; none when it is not there.
pub(super) fn rows() -> Vec<Row> {
    let bytes = crate::shared("recordings/bedrock.jsonl").unwrap_or_default();
    String::from_utf8(bytes).unwrap().lines().map(Row::read).collect()
}

/// The summary that a row should come to.
pub(super) fn expected(row: &Row) -> Value {
    let body = row.answer();
    if row.status != 200 {
        return json!({"error": {"status": row.status, "code": null, "message": body["message"]}});
    }
    let blocks = body["output"]["message"]["content"].as_array().unwrap();
    let all = |path: &str| -> String {
        blocks.iter().filter_map(|block| block.pointer(path)?.as_str()).collect()
    };
    let is_own = |call: &&Value| call["type"] != "server_tool_use";
    let calls = blocks.iter().filter_map(|block| block.get("toolUse")).filter(is_own);
    let calls = calls.map(|call| json!([call["toolUseId"], call["name"], call["input"]]));
    let usage = &body["usage"];
    let count = |key: &str| usage[key].as_u64().unwrap_or(0);
    json!({
        "text": all("/text"),
        "thinking": all("/reasoningContent/reasoningText/text"),
        "refusal": "",
        "calls": calls.collect::<Vec<_>>(),
        "finish": match body["stopReason"].as_str().unwrap() {
            "end_turn" | "stop_sequence" => "stop",
            "tool_use" => "tool_calls",
            "max_tokens" => "length",
            other => other,
        },
        "usage": [
            count("inputTokens") + count("cacheReadInputTokens") + count("cacheWriteInputTokens"),
            count("outputTokens"),
        ],
    })
}

/// The body that the events of a stream come to.
fn merged(events: &[Value]) -> Value {
    let mut blocks: Vec<(Map<String, Value>, String)> = Vec::new();
    let (mut stop, mut usage) = (Value::Null, Value::Null);
    for event in events {
        let payload = &event["payload"];
        let index = payload["contentBlockIndex"].as_u64().unwrap_or(0) as usize;
        while blocks.len() <= index {
            blocks.push(Default::default());
        }
        let (block, input) = &mut blocks[index];
        match event["event"].as_str().unwrap() {
            "contentBlockStart" => *block = payload["start"].as_object().unwrap().clone(),
            "contentBlockDelta" => match payload["delta"].as_object().unwrap().iter().next() {
                Some((key, Value::String(text))) => add(block, key, text),
                Some((key, delta)) if key == "toolUse" => {
                    input.push_str(delta["input"].as_str().unwrap());
                }
                Some((key, delta)) if key == "toolResult" => {
                    block[key]["content"] = delta.clone();
                }
                Some((key, delta)) => thought(block, key, delta),
                None => panic!("an empty delta"),
            },
            "messageStop" => stop = payload["stopReason"].clone(),
            "metadata" => usage = payload["usage"].clone(),
            _ => {}
        }
    }
    let blocks = blocks.into_iter().filter(|(block, _)| !block.is_empty());
    let blocks = blocks.map(|(mut block, input)| {
        if let Some(call) = block.get_mut("toolUse") {
            call["input"] = serde_json::from_str(&input).unwrap_or(json!({}));
        }
        Value::Object(block)
    });
    let content: Vec<_> = blocks.filter(|block| block["text"] != "").collect();
    json!({"output": {"message": {"content": content}}, "stopReason": stop, "usage": usage})
}

fn add(into: &mut Map<String, Value>, key: &str, text: &str) {
    let said = into.get(key).and_then(Value::as_str).unwrap_or_default();
    into.insert(key.to_owned(), json!(said.to_owned() + text));
}

fn thought(block: &mut Map<String, Value>, key: &str, delta: &Value) {
    assert_eq!(key, "reasoningContent");
    for (field, text) in delta.as_object().unwrap() {
        let thought = block.entry(key).or_insert_with(|| match &**field {
            "redactedContent" => json!({}),
            _ => json!({"reasoningText": {}}),
        });
        let into = match &**field {
            "redactedContent" => thought,
            _ => &mut thought["reasoningText"],
        };
        add(into.as_object_mut().unwrap(), field, text.as_str().unwrap());
    }
}
