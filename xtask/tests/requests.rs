//! The matrix of `cargo xtask requests`, against the official schemas of requests.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails, and says what it skips"
)]

#[path = "../examples/requests/matrix/mod.rs"]
mod matrix;
#[path = "../../crates/legwork-models/tests/it/official.rs"]
mod official;
#[path = "requests/schemas.rs"]
mod schemas;
#[path = "requests/seals.rs"]
mod seals;
#[path = "requests/unsaid.rs"]
mod unsaid;

use std::collections::BTreeSet;

use legwork_models::{Api, PromptCache, Provider, SeedField, ThinkingControl, providers};
use matrix::{Line, Wire};
use serde_json::Value;

/// The data shared by all tests, or none with a line that says so.
fn shared(path: &str) -> Option<Vec<u8>> {
    let file = format!("{}/../../shared/data/{path}", env!("CARGO_MANIFEST_DIR"));
    let read = std::fs::read(file).ok();
    if read.is_none() {
        println!("skipped: {path} is not there");
    }
    read
}

/// Prints what is wrong with the bodies of a wire, and how many there are; true if nothing is.
fn are_valid(wire: &Wire) -> bool {
    let lines = matrix::lines(wire).unwrap();
    let names: BTreeSet<_> = lines.iter().map(|line| line.case.as_str()).collect();
    assert_eq!(names.len(), lines.len(), "two cases have one name");
    let bodies = lines.iter().filter(|line| line.body.is_ok()).count();
    println!("{}: {bodies} bodies, {} refused", name(wire), lines.len() - bodies);
    assert!(bodies > 150, "most cases have a body");
    let problems: Vec<_> = lines.iter().flat_map(problems).collect();
    problems.iter().for_each(|problem| println!("{problem}"));
    problems.is_empty()
}

fn name(wire: &Wire) -> &str {
    wire.provider.map_or(wire.api.name(), |provider| provider.name)
}

/// Who seals thinking on a wire: the provider, where servers of one wire differ in it.
fn sealing(wire: &Wire) -> &str {
    match wire.api {
        Api::ChatCompletions => name(wire),
        api => api.name(),
    }
}

/// What is wrong with a line as it is printed, after its case.
fn problems(line: &Line<'_>) -> Vec<String> {
    let printed = line.to_json();
    let found = match (&printed["body"], &printed["refused"]) {
        (body @ Value::Object(_), Value::Null) => {
            let seals = seals::problems(sealing(line.wire), &line.case, body);
            of_body(line.wire, body).into_iter().chain(seals).collect()
        }
        // The reason comes with what to do about it.
        (Value::Null, Value::String(reason)) if reason.contains([':', ';']) => Vec::new(),
        _ => vec![format!("neither a body nor a reason: {printed}")],
    };
    let place = format!("{}, {}", name(line.wire), line.case);
    found.into_iter().map(|problem| format!("{place}: {problem}")).collect()
}

fn of_body(wire: &Wire, body: &Value) -> Vec<String> {
    let mut body = body.clone();
    if let Some(fields) = body.as_object_mut() {
        let own = wire.provider.into_iter().flat_map(|provider| own_fields(provider));
        own.for_each(|field| drop(fields.remove(field)));
    }
    let problems = official::problems(wire.api, &body);
    let unsaid = unsaid::problems(wire.api, &body);
    problems.into_iter().chain(schemas::problems(&body)).chain(unsaid).collect()
}

/// The fields of a request that a provider has beside those of its API.
fn own_fields(provider: &Provider) -> Vec<&'static str> {
    let quirks = provider.quirks;
    let thinking: &[_] = match quirks.thinking {
        ThinkingControl::Switch => &["thinking"],
        ThinkingControl::Reasoning => &["reasoning"],
        ThinkingControl::Budget => &["enable_thinking", "thinking_budget"],
        _ => &[],
    };
    let seed = (quirks.seed == SeedField::RandomSeed).then_some("random_seed");
    let cache = (quirks.prompt_cache != PromptCache::ByItself).then_some("cache_control");
    thinking.iter().copied().chain(seed).chain(cache).collect()
}

#[test]
fn each_request_of_the_matrix_is_valid_on_each_wire() {
    let wires = Api::ALL.iter().map(|api| Wire::of_api(*api).unwrap());
    let invalid = wires.filter(|wire| !are_valid(wire)).count();
    assert_eq!(invalid, 0, "what is wrong with them is above");
}

#[test]
fn each_request_of_the_matrix_is_valid_at_each_provider() {
    let wires = providers::ALL.iter().map(|provider| Wire::of_provider(provider).unwrap());
    let invalid = wires.filter(|wire| !are_valid(wire)).count();
    assert_eq!(invalid, 0, "what is wrong with them is above");
}
