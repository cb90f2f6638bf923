//! Recorded answers of many providers come to the messages that they mean.

use legwork_models::answer::Ended;
use proptest::prelude::*;

use crate::answers::{read, summary};
use crate::oracle::{Row, expected, rows};

const FILES: [&str; 8] = [
    "openai_chat",
    "groq",
    "deepseek",
    "mistral",
    "openrouter",
    "ollama",
    "cerebras",
    "huggingface",
];

fn replay<'a>(row: &Row, pieces: impl IntoIterator<Item = &'a [u8]>) -> serde_json::Value {
    summary(&read(row.status, &row.content_type, pieces, Ended::Whole).0)
}

#[test]
fn each_recorded_answer_comes_to_its_message() {
    for file in FILES {
        let all = rows(file);
        let chat = all.iter().filter(|row| row.is_chat());
        for row in chat {
            assert_eq!(replay(row, [row.body.as_bytes()]), expected(row), "{file} {}", row.name);
        }
    }
}

#[test]
fn each_recorded_answer_survives_being_cut_into_bytes() {
    for file in FILES {
        for row in rows(file).iter().filter(|row| row.is_chat()) {
            let bytewise = replay(row, row.body.as_bytes().chunks(1));
            assert_eq!(bytewise, expected(row), "{file} {}", row.name);
        }
    }
}

#[test]
fn answers_of_other_wires_are_recognised() {
    let mut others = 0;
    for file in ["deepseek", "openrouter", "openai_responses", "cohere", "anthropic"] {
        for row in rows(file).iter().filter(|row| !row.is_chat() && row.status == 200) {
            let said = replay(row, [row.body.as_bytes()]);
            let why = said["unreadable"].as_str().unwrap_or_default();
            assert!(
                why.contains("not an answer of Chat Completions"),
                "{file} {}: {said}",
                row.name
            );
            others += 1;
        }
    }
    println!("{others} answers of other wires");
}

#[test]
fn s11_3_a_recorded_stream_cut_anywhere_is_whole_or_incomplete() {
    for row in rows("openai_chat").iter().filter(|row| row.streaming && row.body.len() < 6_000) {
        let (whole, bytes) = (expected(row), row.body.as_bytes());
        for at in 0..bytes.len() {
            let (result, _) = read(200, &row.content_type, [&bytes[..at]], Ended::Cut);
            let said = summary(&result);
            let Ok(response) = result else { continue };
            let same = ["text", "thinking", "calls", "finish"].iter().all(|k| said[k] == whole[k]);
            assert!(response.incomplete.is_some() || same, "{} cut at {at}: {said}", row.name);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn recorded_streams_survive_any_cut(cuts in proptest::collection::vec(1usize..97, 1..40)) {
        for file in ["openai_chat", "groq", "openrouter", "mistral", "deepseek"] {
            for row in rows(file).iter().filter(|row| row.is_chat() && row.streaming) {
                let (mut rest, mut pieces) = (row.body.as_bytes(), Vec::new());
                for cut in cuts.iter().cycle() {
                    if rest.is_empty() { break }
                    let (piece, after) = rest.split_at((*cut).min(rest.len()));
                    pieces.push(piece);
                    rest = after;
                }
                prop_assert_eq!(replay(row, pieces), expected(row), "{}", row.name);
            }
        }
    }
}
