//! Recorded answers sent back: on each part what it came with.

use legwork_core::message::{Author, ToolResult};
use legwork_core::{Message, ModelRequest, Part, Role};
use legwork_models::answer::Ended;
use serde_json::{Value, json};

use super::oracle::{Row, expected, rows};
use super::{model, read, schema, sent};
use crate::traffic::question;

/// A request that goes on from a row's answer.
fn going_on(row: &Row) -> ModelRequest {
    let (result, _) = read(row.status, &row.content_type, [row.body.as_bytes()], Ended::Whole);
    let message = result.unwrap().message;
    let author = Author::Model(format!("google:{}", row.model).into());
    let message = Message::assistant(message.parts.clone()).by(author);
    let results: Vec<_> = message
        .tool_calls()
        .map(|call| Part::ToolResult(ToolResult::new(call.id.clone(), call.name.clone(), "1")))
        .collect();
    let request = question("Hi?").with_message(message);
    match results.is_empty() {
        true => request,
        false => request.with_message(Message::new(Role::Tool, results)),
    }
}

#[test]
fn s11_2_each_recorded_answer_goes_back_as_it_came() {
    let mut signatures = 0;
    for row in rows().iter().filter(|row| row.status == 200) {
        let body = sent(&model(&row.model), &going_on(row));
        assert!(schema::is_valid(&body), "{}", row.name);
        let mut parts = expected(row)["parts"].as_array().unwrap().clone();
        // A thought that is not signed is of no use.
        parts.retain(|part| part["thought"] != true || part.get("thoughtSignature").is_some());
        let first = parts.iter_mut().find(|part| part.get("functionCall").is_some());
        if let Some(first) = first
            && row.model.starts_with("gemini-3")
            && first.get("thoughtSignature").is_none()
        {
            first["thoughtSignature"] = "skip_thought_signature_validator".into();
        }
        if parts.is_empty() {
            parts.push(json!({"text": " "}));
        }
        assert_eq!(body["contents"][1]["parts"], Value::from(parts.clone()), "{}", row.name);
        signatures += parts.iter().filter(|part| part.get("thoughtSignature").is_some()).count();
    }
    println!("{signatures} signatures went back");
}
