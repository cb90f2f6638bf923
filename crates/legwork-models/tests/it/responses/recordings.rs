//! Recorded answers come to the messages that they hold.

use legwork_models::Api;
use legwork_models::answer::Ended;
use proptest::prelude::*;
use serde_json::Value;

use super::oracle::{expected, summary};
use crate::answers::{Seen, read_of};
use crate::oracle::{Row, rows};

fn recorded() -> Vec<Row> {
    let files = ["openai_responses", "deepseek", "openrouter"];
    files.into_iter().flat_map(rows).filter(Row::is_responses).collect()
}

fn streams() -> Vec<Row> {
    recorded().into_iter().filter(|row| row.streaming).collect()
}

fn replay<'a>(row: &Row, pieces: impl IntoIterator<Item = &'a [u8]>) -> Value {
    let (result, seen) =
        read_of(Api::Responses, row.status, &row.content_type, pieces, Ended::Whole);
    let said = summary(&result);
    if row.streaming {
        assert_eq!(shown(&said), seen, "{}", row.name);
    }
    said
}

/// What should be shown of an answer while it comes in.
fn shown(said: &Value) -> Seen {
    let mut seen = Seen::default();
    for part in said["parts"].as_array().unwrap() {
        let text = |at: usize| part[at].as_str().unwrap();
        match part[0].as_str() {
            Some("text") => seen.text.push_str(text(2)),
            Some("thinking") => seen.thinking.push_str(text(2)),
            Some("call") => seen.calls.push((text(3).to_owned(), text(4).to_owned())),
            _ => {}
        }
    }
    seen
}

#[test]
fn each_recorded_answer_comes_to_its_message() {
    let rows = recorded();
    for row in &rows {
        assert_eq!(replay(row, [row.body.as_bytes()]), expected(row), "{}", row.name);
    }
    println!("{} recorded answers", rows.len());
}

#[test]
fn each_recorded_answer_survives_being_cut_into_bytes() {
    for row in recorded() {
        let bytewise = replay(&row, row.body.as_bytes().chunks(1));
        assert_eq!(bytewise, expected(&row), "{}", row.name);
    }
}

/// Checks that the beginning of a row comes to the same, or to an incomplete answer.
fn check_cut(row: &Row, whole: &Value, at: usize, ended: Ended) {
    let pieces = [&row.body.as_bytes()[..at]];
    let (result, _) = read_of(Api::Responses, 200, &row.content_type, pieces, ended);
    let said = summary(&result);
    let Ok(response) = result else { return };
    let same = response.incomplete.is_some() || said == *whole;
    assert!(same, "{} cut at {at}: {said}", row.name);
}

#[test]
fn s11_3_a_recorded_stream_cut_anywhere_is_the_same_or_incomplete() {
    for row in streams().iter().filter(|row| row.body.len() < 6_000) {
        let whole = expected(row);
        (0..row.body.len()).for_each(|at| check_cut(row, &whole, at, Ended::Cut));
    }
}

#[test]
fn s11_3_a_recorded_stream_that_ends_at_any_line_is_the_same_or_incomplete() {
    for row in streams().iter().filter(|row| row.body.len() < 20_000) {
        let whole = expected(row);
        for (at, _) in row.body.match_indices('\n') {
            check_cut(row, &whole, at, Ended::Whole);
            check_cut(row, &whole, at + 1, Ended::Whole);
        }
    }
}

#[test]
fn answers_of_other_wires_are_recognised() {
    for file in ["openai_chat", "deepseek", "anthropic"] {
        for row in rows(file).iter().filter(|row| !row.is_responses() && row.status == 200) {
            let pieces = [row.body.as_bytes()];
            let (result, _) = read_of(Api::Responses, 200, &row.content_type, pieces, Ended::Whole);
            let said = summary(&result);
            let why = said["unreadable"].as_str().unwrap_or_default();
            let is_error = said.get("error").is_some();
            assert!(why.contains("not an answer of Responses") || is_error, "{file} {}", row.name);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn recorded_streams_survive_any_cut(cuts in proptest::collection::vec(1usize..97, 1..40)) {
        for row in streams() {
            let (mut rest, mut pieces) = (row.body.as_bytes(), Vec::new());
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
