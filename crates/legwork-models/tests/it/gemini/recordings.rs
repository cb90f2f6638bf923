//! Recorded answers come to the messages that they mean.

use legwork_models::answer::{Ended, Unreadable};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::oracle::{Row, expected, rows, summary};
use super::read;
use crate::answers::Seen;

fn replay<'a>(row: &Row, pieces: impl IntoIterator<Item = &'a [u8]>, ended: Ended) -> Value {
    let (result, seen) = read(row.status, &row.content_type, pieces, ended);
    match result {
        Ok(response) => {
            let said = summary(&response);
            if row.streaming && ended == Ended::Whole {
                assert_shown(&said, &seen);
            }
            said
        }
        Err(Unreadable::Api(e)) => {
            json!({"status": e.status, "code": e.code, "message": e.message})
        }
        Err(other) => json!({"unreadable": other.to_string()}),
    }
}

/// What was streamed is what the message says.
fn assert_shown(said: &Value, seen: &Seen) {
    let parts = said["parts"].as_array().unwrap();
    let text = |thought: bool| -> String {
        let of = parts.iter().filter(|part| (part["thought"] == true) == thought);
        of.filter_map(|part| part["text"].as_str()).collect()
    };
    assert_eq!((&seen.text, &seen.thinking), (&text(false), &text(true)));
    let calls: Vec<Value> = parts.iter().filter_map(|p| p.get("functionCall")).cloned().collect();
    assert_eq!(calls.len(), seen.calls.len());
    for (call, (name, arguments)) in calls.iter().zip(&seen.calls) {
        assert_eq!(call["name"], **name);
        assert_eq!(call["args"], serde_json::from_str::<Value>(arguments).unwrap());
    }
}

#[test]
fn each_recorded_answer_comes_to_its_message() {
    for row in rows() {
        let said = replay(&row, [row.body.as_bytes()], Ended::Whole);
        assert_eq!(said, expected(&row), "{}", row.name);
    }
}

#[test]
fn each_recorded_answer_survives_being_cut_into_bytes() {
    for row in rows().iter().filter(|row| row.body.len() < 100_000) {
        let said = replay(row, row.body.as_bytes().chunks(1), Ended::Whole);
        assert_eq!(said, expected(row), "{}", row.name);
    }
}

#[test]
fn s11_3_a_recorded_stream_cut_anywhere_is_whole_or_incomplete() {
    for row in rows().iter().filter(|row| row.streaming) {
        let (whole, bytes) = (expected(row), row.body.as_bytes());
        let step = bytes.len() / 2_000 + 1;
        for at in (0..bytes.len()).step_by(step) {
            let (result, _) = read(200, &row.content_type, [&bytes[..at]], Ended::Cut);
            let Ok(response) = result else { continue };
            if response.incomplete.is_none() {
                let said = summary(&response);
                let same = ["parts", "finish", "id"].iter().all(|key| said[key] == whole[key]);
                assert!(same, "{} cut at {at}: {said}", row.name);
            }
        }
    }
}

#[test]
fn answers_of_other_wires_are_recognised() {
    for body in [r#"{"choices": [{"message": {"content": "Hi"}}]}"#, r#"{"output": []}"#, "{}"] {
        let why = read(200, "application/json", [body.as_bytes()], Ended::Whole).0.unwrap_err();
        assert!(why.to_string().contains("not an answer of Gemini"), "{why}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn recorded_streams_survive_any_cut(cuts in proptest::collection::vec(1usize..97, 1..40)) {
        for row in rows().iter().filter(|row| row.streaming) {
            let (mut rest, mut pieces) = (row.body.as_bytes(), Vec::new());
            for cut in cuts.iter().cycle() {
                if rest.is_empty() { break }
                let (piece, after) = rest.split_at((*cut).min(rest.len()));
                pieces.push(piece);
                rest = after;
            }
            prop_assert_eq!(replay(row, pieces, Ended::Whole), expected(row), "{}", row.name);
        }
    }
}
