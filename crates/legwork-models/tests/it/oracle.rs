//! What an answer means, worked out another way than the crate does it.

use serde_json::{Map, Value, json};

/// One row of a recording.
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) status: u16,
    pub(crate) content_type: String,
    pub(crate) body: String,
    pub(crate) streaming: bool,
    pub(crate) path: String,
}

impl Row {
    fn read(line: &str) -> Self {
        let row: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        Self {
            name: format!("{}#{}", text("name"), row["index"]),
            status: row["status"].as_u64().unwrap() as u16,
            content_type: row["response_headers"]["content-type"].as_str().unwrap().to_owned(),
            body: text("response_body"),
            streaming: row["streaming"] == true,
            path: text("path"),
        }
    }

    pub(crate) fn is_responses(&self) -> bool {
        self.path.ends_with("/responses")
    }

    pub(crate) fn is_chat(&self) -> bool {
        self.path.ends_with("/chat/completions")
    }
}

/// The rows of a recording; none when it is not there.
pub(crate) fn rows(file: &str) -> Vec<Row> {
    let bytes = crate::shared(&format!("recordings/{file}.jsonl")).unwrap_or_default();
    String::from_utf8(bytes).unwrap().lines().map(Row::read).collect()
}

/// The summary that the row's answer should come to.
pub(crate) fn expected(row: &Row) -> Value {
    let body =
        if row.streaming { merged(&row.body) } else { serde_json::from_str(&row.body).unwrap() };
    if let Some(error) = body.get("error") {
        let code = error["code"]
            .as_str()
            .map(str::to_owned)
            .or(error["code"].as_u64().map(|n| n.to_string()));
        return json!({"error": {
            "status": error["status_code"].as_u64().unwrap_or(row.status.into()),
            "code": code, "message": error["message"]}});
    }
    let choice = &body["choices"][0];
    let message = &choice["message"];
    let calls: Vec<Value> = list(&message["tool_calls"]).iter().map(call).collect();
    let usage = &body["usage"];
    json!({
        "text": text(&message["content"], "text"),
        "thinking": text(&message["content"], "thinking")
            + &first_text(&[&message["reasoning_content"], &message["reasoning"]]),
        "refusal": message["refusal"].as_str().unwrap_or_default(),
        "calls": calls,
        "finish": choice["finish_reason"],
        "usage": [usage["prompt_tokens"], usage["completion_tokens"]],
    })
}

fn call(call: &Value) -> Value {
    let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
    json!([call["id"], call["function"]["name"], arguments])
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn first_text(of: &[&Value]) -> String {
    of.iter().filter_map(|v| v.as_str()).find(|t| !t.is_empty()).unwrap_or_default().to_owned()
}

/// The text in content of one kind: a string, or a list of typed parts.
fn text(content: &Value, kind: &str) -> String {
    if let (Some(text), "text") = (content.as_str(), kind) {
        return text.to_owned();
    }
    let parts = list(content).iter().filter(|part| part["type"] == kind);
    parts
        .map(|part| part[kind].as_str().map_or_else(|| text(&part[kind], "text"), str::to_owned))
        .collect()
}

/// A stream's chunks merged into one body, as a slow reader would do it.
fn merged(stream: &str) -> Value {
    let (mut message, mut finish, mut usage) = (Map::new(), Value::Null, Value::Null);
    for line in stream.lines().filter_map(|line| line.strip_prefix("data: {")) {
        let chunk: Value = serde_json::from_str(&format!("{{{line}")).unwrap();
        if let Some(error) = chunk.get("error") {
            return json!({"error": error});
        }
        let usages = [&chunk["usage"], &chunk["x_groq"]["usage"]];
        usage = usages.into_iter().find(|u| !u.is_null()).unwrap_or(&usage).clone();
        for choice in list(&chunk["choices"]) {
            finish =
                Some(&choice["finish_reason"]).filter(|f| !f.is_null()).unwrap_or(&finish).clone();
            for (key, value) in choice["delta"].as_object().unwrap() {
                add(message.entry(key).or_insert(Value::Null), value);
            }
        }
    }
    json!({"choices": [{"message": message, "finish_reason": finish}], "usage": usage})
}

fn add(kept: &mut Value, new: &Value) {
    match (&mut *kept, new) {
        (_, Value::Null) => {}
        (Value::String(kept), Value::String(new)) => kept.push_str(new),
        (Value::Array(kept), Value::Array(new))
            if new.iter().any(|n| n.get("function").is_some()) =>
        {
            for piece in new {
                let at = piece["index"].as_u64().unwrap() as usize;
                match kept.get_mut(at) {
                    Some(call) => {
                        add(&mut call["function"]["arguments"], &piece["function"]["arguments"])
                    }
                    None => kept.push(piece.clone()),
                }
            }
        }
        (Value::Array(kept), Value::Array(new)) => kept.extend(new.iter().cloned()),
        // Mistral's content is a list while it thinks and text after it.
        (Value::Array(kept), Value::String(text)) => {
            kept.push(json!({"type": "text", "text": text}))
        }
        (Value::String(text), Value::Array(new)) => {
            let before = json!({"type": "text", "text": text});
            *kept = Value::Array([before].into_iter().chain(new.iter().cloned()).collect());
        }
        (kept, new) => *kept = new.clone(),
    }
}
