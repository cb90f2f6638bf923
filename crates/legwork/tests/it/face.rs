//! The face of the façade: its example runs, its budget holds, its errors say what to do.

use std::path::PathBuf;
use std::process::{Command, Output};

use legwork::core::{StopReason, Usage};
use legwork::port::store::{Query, Range};
use legwork::prelude::*;
use legwork::store;
use legwork_testkit::{ScriptedModel, Server, Turn};
use serde_json::json;

/// Adds two whole numbers.
#[tool(read_only)]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// The example, which was built with this test.
fn example() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let target = test.parent().and_then(|deps| deps.parent()).unwrap();
    target.join("examples/clerk")
}

fn clerk(server: &Server, folder: &std::path::Path) -> Output {
    Command::new(example())
        .current_dir(folder)
        .env("OPENAI_BASE_URL", server.base_url())
        .env("OPENAI_API_KEY", "test")
        .output()
        .unwrap()
}

fn used(input: u64, output: u64) -> Usage {
    Usage { input, output, ..Usage::default() }
}

#[test]
fn the_example_runs_journals_and_is_charged_at_the_models_price() {
    let turns = [
        Turn::call("add", json!({"a": 17, "b": 25})).with_usage(used(100, 10)),
        Turn::text("It is 42.").with_usage(used(200, 20)),
    ];
    let server = Server::start(turns).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let output = clerk(&server, folder.path());
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "It is 42.\n");

    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let store =
        store::open(&format!("sqlite:{}", folder.path().join("clerk.db").display())).unwrap();
    let sessions = runtime.block_on(store.sessions(&Query::first(10))).unwrap().sessions;
    let session = &sessions.first().unwrap().session;
    let state = runtime.block_on(store.read(session, Range::ALL)).unwrap().journal.fold(session);
    // gpt-5-mini: 0.25 USD a million input tokens, 2 USD a million output tokens.
    assert_eq!((state.used().input, state.used().output), (300, 30));
    assert_eq!(state.used().cost.0, 75 + 60);
    assert!(state.ledger().reserved.is_empty());
}

#[tokio::test]
async fn s5_1_a_cost_limit_without_a_price_is_a_build_error() {
    let model = ScriptedModel::new([Turn::text("hi")]);
    let error = Agent::builder(model).budget(Budget::usd(0.50)).build().unwrap_err();
    assert!(error.to_string().contains("price"), "{error}");
}

#[tokio::test]
async fn a_budget_of_steps_stops_the_clerk() {
    let turns = (0..5).map(|n| Turn::call("add", json!({"a": n, "b": 1})));
    let agent = Agent::builder(ScriptedModel::new(turns.collect::<Vec<_>>()))
        .tools([add])
        .budget(Budget::unlimited().steps(2))
        .build()
        .unwrap();
    let error = legwork::Error::from(agent.run("count").await.unwrap_err());
    assert_eq!(format!("{error:?}"), error.to_string());
    let unfinished = error.unfinished().unwrap();
    let run = unfinished.run();
    let session = run.session();
    assert_eq!(
        error.to_string(),
        format!(
            "session {session}: stopped: the limit of 2 steps leaves no room: 2 used, 1 wanted. \
             To go on, raise `Budget::steps`, then resume session {session} with `on_state(..)`: \
             the agent has no store"
        )
    );
    assert_eq!(run.status(), ExecutionStatus::Stopped);
    assert_eq!(run.continuation().unwrap().stop_reason(), Some(&StopReason::StepsLimit));
}

#[tokio::test]
async fn a_store_that_cannot_be_opened_is_a_build_error() {
    let model = ScriptedModel::new([Turn::text("hi")]);
    let error = Agent::builder(model).store("postgres:x").build().unwrap_err();
    assert!(error.to_string().contains("sqlite:PATH"), "{error}");
}

#[test]
fn names_of_models_say_what_is_wrong_with_them() {
    for (name, words) in [
        ("a-model", "named `provider:name`, such as `openai:gpt-5-mini`"),
        ("claude-sonnet-4-6", "named `provider:name`, such as `anthropic:claude-sonnet-4-6`"),
        ("claude-sonnet-4-6?seed=1", "such as `anthropic:claude-sonnet-4-6`"),
        ("ollama:qwen3?thinkng=high", "did you mean `thinking`?"),
        ("nowhere:model", "base URL with `model::at`"),
        ("antropic:claude-sonnet-4-6", "did you mean `anthropic`? Known are openai, "),
        ("openai:gpt-5-mini", "a library does not read the environment; `builder_from_env`"),
        ("openai:gpt-5-mini", "takes it from OPENAI_API_KEY"),
    ] {
        let error = model::at(name, None, None).err().unwrap().to_string();
        assert!(error.contains(words), "{name}: {error}");
    }
    assert!(model::at("nowhere:model", Some("http://127.0.0.1:1/v1"), None).is_ok());
}
