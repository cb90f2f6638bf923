//! Many texts, in as many requests as a provider wants.

use legwork_models::embeddings::{Api, Quirks};
use legwork_models::retry::Policy;
use legwork_models::{Bounds, EmbedderBuilder, providers};
use legwork_port::Embedder;
use legwork_port::embedder::{Profile, Request};
use legwork_port::model::Kind;
use serde_json::json;

use super::live::Live;
use super::sample::{VECTORS, samples, whole};
use crate::clock::Turned;
use crate::server::{Act, Server, answer};

fn many(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("text {number}")).collect()
}

#[tokio::test]
async fn s11_7_texts_are_sent_in_batches_of_what_the_provider_takes() {
    for provider in providers::ALL.iter().filter(|provider| provider.embeddings.is_some()) {
        let most = provider.embeddings.unwrap().quirks.texts;
        let (live, texts) = (Live::start(most).await, many(2 * most + 1));
        let builder = provider.embedder("m", Some(&live.base_url)).unwrap().api_key("k");
        let embedder = builder.profile(Profile::default().with_dimensions(8)).build().unwrap();
        let came = embedder.embed(Request::new(texts.clone())).await.unwrap();
        assert_eq!(came.vectors.len(), texts.len(), "{}", provider.name);
        let bytes: usize = texts.iter().map(String::len).sum();
        assert_eq!(came.usage.unwrap().input as usize, bytes, "{}", provider.name);
        let sent = live.requests();
        assert!(
            sent.len() >= 3 && sent.iter().all(|batch| batch.len() <= most),
            "{}",
            provider.name
        );
        assert_eq!(sent.concat(), texts, "{}", provider.name);
        // Each vector is that of its text, wherever the batches end.
        for at in [0, most - 1, most, 2 * most] {
            let alone = embedder.embed(Request::new([&*texts[at]])).await.unwrap();
            assert_eq!(alone.vectors[0], came.vectors[at], "{} {at}", provider.name);
        }
    }
}

fn sizes(quirks: Quirks, bounds: Bounds, texts: &[&str]) -> Vec<usize> {
    let builder = EmbedderBuilder::new(Api::ALL[0], "https://example.test/v1", "m");
    let profile = Profile::default().with_dimensions(1_000);
    let embedder = builder.quirks(quirks).bounds(bounds).profile(profile).build().unwrap();
    let bodies = embedder.bodies(&Request::new(texts.to_vec())).unwrap();
    let count = |body: &[u8]| String::from_utf8_lossy(body).matches("word").count();
    bodies.iter().map(|body| count(body)).collect()
}

#[test]
fn s11_7_a_batch_has_no_more_tokens_than_the_provider_takes() {
    // Three bytes are a token at the most: two each.
    let usual = Bounds::default();
    let of = |tokens| sizes(Quirks::USUAL.with_tokens(tokens), usual, &["word"; 5]);
    assert_eq!((of(4), of(5), of(10), of(9)), (vec![2, 2, 1], vec![2, 2, 1], vec![5], vec![4, 1]));
    // One that is too long by itself is sent alone, and the provider says so.
    let long = "word".repeat(100);
    let mixed = sizes(Quirks::USUAL.with_tokens(4), usual, &["word", &long, "word"]);
    assert_eq!(mixed, [1, 100, 1]);
    assert_eq!(sizes(Quirks::USUAL.with_texts(0), usual, &["word"; 2]), [1, 1]);
}

#[test]
fn s13_10_a_batch_is_as_large_as_the_bound_of_its_answer_allows() {
    let bounds = Bounds { answer_bytes: 100_000, ..Bounds::default() };
    let (four, sixteen) = (vec![4, 4, 4, 4, 4], vec![16, 4]);
    assert_eq!(sizes(Quirks::USUAL, bounds, &["word"; 20]), four);
    assert_eq!(sizes(Quirks::USUAL.in_base64(), bounds, &["word"; 20]), sixteen);
    let none = Bounds { answer_bytes: 10, ..bounds };
    assert_eq!(sizes(Quirks::USUAL, none, &["word"; 2]), [1, 1]);
}

#[tokio::test]
async fn no_text_is_no_request() {
    for sample in samples() {
        let (came, clock) = (Server::start([]).await, Turned::new());
        let embedder = sample.at(&came, &clock).build().unwrap();
        assert!(embedder.embed(Request::default()).await.unwrap().vectors.is_empty());
        assert!(came.requests().is_empty(), "{}", sample.api);
    }
}

#[tokio::test]
async fn s11_7_what_was_paid_for_before_a_failure_is_kept() {
    let refused = || Act::Keep(answer("400 No", "application/json", "", r#"{"error": "no"}"#));
    let busy = || Act::Keep(answer("502 Busy", "application/json", "", r#"{"error": "busy"}"#));
    for sample in samples() {
        let acts = [busy(), whole(&sample.body), busy(), refused()];
        let (server, clock) = (Server::start(acts).await, Turned::new());
        let embedder = sample.at(&server, &clock).quirks(Quirks::USUAL.with_texts(2)).build();
        let texts = Request::new(["one", "two", "three", "four", "five"]);
        let error = embedder.unwrap().embed(texts).await.unwrap_err();
        let cause = (error.cause.kind, error.cause.charged_attempts);
        assert_eq!(cause, (Kind::BadRequest, 1), "{}: {error}", sample.api);
        let answered = error.answered.unwrap();
        assert_eq!(answered.vectors, VECTORS, "{}", sample.api);
        assert_eq!((answered.usage.unwrap().input, answered.charged_attempts), (7, 1));
        assert_eq!(server.requests().len(), 4, "{}", sample.api);
    }
}

#[tokio::test]
async fn s11_6_usage_is_that_of_all_batches_or_none() {
    for sample in samples() {
        for (second, used) in [(&sample.body, Some(14)), (&sample.bare, None)] {
            let acts = [whole(&sample.body), whole(second)];
            let (server, clock) = (Server::start(acts).await, Turned::new());
            let embedder = sample.at(&server, &clock).quirks(Quirks::USUAL.with_texts(2)).build();
            let came = embedder.unwrap().embed(Request::new(["1", "2", "3", "4"])).await.unwrap();
            assert_eq!(came.vectors, [VECTORS, VECTORS].concat(), "{}", sample.api);
            assert_eq!(came.usage.map(|usage| usage.input), used, "{}", sample.api);
        }
    }
}

#[cfg(feature = "openai")]
#[tokio::test]
async fn s11_6_vectors_of_two_batches_have_one_length() {
    let of = |numbers: &[f32]| whole(&json!({"embeddings": [numbers], "prompt_eval_count": 1}));
    let server = Server::start([of(&[1.0, 2.0]), of(&[1.0])]).await;
    let builder = legwork_models::embeddings::ollama(&server.base_url, "m");
    let builder = builder.quirks(Quirks::USUAL.with_texts(1)).retry(Policy::never());
    let error = builder.build().unwrap().embed(Request::new(["1", "2"])).await.unwrap_err();
    assert_eq!(error.cause.kind, Kind::Malformed, "{error}");
    assert_eq!(error.answered.unwrap().vectors, [[1.0, 2.0]]);
}
