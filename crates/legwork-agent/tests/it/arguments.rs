//! Arguments against their schema, unknown tools, and how often a tool is tried.

use std::sync::Arc;

use legwork_agent::Agent;
use legwork_agent::toolset::fits;
use legwork_core::tool::FailureKind;
use legwork_core::{EffectClass, ExecutionStatus, ToolOutcome, ToolSpec};
use legwork_port::Tool;
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::json;

use crate::tools::{World, answering, kind, made, noting, once, outcomes, said, spec};

async fn result_of(arguments: &str, tool: Arc<dyn Tool>) -> String {
    let model = ScriptedModel::new([Turn::raw_call("look", arguments), Turn::text("done")]);
    let run = Agent::builder(model).tools([tool]).build().unwrap().run("go").await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Completed);
    said(run.state())[1].clone()
}

#[tokio::test]
async fn s6_1_arguments_that_do_not_fit_are_told_with_path_expected_and_given() {
    let world = World::default();
    let look = || noting("look", EffectClass::ReadOnly, &world);
    let message = result_of(r#"{"n": "four", "colour": "red"}"#, look()).await;
    for part in ["/n", "\"four\"", "integer", "colour", "attempt 1", "2 left"] {
        assert!(message.contains(part), "{part} is missing: {message}");
    }
    let message = result_of("{}", look()).await;
    assert!(message.contains("\"n\"") && message.contains("required"), "{message}");
    let message = result_of("{\"n\": 1", look()).await;
    assert!(message.contains("not JSON"), "{message}");
    assert!(world.notes().is_empty(), "the body ran");
}

#[test]
fn s6_1_arguments_are_held_against_a_tool_without_running_it() {
    let look = spec("look");
    assert_eq!(fits(&look, &json!({"n": 1})), Ok(()));
    for (arguments, told) in [(json!({"n": "one"}), "/n"), (json!({}), "required")] {
        let problem = fits(&look, &arguments).unwrap_err();
        assert!(problem.contains(told), "{problem}");
    }
}

#[tokio::test]
async fn s6_1_the_part_of_the_schema_concerned_is_shown() {
    let schema = json!({
        "type": "object",
        "properties": {"to": {"type": "object", "properties": {"city": {"enum": ["Rome", "Oslo"]}}}}
    });
    let spec = ToolSpec::new("look", "Looks.", schema);
    let tool = made(spec, |_, _| Box::pin(std::future::ready(ToolOutcome::text("ran"))));
    let message = result_of(r#"{"to": {"city": "Bern"}}"#, tool).await;
    for part in ["/to/city", "Bern", "[\"Rome\",\"Oslo\"]"] {
        assert!(message.contains(part), "{part} is missing: {message}");
    }
}

#[tokio::test]
async fn s6_1_the_first_eight_errors_are_told_and_how_many_more_there_are() {
    let schema = json!({"type": "object", "additionalProperties": {"type": "integer"}});
    let wrong = |count: usize| {
        let fields: serde_json::Map<_, _> =
            (0..count).map(|n| (format!("field{n}"), json!("text"))).collect();
        serde_json::Value::Object(fields).to_string()
    };
    for (count, more) in [(1, None), (8, None), (9, Some("and 1 more")), (20, Some("and 12 more"))]
    {
        let spec = ToolSpec::new("look", "Looks.", schema.clone());
        let tool = made(spec, |_, _| Box::pin(std::future::ready(ToolOutcome::text("ran"))));
        let message = result_of(&wrong(count), tool).await;
        assert_eq!(message.matches("at /field").count(), count.min(8), "{message}");
        match more {
            Some(more) => assert!(message.contains(more), "{message}"),
            None => assert!(!message.contains("more"), "{message}"),
        }
    }
}

#[tokio::test]
async fn s6_2_an_unknown_tool_is_told_the_names_and_the_other_calls_run() {
    let world = World::default();
    let two = [("loook", json!({"n": 1})), ("look", json!({"n": 2}))];
    let model = ScriptedModel::new([Turn::calls(two), Turn::text("done")]);
    let run = Agent::builder(model)
        .tools([noting("look", EffectClass::ReadOnly, &world), noting("send", once(), &world)])
        .build()
        .unwrap()
        .run("go")
        .await
        .unwrap();
    let said = said(run.state());
    assert_eq!(said[1], "There is no tool `loook`. The tools are: look, send.");
    assert_eq!(said[2], "2");
    assert_eq!(world.notes(), ["look 2"]);
}

/// Runs calls of `look` one a step; each asks to retry where the closure says so.
async fn tries(ns: &[i64], fails: fn(i64) -> bool) -> Vec<ToolOutcome> {
    let turns = ns.iter().map(|n| Turn::call("look", json!({"n": n})));
    let model = ScriptedModel::new(turns.chain([Turn::text("done")]).collect::<Vec<_>>());
    let look = answering("look", move |arguments| match arguments["n"].as_i64() {
        Some(n) if fails(n) => ToolOutcome::Retry("not yet".to_owned()),
        _ => ToolOutcome::text("ok"),
    });
    let run = Agent::builder(model).tools([look]).build().unwrap().run("go").await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Completed, "no policy says that it should stop");
    outcomes(run.state())
}

fn retry(text: &str) -> ToolOutcome {
    ToolOutcome::Retry(text.to_owned())
}

#[tokio::test]
async fn s6_3_retries_in_a_row_are_counted_told_and_end() {
    let all = tries(&[1, 2, 3], |_| true).await;
    assert_eq!(all[0], retry("not yet (attempt 1, 2 left)"));
    assert_eq!(all[1], retry("not yet (attempt 2, 1 left)"));
    let ToolOutcome::Failed(FailureKind::RetriesExhausted, message) = &all[2] else {
        panic!("{:?}", all[2]);
    };
    assert!(message.contains("attempt 3 of `look`"), "{message}");
}

#[tokio::test]
async fn s6_3_a_tool_whose_retries_are_exhausted_still_runs_and_the_text_claims_nothing_else() {
    let all = tries(&[1, 2, 3, 4, 5], |n| n < 5).await;
    let exhausted = |attempt| {
        let rest = "none left: do not call it again with the same request)";
        let message = format!("not yet (attempt {attempt} of `look` in a row, {rest}");
        ToolOutcome::Failed(FailureKind::RetriesExhausted, message)
    };
    assert_eq!((&all[2], &all[3]), (&exhausted(3), &exhausted(4)));
    assert_eq!(all[4], ToolOutcome::text("ok"));
}

#[tokio::test]
async fn s6_3_success_resets_the_count() {
    let all = tries(&[1, 2, 3, 4], |n| n != 3).await;
    assert_eq!(all[1], retry("not yet (attempt 2, 1 left)"));
    assert_eq!(all[3], retry("not yet (attempt 1, 2 left)"));
}

#[tokio::test]
async fn s6_3_arguments_that_do_not_fit_count_too_and_tools_count_for_themselves() {
    let bad = |name: &str| Turn::raw_call(name, "{}");
    let model = ScriptedModel::new([bad("one"), bad("two"), bad("one"), Turn::text("done")]);
    let tool = |name| answering(name, |_| ToolOutcome::text("ok"));
    let strict = made(spec("one").max_retries(1), |_, _| {
        Box::pin(std::future::ready(ToolOutcome::text("ok")))
    });
    let builder = Agent::builder(model).tools([strict, tool("two")]);
    let run = builder.build().unwrap().run("go").await.unwrap();
    let kinds: Vec<_> = outcomes(run.state()).into_iter().map(kind).collect();
    let invalid = FailureKind::InvalidArguments;
    assert_eq!(kinds, [invalid.clone(), invalid, FailureKind::RetriesExhausted]);
    assert!(said(run.state())[2].contains("attempt 1, 2 left"), "{:?}", said(run.state()));
}
