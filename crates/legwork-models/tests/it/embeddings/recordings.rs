//! Recorded answers of providers come to the vectors that they hold.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use legwork_models::answer::{ApiError, Ended};
use legwork_models::embeddings::{Api, Reply, Unreadable};
use legwork_port::embedder::Embeddings;
use proptest::prelude::*;
use serde_json::Value;

use crate::oracle::{Row, rows};

const FILES: [&str; 3] = ["openai_embeddings", "google_embeddings", "cohere_embeddings"];

fn all() -> Vec<Row> {
    FILES.iter().flat_map(|file| rows(file)).collect()
}

fn replay<'a>(
    row: &Row,
    pieces: impl IntoIterator<Item = &'a [u8]>,
    ended: Ended,
) -> Result<Embeddings, Unreadable> {
    let api = Api::of_path(&row.path).unwrap_or_else(|| panic!("no wire of {}", row.path));
    let mut reply = Reply::new(api, row.status);
    pieces.into_iter().for_each(|piece| reply.push(piece));
    reply.finish(ended)
}

/// The vectors of an answer, worked out another way than the crate does it.
fn vectors(body: &Value) -> Vec<Vec<f32>> {
    let lists = [&body["data"], &body["embeddings"]["float"], &body["embeddings"]];
    let list = lists.iter().find_map(|list| list.as_array().cloned());
    let list = list.unwrap_or_else(|| vec![body["embedding"].clone()]);
    let mut indexed: Vec<(u64, Vec<f32>)> = list.iter().enumerate().map(vector).collect();
    indexed.sort_by_key(|(index, _)| *index);
    indexed.into_iter().map(|(_, vector)| vector).collect()
}

fn vector((place, item): (usize, &Value)) -> (u64, Vec<f32>) {
    let index = item["index"].as_u64().unwrap_or(place as u64);
    if let Some(text) = item["embedding"].as_str() {
        let bytes = BASE64_STANDARD.decode(text).unwrap();
        let numbers = bytes.chunks(4).map(|four| f32::from_le_bytes(four.try_into().unwrap()));
        return (index, numbers.collect());
    }
    let values = if item["values"].is_array() { &item["values"] } else { item };
    let numbers = values.as_array().unwrap().iter();
    (index, numbers.map(|number| number.to_string().parse().unwrap()).collect())
}

fn tokens(body: &Value) -> Option<u64> {
    let places = [
        "/usage/prompt_tokens",
        "/usageMetadata/promptTokenCount",
        "/meta/billed_units/input_tokens",
    ];
    places.iter().find_map(|place| body.pointer(place)?.as_u64())
}

#[test]
fn each_recorded_answer_with_vectors_comes_to_them() {
    for row in all() {
        let body: Value = serde_json::from_str(&row.body).unwrap();
        let came = replay(&row, [row.body.as_bytes()], Ended::Whole);
        if row.status != 200 {
            let Err(Unreadable::Api(ApiError { status, message, .. })) = came else {
                panic!("{}: {came:?}", row.name)
            };
            assert_eq!(status, row.status, "{}", row.name);
            assert!(row.body.contains(&message) && message.len() > 20, "{}: {message}", row.name);
            continue;
        }
        let came = came.unwrap();
        assert_eq!(came.vectors, vectors(&body), "{}", row.name);
        assert_eq!(came.usage.map(|usage| usage.total()), tokens(&body), "{}", row.name);
        assert_eq!(came.model.as_deref(), body["model"].as_str(), "{}", row.name);
        assert!(came.vectors.iter().all(|one| one.len() >= 128), "{}", row.name);
    }
}

#[test]
fn each_recorded_answer_with_vectors_survives_being_cut_into_bytes() {
    for row in all() {
        let whole = replay(&row, [row.body.as_bytes()], Ended::Whole);
        let bytewise = replay(&row, row.body.as_bytes().chunks(1), Ended::Whole);
        assert_eq!(bytewise, whole, "{}", row.name);
    }
}

#[test]
fn s11_6_recorded_vectors_that_are_cut_are_never_whole() {
    for row in all().iter().filter(|row| row.status == 200) {
        let bytes = row.body.as_bytes();
        // The last brace closes the answer: without it nothing is whole.
        for at in (0..bytes.len()).step_by(997).chain([bytes.len() - 1]) {
            let came = replay(row, [&bytes[..at]], Ended::Cut);
            assert_eq!(came, Err(Unreadable::Cut), "{} cut at {at}", row.name);
            // As if the server had said that it was all.
            let came = replay(row, [&bytes[..at]], Ended::Whole);
            assert!(came.is_err(), "{} cut at {at}", row.name);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn recorded_vectors_survive_any_cut(cuts in proptest::collection::vec(1usize..4_001, 1..20)) {
        for row in all() {
            let (mut rest, mut pieces) = (row.body.as_bytes(), Vec::new());
            for cut in cuts.iter().cycle() {
                if rest.is_empty() { break }
                let (piece, after) = rest.split_at((*cut).min(rest.len()));
                pieces.push(piece);
                rest = after;
            }
            let whole = replay(&row, [row.body.as_bytes()], Ended::Whole);
            prop_assert_eq!(replay(&row, pieces, Ended::Whole), whole, "{}", row.name);
        }
    }
}
