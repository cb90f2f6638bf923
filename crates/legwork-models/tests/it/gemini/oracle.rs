//! What a recorded answer means, worked out another way than the crate does it.

use legwork_core::message::{ProviderData, Text, Thinking};
use legwork_core::{Part, Response};
use serde_json::{Value, json};

/// One row of the recording.
pub(super) struct Row {
    pub(super) name: String,
    pub(super) model: String,
    pub(super) request: Value,
    pub(super) status: u16,
    pub(super) content_type: String,
    pub(super) body: String,
    pub(super) streaming: bool,
}

impl Row {
    fn read(line: &str) -> Self {
        let row: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| row[key].as_str().unwrap().to_owned();
        let path = text("path");
        let (_, name) = path.rsplit_once("/models/").unwrap();
        Self {
            name: format!("{}#{}", text("name"), row["index"]),
            model: name.split(':').next().unwrap().to_owned(),
            request: row["request"].clone(),
            status: row["status"].as_u64().unwrap() as u16,
            content_type: row["response_headers"]["content-type"].as_str().unwrap().to_owned(),
            body: text("response_body"),
            streaming: row["streaming"] == true,
        }
    }

    /// The answer's chunks; a whole body is one.
    pub(super) fn chunks(&self) -> Vec<Value> {
        if !self.streaming {
            return vec![serde_json::from_str(&self.body).unwrap()];
        }
        let events = self.body.split("\r\n\r\n").filter(|event| !event.is_empty());
        let json = events.map(|event| event.strip_prefix("data: ").unwrap());
        json.map(|json| serde_json::from_str(json).unwrap()).collect()
    }
}

/// The rows of the recording; none when it is not there.
pub(super) fn rows() -> Vec<Row> {
    let bytes = crate::shared("recordings/google.jsonl").unwrap_or_default();
    String::from_utf8(bytes).unwrap().lines().map(Row::read).collect()
}

/// The parts as they came, with neighbouring texts joined that nothing holds apart, and without
/// those that say nothing.
pub(super) fn parts(chunks: &[Value]) -> Vec<Value> {
    let mut joined: Vec<Value> = Vec::new();
    let all =
        chunks.iter().filter_map(|chunk| chunk["candidates"][0]["content"]["parts"].as_array());
    for part in all.flatten() {
        let plain = part.get("text").is_some() && part.get("thoughtSignature").is_none();
        match joined.last_mut() {
            _ if plain && part["text"] == "" => {}
            Some(last)
                if plain
                    && last.get("text").is_some()
                    && last.get("thoughtSignature").is_none()
                    && last.get("thought") == part.get("thought") =>
            {
                last["text"] =
                    json!([&last["text"], &part["text"]].map(|t| t.as_str().unwrap()).concat());
            }
            _ => joined.push(part.clone()),
        }
    }
    joined
}

/// The summary that the row's answer should come to.
pub(super) fn expected(row: &Row) -> Value {
    let chunks = row.chunks();
    let last = chunks.last().unwrap();
    if let Some(error) = last.get("error") {
        return json!({"status": row.status, "code": error["status"], "message": error["message"]});
    }
    let id = last["responseId"].as_str();
    let mut calls = 0;
    let parts: Vec<Value> = parts(&chunks)
        .into_iter()
        .map(|mut part| {
            if part.get("functionCall").is_some() && part["functionCall"].get("id").is_none() {
                let made = id.map_or(format!("call_{calls}"), |id| format!("call_{id}_{calls}"));
                part["functionCall"]["id"] = made.into();
            }
            calls += usize::from(part.get("functionCall").is_some());
            part
        })
        .collect();
    let usage = |key: &str| last["usageMetadata"][key].as_u64().unwrap_or(0);
    let thoughts = usage("thoughtsTokenCount");
    // What is empty says nothing.
    let mut grounding = chunks.iter().filter_map(|c| c["candidates"][0].get("groundingMetadata"));
    let grounding = grounding.rfind(|fields| **fields != json!({}));
    json!({
        "parts": parts,
        "finish": match last["candidates"][0]["finishReason"].as_str().unwrap() {
            "STOP" if calls > 0 => "tool_calls",
            "STOP" => "stop",
            "MAX_TOKENS" => "length",
            other => other,
        },
        "incomplete": null,
        "usage": {
            "input": usage("promptTokenCount") + usage("toolUsePromptTokenCount"),
            "output": usage("candidatesTokenCount") + thoughts,
            "reasoning": thoughts,
            "cache_read": usage("cachedContentTokenCount"),
        },
        "model": last["modelVersion"],
        "id": id,
        "grounding": grounding,
    })
}

/// An answer in the same form.
pub(super) fn summary(response: &Response) -> Value {
    let usage = response.usage.unwrap();
    json!({
        "parts": response.message.parts.iter().map(part).collect::<Vec<_>>(),
        "finish": response.finish.as_str(),
        "incomplete": response.incomplete.as_ref().map(|why| why.as_str()),
        "usage": {"input": usage.input, "output": usage.output, "reasoning": usage.reasoning,
                  "cache_read": usage.cache_read},
        "model": response.model,
        "id": response.id,
        "grounding": response.raw.get("choice").and_then(|choice| choice.get("groundingMetadata")),
    })
}

/// A part as it must have come.
fn part(part: &Part) -> Value {
    let (mut value, provider) = match part {
        Part::Text(Text { text, provider, .. }) => (json!({"text": text}), provider),
        Part::Thinking(Thinking { text, provider, .. }) => {
            (json!({"text": text, "thought": true}), provider)
        }
        Part::ToolCall(call) => {
            let function = json!({"id": call.id, "name": call.name, "args": call.parse().unwrap()});
            (json!({"functionCall": function}), &call.provider)
        }
        Part::Other(value) => (value.clone(), &None),
        other => panic!("{other:?}"),
    };
    if let Some(ProviderData { data, .. }) = provider {
        let data = data.value();
        assert_eq!(data.as_object().unwrap().len(), 1, "{data}");
        value["thoughtSignature"] = data["thoughtSignature"].clone();
    }
    value
}
