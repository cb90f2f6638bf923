//! Answers that are sent back as history.

use std::sync::Arc;

use legwork_core::Message;
use legwork_core::message::Author;
use legwork_models::answer::Ended;
use legwork_models::{Api, openai};
use serde_json::{Value, json};

use super::oracle::whole;
use super::{model, sent};
use crate::answers::read_of;
use crate::oracle::{Row, rows};
use crate::traffic::question;

/// An answer as the model `openai:m` gave it.
fn answer(row: &Row) -> Message {
    let pieces = [row.body.as_bytes()];
    let (result, _) = read_of(Api::Responses, 200, &row.content_type, pieces, Ended::Whole);
    let message = Arc::unwrap_or_clone(result.unwrap().message);
    message.by(Author::Model("openai:m".into()))
}

/// An item without the fields that say nothing.
fn bare(item: &Value) -> Value {
    let Value::Object(fields) = item else { return item.clone() };
    let says = |key: &str, value: &Value| match value {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        value => key != "status" || *value != "completed",
    };
    let fields = fields.iter().filter(|(key, value)| says(key, value));
    fields.map(|(key, value)| (key.clone(), inner(value))).collect()
}

fn inner(value: &Value) -> Value {
    value.as_array().map_or_else(|| value.clone(), |items| items.iter().map(bare).collect())
}

fn recorded() -> Vec<Row> {
    let rows = rows("openai_responses").into_iter().filter(Row::is_responses);
    rows.filter(|row| row.status == 200).collect()
}

#[test]
fn s11_2_a_recorded_answer_goes_back_to_its_provider_as_it_came() {
    for row in recorded() {
        let request = question("Hi?").with_message(answer(&row));
        let sent = sent(&model(), &request);
        let mut output = whole(&row)["output"].take();
        // The encrypted form is another one in each event.
        let mut history = sent["input"].as_array().unwrap()[1..].to_vec();
        for item in output.as_array_mut().unwrap().iter_mut().chain(&mut history) {
            if row.streaming && item.get("encrypted_content").is_some_and(Value::is_string) {
                item["encrypted_content"] = json!("gAAAA");
            }
        }
        let output: Vec<_> = output.as_array().unwrap().iter().map(bare).collect();
        let history: Vec<_> = history.iter().map(bare).collect();
        assert_eq!(history, output, "{}", row.name);
    }
}

#[test]
fn s11_2_a_recorded_answer_goes_to_another_provider_without_ids_and_encrypted_forms() {
    let other = openai::responses("http://x", "m").provider("other").build().unwrap();
    for row in recorded() {
        let request = question("Hi?").with_message(answer(&row));
        let sent = sent(&other, &request);
        for item in sent["input"].as_array().unwrap() {
            let known = ["role", "content", "type", "call_id", "name", "arguments", "phase"];
            let mut keys = item.as_object().unwrap().keys();
            assert!(keys.all(|key| known.contains(&key.as_str())), "{}: {item}", row.name);
        }
    }
}

#[test]
fn s11_2_a_streamed_answer_has_the_encrypted_form_of_the_whole_item() {
    let row = recorded().into_iter().find(|row| row.name.contains("phase_streamed"));
    let Some(row) = row else { return };
    let done = |line: &&str| line.contains("output_item.done") && line.starts_with("data");
    let line = row.body.lines().find(done).unwrap();
    let event: Value = serde_json::from_str(line.strip_prefix("data: ").unwrap()).unwrap();
    let sent = sent(&model(), &question("Hi?").with_message(answer(&row)));
    assert_eq!(sent["input"][1]["encrypted_content"], event["item"]["encrypted_content"]);
}

#[test]
fn s11_2_a_recorded_answer_goes_to_chat_completions_of_the_same_provider_as_its_own_shape() {
    let chat = openai::chat("http://x", "m").build().unwrap();
    for row in recorded() {
        let request = question("Hi?").with_message(answer(&row));
        let body = chat.body(&request, legwork_models::answer::Streaming::No).unwrap();
        let body: Value = serde_json::from_slice(&body).unwrap();
        for call in body["messages"][1]["tool_calls"].as_array().into_iter().flatten() {
            let keys: Vec<_> = call.as_object().unwrap().keys().collect();
            assert_eq!(keys, ["function", "id", "type"], "{}", row.name);
        }
    }
}
