//! Recorded answers come to the messages that they contain.

use std::sync::Arc;

use legwork_core::message::{Author, ToolResult};
use legwork_core::{Message, Part, Response};
use legwork_models::Api;
use legwork_models::answer::{Ended, Unreadable};
use proptest::prelude::*;
use serde_json::Value;

use super::oracle::{Row, expected, rows};
use super::{model, schema, sent};
use crate::answers::{read_as, summary};
use crate::traffic::question;

fn replay<'a>(row: &Row, pieces: impl IntoIterator<Item = &'a [u8]>) -> Value {
    said(&read_as(Api::Converse, row.status, &row.content_type, pieces, Ended::Whole).0)
}

/// Arguments as a value, for the white space in them is nobody's.
fn said(read: &Result<Response, Unreadable>) -> Value {
    let mut said = summary(read);
    for call in said.get_mut("calls").and_then(Value::as_array_mut).into_iter().flatten() {
        call[2] = serde_json::from_str(call[2].as_str().unwrap()).unwrap_or_default();
    }
    said
}

#[test]
fn each_recorded_answer_comes_to_its_message_whole_and_in_bytes() {
    for row in rows() {
        assert_eq!(Api::of_path(&row.path), Some(Api::Converse));
        assert_eq!(replay(&row, [&*row.body]), expected(&row), "{}", row.name);
        assert_eq!(replay(&row, row.body.chunks(1)), expected(&row), "{} in bytes", row.name);
    }
}

#[test]
fn s11_3_a_recorded_stream_cut_anywhere_is_whole_or_incomplete() {
    for row in rows().iter().filter(|row| row.is_stream()) {
        let whole = expected(row);
        for at in 0..row.body.len() {
            for ended in [Ended::Cut, Ended::Whole] {
                let pieces = [&row.body[..at]];
                let (read, _) = read_as(Api::Converse, 200, &row.content_type, pieces, ended);
                let said = said(&read);
                let Ok(response) = read else { continue };
                let same =
                    ["text", "thinking", "calls", "finish"].iter().all(|k| said[k] == whole[k]);
                assert!(response.incomplete.is_some() || same, "{} at {at}: {said}", row.name);
            }
        }
    }
}

#[test]
fn s11_3_a_byte_that_changed_on_the_way_breaks_the_stream_off() {
    for row in rows().iter().filter(|row| row.is_stream()) {
        let whole = expected(row);
        for at in 0..row.body.len() {
            let mut bytes = row.body.clone();
            bytes[at] ^= 0x40;
            let read = read_as(Api::Converse, 200, &row.content_type, [&*bytes], Ended::Whole).0;
            let said = said(&read);
            match read {
                Ok(response) => {
                    let same =
                        ["text", "thinking", "calls"].iter().all(|key| said[key] == whole[key]);
                    assert!(response.incomplete.is_some() || same, "{} at {at}", row.name);
                }
                Err(why) => assert_eq!(why, Unreadable::Nothing, "{} at {at}", row.name),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn recorded_answers_survive_any_cut(cuts in prop::collection::vec(1usize..97, 1..40)) {
        for row in rows() {
            let (mut rest, mut pieces) = (&*row.body, Vec::new());
            for cut in cuts.iter().cycle() {
                if rest.is_empty() { break }
                let (piece, after) = rest.split_at((*cut).min(rest.len()));
                pieces.push(piece);
                rest = after;
            }
            prop_assert_eq!(replay(&row, pieces), expected(&row), "{}", row.name);
        }
    }
}

/// Whether a block goes back: thinking without a signature does not, nor does a blank text.
fn goes_back(block: &Value) -> bool {
    match &block["reasoningContent"]["reasoningText"] {
        Value::Null => !block["text"].as_str().is_some_and(|text| text.trim().is_empty()),
        thinking => thinking.get("signature").is_some(),
    }
}

#[test]
fn s11_2_each_recorded_answer_goes_back_as_it_came() {
    for row in rows().iter().filter(|row| row.status == 200) {
        let read = read_as(Api::Converse, 200, &row.content_type, [&*row.body], Ended::Whole).0;
        let message = Arc::unwrap_or_clone(read.unwrap().message);
        // The reader of tests names the provider so.
        let message = message.by(Author::Model(format!("test:{}", row.model).into()));
        let calls: Vec<_> = message.tool_calls().cloned().collect();
        let request = question("Hi?").with_message(message);
        let results = calls
            .iter()
            .map(|call| Part::ToolResult(ToolResult::new(call.id.clone(), call.name.clone(), "1")));
        let request = match calls.is_empty() {
            true => request,
            false => {
                request.with_message(Message::new(legwork_core::Role::Tool, results.collect()))
            }
        };
        let built = legwork_models::bedrock::converse("us-east-1", &*row.model).provider("test");
        let body = sent(&built.build().unwrap(), &request);
        assert!(schema::is_valid(&body), "{}", row.name);
        let answer = row.answer();
        let came = answer["output"]["message"]["content"].as_array().unwrap();
        let came = came.iter().filter(|block| goes_back(block)).cloned().map(|mut block| {
            // Some say what all calls are.
            if block.pointer("/toolUse/type").is_some_and(|kind| kind == "tool_use") {
                block["toolUse"].as_object_mut().unwrap().remove("type");
            }
            block
        });
        let came: Vec<_> = came.collect();
        let back = &body["messages"][1]["content"];
        if !came.is_empty() {
            assert_eq!(*back, Value::from(came), "{}", row.name);
        }
        // Another maker's model gets none of what only its own can read.
        let other = model("us.meta.llama4-maverick-17b-instruct-v1:0");
        let foreign = sent(&other, &request)["messages"][1]["content"].to_string();
        assert!(!foreign.contains("reasoningContent"), "{foreign}");
        assert!(!foreign.contains("server_tool_use"), "{foreign}");
    }
}
