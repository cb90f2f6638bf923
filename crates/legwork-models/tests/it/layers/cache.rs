//! Caches of answers.

use legwork_core::inference::Incomplete;
use legwork_core::{FinishReason, ModelSettings, Usage};
use legwork_models::layers::{Caching, MemoryCache, ModelExt as _};
use legwork_port::model::Model;
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::json;

use super::{Heard, ask, request, stream};

fn cached(turn: Turn) -> (ScriptedModel, Caching<ScriptedModel, MemoryCache>) {
    let scripted = ScriptedModel::new([turn]);
    (scripted.clone(), scripted.with_cache(MemoryCache::of_bytes(1 << 20)))
}

#[tokio::test]
async fn the_same_request_is_answered_once() {
    let (scripted, model) = cached(Turn::text("a long answer").with_thinking("hm"));
    assert_eq!(ask(&model).await.unwrap().usage.unwrap().output, 5);
    let (answer, heard) = stream(&model).await;
    let answer = answer.unwrap();
    assert_eq!((answer.text(), heard.text), ("a long answer".to_owned(), answer.text()));
    assert_eq!(answer.usage, Some(Usage::default()), "it costs nothing");
    assert_eq!(answer.raw["cached"], true);
    assert_eq!(heard.pieces, 2, "the thinking and the text");
    assert_eq!(scripted.requests().len(), 1);
}

#[tokio::test]
async fn another_request_is_another_answer() {
    let (scripted, model) = cached(Turn::text("done"));
    let other = ModelSettings { temperature: Some(0.5), ..ModelSettings::default() };
    let mut told = request("hi");
    told.instructions = "be brief".into();
    let mut hot = request("hi");
    hot.settings = other.into();
    for request in [request("hi"), request("ho"), told, hot, request("hi")] {
        model.infer(request, None).await.unwrap();
    }
    assert_eq!(scripted.requests().len(), 4);
}

#[tokio::test]
async fn the_limit_of_an_answer_makes_no_other_request_unless_it_is_too_long_for_it() {
    let (scripted, model) = cached(Turn::text("done"));
    for limit in [None, Some(50), Some(5), Some(4)] {
        let mut request = request("hi");
        request.max_output = limit;
        model.infer(request, None).await.unwrap();
    }
    assert_eq!(scripted.requests().len(), 2, "it has five tokens");
}

#[tokio::test]
async fn only_complete_answers_without_calls_are_kept() {
    let turns = [
        Turn::call("look", json!({})),
        Turn::text("too long").with_finish(FinishReason::Length),
        Turn::text("no").with_finish(FinishReason::ContentFilter),
        Turn::text("it breaks off").incomplete(Incomplete::Cut),
        Turn::status(503),
    ];
    for turn in turns {
        let (scripted, model) = cached(turn);
        let _ = (ask(&model).await, ask(&model).await);
        assert_eq!(scripted.requests().len(), 2);
    }
}

#[tokio::test]
async fn a_receiver_that_breaks_gets_no_more_of_it() {
    let (_, model) = cached(Turn::text("done").with_thinking("hm"));
    ask(&model).await.unwrap();
    let mut heard = Heard { breaks_at: Some(1), ..Heard::default() };
    let answer = model.infer(request("hi"), Some(&mut heard)).await.unwrap();
    assert_eq!((heard.pieces, answer.text().as_str()), (1, ""));
    assert_eq!(answer.incomplete, Some(Incomplete::OverReserve));
    assert_eq!(ask(&model).await.unwrap().text(), "done", "what is kept is whole");
}

#[tokio::test]
async fn the_one_not_asked_for_the_longest_makes_room() {
    let scripted = ScriptedModel::new([Turn::text("x".repeat(500))]);
    let cache = MemoryCache::of_bytes(2_000);
    let model = scripted.clone().with_cache(cache.clone());
    let ask = async |text| {
        let before = scripted.requests().len();
        model.infer(request(text), None).await.unwrap();
        scripted.requests().len() > before
    };
    assert!(ask("a").await && ask("b").await);
    assert!(!ask("a").await && !ask("b").await && !ask("a").await);
    assert!(ask("c").await, "b makes room");
    assert!(!ask("a").await && !ask("c").await && ask("b").await);
    assert!(format!("{cache:?}").contains("answers: 2"), "{cache:?}");
    let small = scripted.clone().with_cache(MemoryCache::of_bytes(100));
    small.infer(request("a"), None).await.unwrap();
    small.infer(request("a"), None).await.unwrap();
}
