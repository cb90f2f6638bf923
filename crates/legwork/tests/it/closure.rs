//! Tools of closures, and dependencies by type.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use legwork::core::tool::{ExecutionMode, FailureKind};
use legwork::core::{EffectClass, Micros};
use legwork::port::Deps;
use legwork::prelude::*;
use legwork::tool::{Closure, Json, from_fn, from_schema};
use legwork_testkit::tool::{call, context};
use legwork_testkit::{ScriptedModel, Turn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Two numbers.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Pair {
    a: i64,
    /// The second.
    b: i64,
}

#[tokio::test]
async fn a_closure_becomes_a_tool_as_a_function_does() {
    let add = from_fn("add", "Adds two whole numbers.", |pair: Pair| pair.a + pair.b);
    let spec = add.spec();
    assert_eq!((&*spec.name, &*spec.description), ("add", "Adds two whole numbers."));
    assert_eq!(spec.parameters["required"], json!(["a", "b"]));
    assert_eq!(spec.parameters["properties"]["b"]["description"], "The second.");
    assert_eq!(spec.parameters["additionalProperties"], json!(false));
    assert_eq!(spec.effect, EffectClass::Once(OnDoubt::Ask));
    assert_eq!(call(&add, json!({"a": 17, "b": 25})).await, ToolOutcome::value(json!(42)));
    match call(&add, json!({"a": 17})).await {
        ToolOutcome::Failed(FailureKind::InvalidArguments, why) => assert!(why.contains("`b`")),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_closure_takes_arguments_context_both_or_nothing_and_waits_or_not() {
    let nothing = json!({"type": "object", "properties": {}, "additionalProperties": false});
    let shared = Arc::new("shared".to_owned());
    let owned = shared.clone();
    let all: [Closure; 8] = [
        from_fn("t", "D.", || "0"),
        from_fn("t", "D.", || async { "1" }),
        from_fn("t", "D.", |cx: ToolContext| format!("2 {}", cx.session)),
        from_fn("t", "D.", |cx: ToolContext| async move { format!("3 {}", cx.session) }),
        from_fn("t", "D.", |pair: Pair| format!("4 {}", pair.a)),
        from_fn("t", "D.", |pair: Pair| async move { format!("5 {}", pair.a) }),
        from_fn("t", "D.", move |pair: Pair, _: ToolContext| format!("6 {} {owned}", pair.a)),
        from_fn("t", "D.", async |pair: Pair, cx: ToolContext| {
            tokio::task::yield_now().await;
            format!("7 {} {}", pair.a, cx.session)
        }),
    ];
    let expected = ["0", "1", "2 test", "3 test", "4 1", "5 1", "6 1 shared", "7 1 test"];
    for (at, (tool, expected)) in all.iter().zip(expected).enumerate() {
        let arguments = if at < 4 { json!({}) } else { json!({"a": 1, "b": 2}) };
        assert_eq!(call(tool, arguments).await, ToolOutcome::text(expected));
        assert_eq!(tool.spec().parameters == nothing, at < 4);
    }
    assert_eq!(*shared, "shared");
}

#[derive(Serialize)]
struct Place {
    city: &'static str,
}

#[tokio::test]
async fn s6_4_a_closure_returns_any_supported_type() {
    let refuses = |why: &str| ToolOutcome::Retry(why.to_owned());
    let check = async |tool: Closure, expected| assert_eq!(call(&tool, json!({})).await, expected);
    check(from_fn("t", "D.", || ()), ToolOutcome::value(Value::Null)).await;
    check(from_fn("t", "D.", || Some(1.5)), ToolOutcome::value(json!(1.5))).await;
    check(from_fn("t", "D.", || vec!["a"]), ToolOutcome::value(json!(["a"]))).await;
    check(from_fn("t", "D.", || BTreeMap::from([("a", 1)])), ToolOutcome::value(json!({"a": 1})))
        .await;
    check(from_fn("t", "D.", || json!([1])), ToolOutcome::value(json!([1]))).await;
    let place = from_fn("t", "D.", || Json(Place { city: "Bonn" }));
    check(place, ToolOutcome::value(json!({"city": "Bonn"}))).await;
    check(from_fn("t", "D.", move || refuses("later")), refuses("later")).await;
    let fails = from_fn("t", "D.", || "x".parse::<u8>());
    check(fails, ToolOutcome::failed("invalid digit found in string")).await;
    let either = from_fn("t", "D.", move || async move {
        let odd: Result<u8, String> = Err("odd".to_owned());
        odd.map_err(|why| refuses(&why))
    });
    check(either, refuses("odd")).await;
    let found = from_fn("t", "D.", || Ok::<_, std::io::Error>(Json(Place { city: "Ulm" })));
    check(found, ToolOutcome::value(json!({"city": "Ulm"}))).await;
}

#[tokio::test]
async fn a_closure_may_have_a_schema_of_its_own_and_the_options_of_a_function() {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let stat = from_schema("stat", "Looks.", schema.clone(), |arguments: Value| {
        arguments["path"].as_str().unwrap_or("nothing").to_owned()
    });
    assert_eq!(stat.spec().parameters, schema);
    assert_eq!(call(&stat, json!({"path": "a"})).await, ToolOutcome::text("a"));
    let stat = stat.sequential().timeout(Duration::from_secs(2)).max_retries(5).resource("path");
    let spec = stat.clone().idempotent().spec();
    assert_eq!((spec.effect, spec.mode), (EffectClass::Idempotent, ExecutionMode::Sequential));
    assert_eq!((spec.timeout, spec.max_retries), (Some(Micros(2_000_000)), 5));
    assert_eq!(spec.resource.as_deref(), Some("path"));
    assert_eq!(stat.clone().read_only().spec().effect, EffectClass::ReadOnly);
    let tells = stat.clone().once(OnDoubt::Tell).spec();
    assert_eq!(tells.effect, EffectClass::Once(OnDoubt::Tell));
    assert_eq!(format!("{stat:?}"), "Closure(\"stat\")");
    let shared: Arc<dyn Tool> = stat.into();
    assert_eq!(&*shared.spec().name, "stat");
}

struct Mail(&'static str);

#[derive(Clone)]
struct Pool(u8);

/// Sends a mail.
#[tool]
async fn send(#[dep] mail: &Mail, to: String, #[dep] pool: Pool) -> String {
    tokio::task::yield_now().await;
    format!("{to} by {} of {}", mail.0, pool.0)
}

#[tokio::test]
async fn s6_8_several_dependencies_reach_tools_and_hooks_by_their_types() {
    let look = from_fn("look", "Looks.", |cx: ToolContext| {
        cx.need::<Mail>().map(|mail| format!("{} {}", mail.0, cx.dep::<u64>().is_some()))
    });
    let sees = hook("sees", [Trigger::ExecutionStart], |state: AgentState, cx| async move {
        let pool = cx.view.dep::<Pool>().map_or(0, |pool| pool.0);
        Ok(state.with_metadata("pool", Some(pool.into())))
    });
    let two = Turn::calls([("send", json!({"to": "Ann"})), ("look", json!({}))]);
    let model = ScriptedModel::new([two, Turn::text("done")]);
    let agent = Agent::builder(model.clone()).tool(send).tool(look).hook(sees);
    let run = agent.dep(Mail("post")).dep(Pool(7)).build().unwrap().run("go").await.unwrap();
    let results = run.state().step_results().flat_map(|result| result.step.tool_executions());
    let all: Vec<_> = results.map(|execution| execution.outcome.to_text()).collect();
    assert_eq!(all, ["Ann by post of 7", "post false"]);
    assert_eq!(run.state().context().metadata["pool"], 7);
    assert_eq!(send.spec().parameters["required"], json!(["to"]), "the model sees neither");
}

#[tokio::test]
async fn s6_8_a_dependency_that_was_not_given_fails_hard_and_two_of_a_type_are_told() {
    let to = legwork::core::ToolCall::new("c", "send", json!({"to": "Ann"}).to_string());
    let given = context().with_deps(Deps::new().with(Mail("post")));
    match send.call(&to, &given).await {
        ToolOutcome::Failed(FailureKind::Hard, why) => assert!(why.contains("Pool"), "{why}"),
        other => panic!("{other:?}"),
    }
    let given = context().with_deps(Deps::new().with(Mail("post")).with(Pool(1)).with(Pool(2)));
    assert_eq!(send.call(&to, &given).await, ToolOutcome::text("Ann by post of 2"));
    let model = ScriptedModel::new([Turn::text("never")]);
    let error = Agent::builder(model).dep(Pool(1)).dep(Pool(2)).build().unwrap_err();
    assert!(error.to_string().contains("two dependencies have the type"), "{error}");
    assert!(error.to_string().contains("Pool"), "{error}");
}
