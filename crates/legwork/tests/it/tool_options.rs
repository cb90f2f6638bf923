//! The options of `#[tool]` and of closures that say more than a spec: validators, approval,
//! labels; and dependencies as arguments.

use std::sync::Arc;

use legwork::agent::memory::MemoryStore;
use legwork::core::tool::{ExecutionMode, FailureKind};
use legwork::prelude::*;
use legwork::tool::{Closure, from_fn};
use legwork::toolset::Ask;
use legwork_testkit::{ScriptedModel, Turn};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

struct Bank {
    name: &'static str,
}

fn is_account(to: &str, _cents: &u64) -> Result<(), String> {
    if to.len() == 8 { Ok(()) } else { Err(format!("`{to}` is no account: it has 8 digits.")) }
}

/// Transfers money.
#[tool(
    idempotent,
    validate = is_account,
    approval = Ask::always().when(|call| call.arguments["cents"].as_u64() > Some(100)),
    mode = "parallel_unordered",
    max_calls = 4,
    tags = ["money", "write"],
    metadata(owner = "treasury", level = 1 + 1),
)]
async fn transfer(bank: Dep<Bank>, cx: &ToolContext, to: String, cents: u64) -> String {
    let shared = bank.clone();
    let said = tokio::spawn(async move { shared.name }).await.unwrap();
    format!("{cents} to {to} by {said}, approved: {}", cx.approved())
}

/// Takes what is even.
#[tool(read_only, validate = |n: &i64| if n % 2 == 0 { Ok(()) } else { Err("`n` is odd") })]
fn halve(n: i64) -> i64 {
    n / 2
}

/// Sends a letter.
#[tool(idempotent, approval = "once")]
fn send(to: String) -> String {
    format!("sent to {to}")
}

fn turns(tool: &str, arguments: impl IntoIterator<Item = Value>) -> ScriptedModel {
    let calls = arguments.into_iter().map(|arguments| Turn::call(tool, arguments));
    ScriptedModel::new(calls.chain([Turn::text("done")]).collect::<Vec<_>>())
}

fn outcomes(run: &Run) -> Vec<ToolOutcome> {
    let executions = run.state().step_results().flat_map(|result| result.step.tool_executions());
    executions.map(|execution| (*execution.outcome).clone()).collect()
}

fn invalid(outcome: &ToolOutcome) -> &str {
    match outcome {
        ToolOutcome::Failed(FailureKind::InvalidArguments, message) => message,
        other => panic!("{other:?}"),
    }
}

#[test]
fn options_reach_the_spec_and_the_model_sees_no_dependency() {
    let spec = transfer.spec();
    assert_eq!((spec.mode, spec.max_calls), (ExecutionMode::ParallelUnordered, Some(4)));
    assert!(spec.has_tag("money") && spec.has_tag("write") && spec.tags.len() == 2);
    assert_eq!(
        (spec.metadata.get("owner"), spec.metadata.get("level")),
        (Some(&json!("treasury")), Some(&json!(2)))
    );
    assert_eq!(spec.parameters["required"], json!(["to", "cents"]));
    assert_eq!(spec.parameters["properties"].as_object().unwrap().len(), 2);
}

#[tokio::test]
async fn s6_1_what_a_validator_says_is_sent_to_the_model_which_may_correct_its_call() {
    let calls = [
        json!({"to": "short", "cents": 1}),
        json!({"to": "short", "cents": "1"}),
        json!({"to": "12345678", "cents": 1}),
    ];
    let model = turns("transfer", calls);
    let agent = Agent::builder(model).tool(transfer).dep(Bank { name: "post" }).build().unwrap();
    let run = agent.run("go").await.unwrap();
    let [by_validator, by_schema, ran] = &outcomes(&run)[..] else {
        panic!("{:?}", outcomes(&run))
    };
    assert_eq!(
        invalid(by_validator),
        "The arguments are not valid: `short` is no account: it has 8 digits. This was attempt 1, 2 \
         left. Correct it and retry."
    );
    assert!(invalid(by_schema).starts_with("The arguments do not fit: at /cents"), "{by_schema:?}");
    let text = "1 to 12345678 by post, approved: false";
    assert_eq!(*ran, ToolOutcome::text(text));
}

#[tokio::test]
async fn s6_3_what_a_validator_refuses_counts_as_an_attempt() {
    let model = turns("halve", (0..4).map(|n| json!({"n": 2 * n + 1})));
    let run = Agent::builder(model).tool(halve).build().unwrap().run("go").await.unwrap();
    let kinds = outcomes(&run).into_iter().map(|outcome| match outcome {
        ToolOutcome::Failed(kind, _) => kind,
        other => panic!("{other:?}"),
    });
    use FailureKind::{InvalidArguments, RetriesExhausted};
    let expected = [InvalidArguments, InvalidArguments, RetriesExhausted, RetriesExhausted];
    assert_eq!(kinds.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn s7_1_a_person_is_asked_about_the_calls_that_an_attribute_names_and_only_if_they_are_valid()
{
    let calls = [
        json!({"to": "short", "cents": 500}),
        json!({"to": "12345678", "cents": 100}),
        json!({"to": "12345678", "cents": 500}),
    ];
    let agent = Agent::builder(turns("transfer", calls)).tool(transfer).dep(Bank { name: "post" });
    let agent = agent.store_in(Arc::new(MemoryStore::new())).build().unwrap();
    let run = agent.run("go").outcome().await.unwrap();
    let pending = run.state().pending();
    assert_eq!((pending.len(), outcomes(&run).len()), (1, 2));
    assert_eq!(pending[0].arguments.parse::<Value>().unwrap()["cents"], 500);
    let session = agent.session(run.state().session().clone());
    session.answer(Answer::approve(&pending[0]).by("Ann")).await.unwrap();
    let run = agent.resume(run.state().session().clone()).await.unwrap();
    assert_eq!(outcomes(&run)[2], ToolOutcome::text("500 to 12345678 by post, approved: true"));
}

#[tokio::test]
async fn s6_1_arguments_that_a_person_wrote_are_validated_too() {
    let model = turns("transfer", [json!({"to": "12345678", "cents": 500})]);
    let agent = Agent::builder(model).tool(transfer).dep(Bank { name: "post" });
    let agent = agent.store_in(Arc::new(MemoryStore::new())).build().unwrap();
    let run = agent.run("go").in_session("s").outcome().await.unwrap();
    let written = json!({"to": "short", "cents": 500});
    let answer = Answer::approve_with(&run.state().pending()[0], &written).by("Ann");
    agent.session("s").answer(answer).await.unwrap();
    let run = agent.resume("s").await.unwrap();
    assert!(invalid(&outcomes(&run)[0]).contains("`short` is no account"));
}

#[tokio::test]
async fn s6_8_a_dependency_that_an_agent_was_not_given_fails_hard() {
    let model = turns("transfer", [json!({"to": "12345678", "cents": 1})]);
    let agent = Agent::builder(model).tool(transfer).build().unwrap();
    let run = agent.run("go").outcome().await.unwrap();
    match &outcomes(&run)[0] {
        ToolOutcome::Failed(FailureKind::Hard, why) => assert!(why.contains("Bank"), "{why}"),
        other => panic!("{other:?}"),
    }
}

#[derive(Deserialize, JsonSchema)]
struct Range {
    from: u32,
    to: u32,
}

fn lines() -> Closure {
    let lines = from_fn("lines", "Counts lines.", |range: Range| range.to - range.from);
    lines
        .idempotent()
        .mode(ExecutionMode::Sequential)
        .max_calls(9)
        .tag("read")
        .with_metadata("owner", "me".into())
        .validate(|range: &Range| match range.from <= range.to {
            true => Ok(()),
            false => Err("`from` is above `to`"),
        })
        .approval(Ask::each().when(|call| call.arguments["to"].as_u64() > Some(10)))
}

#[tokio::test]
async fn a_closure_has_the_same_options() {
    let spec = lines().spec();
    assert_eq!((spec.mode, spec.max_calls), (ExecutionMode::Sequential, Some(9)));
    assert!(spec.has_tag("read"));
    assert_eq!(spec.metadata.get("owner"), Some(&json!("me")));
    let calls =
        [json!({"from": 12, "to": 11}), json!({"from": 1, "to": 4}), json!({"from": 1, "to": 11})];
    let agent = Agent::builder(turns("lines", calls)).tool(lines()).build().unwrap();
    let run = agent.run("go").outcome().await.unwrap();
    assert!(invalid(&outcomes(&run)[0]).contains("not valid: `from` is above `to`. This was"));
    assert_eq!(outcomes(&run)[1], ToolOutcome::value(json!(3)));
    assert_eq!(run.state().pending().len(), 1, "the last one waits");
}

#[tokio::test]
async fn an_attribute_asks_once_for_the_same_call() {
    let calls = ["Ann", "Ann", "Bob"].map(|to| json!({"to": to}));
    let agent = Agent::builder(turns("send", calls)).tool(send);
    let agent = agent.store_in(Arc::new(MemoryStore::new())).build().unwrap();
    let run = agent.run("go").outcome().await.unwrap();
    let session = run.state().session().clone();
    let first = Answer::approve(&run.state().pending()[0]).by("Ann");
    agent.session(session.clone()).answer(first).await.unwrap();
    let run = agent.resume(session).outcome().await.unwrap();
    assert_eq!(outcomes(&run).len(), 2, "the second one is not asked about");
    assert!(run.state().pending()[0].arguments.contains("Bob"));
    let shared: Arc<dyn Tool> = send.into();
    assert_eq!(&*shared.spec().name, "send");
}
