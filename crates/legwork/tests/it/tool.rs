//! `#[tool]`: what it makes of functions, and how they run.

use std::fmt;
use std::num::ParseIntError;
use std::sync::Arc;

use legwork::core::tool::{ExecutionMode, FailureKind};
use legwork::core::{EffectClass, Micros, OnDoubt, ToolOutcome};
use legwork::port::{Tool, ToolContext};
use legwork::tool;
use legwork_testkit::tool::call;
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::{Value, json};

/// Adds two whole numbers.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Greets
///   somebody.
///
/// Politely.
#[tool(read_only, name = "say-hello", timeout = "1500ms", max_retries = 5)]
async fn greet(
    /// Whom to greet,
    /// by first name.
    name: String,
    /// How often; once if it is left out.
    mut times: Option<u32>,
) -> String {
    let times = times.take().unwrap_or(1) as usize;
    vec![format!("Hello, {name}!"); times].join(" ")
}

#[tokio::test]
async fn a_function_becomes_a_tool() {
    let spec = add.spec();
    assert_eq!((&*spec.name, &*spec.description), ("add", "Adds two whole numbers."));
    let number = json!({"type": "integer", "format": "int64"});
    let expected = json!({
        "type": "object",
        "properties": {"a": number, "b": number},
        "required": ["a", "b"],
        "additionalProperties": false,
    });
    assert_eq!(spec.parameters, expected);
    assert_eq!(spec.effect, EffectClass::Once(OnDoubt::Ask));
    assert_eq!((spec.mode, spec.max_retries), (ExecutionMode::ParallelOrdered, 2));
    assert!(Arc::ptr_eq(&spec, &add.spec()));
    assert_eq!(call(&add, json!({"a": 17, "b": 25})).await, ToolOutcome::value(json!(42)));
}

#[tokio::test]
async fn a_plain_function_does_too() {
    let spec = greet.spec();
    assert_eq!(
        (&*spec.name, &*spec.description),
        ("say-hello", "Greets\n  somebody.\n\nPolitely.")
    );
    assert_eq!((spec.effect, spec.max_retries), (EffectClass::ReadOnly, 5));
    assert_eq!(spec.timeout, Some(Micros(1_500_000)));
    let name = &spec.parameters["properties"]["name"];
    assert_eq!(name["description"], "Whom to greet,\nby first name.");
    assert_eq!(spec.parameters["required"], json!(["name"]));
    assert_eq!(call(&greet, json!({"name": "Ada"})).await, ToolOutcome::text("Hello, Ada!"));
    let twice = call(&greet, json!({"name": "Bo", "times": 2})).await;
    assert_eq!(twice, ToolOutcome::text("Hello, Bo! Hello, Bo!"));
    let null = call(&greet, json!({"name": "Bo", "times": null})).await;
    assert_eq!(null, ToolOutcome::text("Hello, Bo!"));
}

#[test]
fn all_tools_are_of_one_type() {
    let tools = [add, greet, options::write, options::charge, options::ping];
    let names: Vec<_> = tools.iter().map(|tool| tool.spec().name.to_string()).collect();
    assert_eq!(names, ["add", "say-hello", "write", "charge", "type"]);
    assert_eq!(format!("{add:?}"), "Function(\"add\")");
    let shared: Arc<dyn Tool> = add.into();
    assert_eq!(&*shared.spec().name, "add");
}

mod options {
    use super::tool;

    /// Writes a file.
    #[tool(idempotent, sequential, resource = "path")]
    pub(super) async fn write(path: String, #[serde(default)] text: String) -> usize {
        path.len() + text.len()
    }

    /// Charges a card.
    #[tool(once = "tell", timeout = "2m")]
    pub(super) async fn charge(#[schemars(range(min = 1, max = 500))] cents: u32) -> u32 {
        cents
    }

    /// Answers.
    #[tool(name = "type")]
    pub(super) fn ping() -> &'static str {
        "pong"
    }
}

#[tokio::test]
async fn options_reach_the_spec() {
    let write = options::write.spec();
    assert_eq!((write.effect, write.mode), (EffectClass::Idempotent, ExecutionMode::Sequential));
    assert_eq!(write.resource.as_deref(), Some("path"));
    assert_eq!(write.parameters["required"], json!(["path"]));
    assert_eq!(write.parameters["properties"]["text"]["default"], "");
    assert_eq!(call(&options::write, json!({"path": "a"})).await, ToolOutcome::value(json!(1)));

    let charge = options::charge.spec();
    assert_eq!(charge.effect, EffectClass::Once(OnDoubt::Tell));
    assert_eq!(charge.timeout, Some(Micros(120_000_000)));
    assert_eq!(charge.parameters["properties"]["cents"]["maximum"], 500);

    let empty = json!({"type": "object", "properties": {}, "additionalProperties": false});
    assert_eq!(options::ping.spec().parameters, empty);
    assert_eq!(call(&options::ping, json!({})).await, ToolOutcome::text("pong"));
    let nothing = legwork::core::ToolCall::new("c", "type", "");
    let outcome = options::ping.call(&nothing, &legwork_testkit::tool::context()).await;
    assert_eq!(outcome, ToolOutcome::text("pong"));
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_reported() {
    let check = async |arguments: Value, words: &str| match call(&add, arguments).await {
        ToolOutcome::Failed(FailureKind::InvalidArguments, message) => {
            assert!(message.starts_with("the arguments of `add` do not fit: "), "{message}");
            assert!(message.contains(words), "{message}");
        }
        other => panic!("{other:?}"),
    };
    check(json!({"a": 1}), "missing field `b`").await;
    check(json!({"a": 1, "b": "2"}), "invalid type").await;
    check(json!({"a": 1, "b": 2, "c": 3}), "unknown field `c`").await;
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Unit {
    Metre,
    Foot,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Length {
    value: f64,
    unit: Unit,
}

/// Converts lengths to metres.
#[tool(read_only)]
async fn metres(lengths: Vec<Length>) -> Vec<f64> {
    let metres = |length: Length| match length.unit {
        Unit::Metre => length.value,
        Unit::Foot => length.value * 0.3048,
    };
    lengths.into_iter().map(metres).collect()
}

#[tokio::test]
async fn arguments_may_be_types_of_ones_own() {
    let definitions = &metres.spec().parameters["$defs"];
    assert!(definitions["Length"]["properties"]["unit"].is_object());
    let lengths = json!([{"value": 10.0, "unit": "foot"}, {"value": 1.5, "unit": "metre"}]);
    let outcome = call(&metres, json!({"lengths": lengths})).await;
    assert_eq!(outcome, ToolOutcome::value(json!([3.048, 1.5])));
}

/// Where it runs.
#[tool]
async fn session(cx: &ToolContext, suffix: String, owned: ToolContext) -> String {
    tokio::task::yield_now().await;
    format!("{}{suffix}{}", cx.session, owned.key.index)
}

#[tokio::test]
async fn s6_8_the_context_reaches_a_tool_without_the_model_seeing_it() {
    assert_eq!(session.spec().parameters["required"], json!(["suffix"]));
    assert_eq!(call(&session, json!({"suffix": "/"})).await, ToolOutcome::text("test/0"));
}

mod returns {
    use super::*;

    /// An error whose causes are shown when they are asked for.
    pub(super) struct Chain;

    impl fmt::Display for Chain {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(if f.alternate() { "outer: inner" } else { "outer" })
        }
    }

    /// D.
    #[tool]
    pub(super) fn parse(text: String) -> Result<u8, ParseIntError> {
        text.parse()
    }

    /// D.
    #[tool]
    pub(super) async fn chain() -> Result<(), Chain> {
        Err(Chain)
    }

    /// D.
    #[tool]
    pub(super) async fn outcome() -> ToolOutcome {
        ToolOutcome::Retry("later".to_owned())
    }

    /// D.
    #[tool]
    pub(super) async fn outcome_or_error(fine: bool) -> Result<ToolOutcome, String> {
        if fine { Ok(ToolOutcome::Interrupted) } else { Err("no".to_owned()) }
    }

    /// D.
    #[tool]
    pub(super) async fn value_or_outcome(fine: bool) -> Result<u8, ToolOutcome> {
        if fine { Ok(1) } else { Err(ToolOutcome::Retry("again".to_owned())) }
    }

    /// D.
    #[tool]
    pub(super) async fn outcome_both_ways(fine: bool) -> Result<ToolOutcome, ToolOutcome> {
        if fine { Ok(ToolOutcome::Interrupted) } else { Err(ToolOutcome::Withdrawn) }
    }

    type Aliased = std::result::Result<Option<Vec<u8>>, std::io::Error>;

    /// D.
    #[tool]
    pub(super) fn aliased(fine: bool) -> Aliased {
        if fine { Ok(None) } else { Err(std::io::Error::other("gone")) }
    }

    /// D.
    #[tool]
    pub(super) fn nothing() {}

    /// Counts down by calling itself.
    #[tool]
    pub(super) fn countdown(from: u8) -> Vec<u8> {
        if from == 0 { vec![0] } else { [vec![from], countdown(from - 1)].concat() }
    }
}

#[tokio::test]
async fn s6_4_a_body_returns_any_supported_type() {
    use returns::*;
    let fine = |fine: bool| json!({"fine": fine});
    assert_eq!(call(&parse, json!({"text": "7"})).await, ToolOutcome::value(json!(7)));
    let failed = ToolOutcome::failed("invalid digit found in string");
    assert_eq!(call(&parse, json!({"text": "x"})).await, failed);
    assert_eq!(call(&chain, json!({})).await, ToolOutcome::failed("outer: inner"));
    assert_eq!(call(&outcome, json!({})).await, ToolOutcome::Retry("later".to_owned()));
    assert_eq!(call(&outcome_or_error, fine(true)).await, ToolOutcome::Interrupted);
    assert_eq!(call(&outcome_or_error, fine(false)).await, ToolOutcome::failed("no"));
    assert_eq!(call(&value_or_outcome, fine(true)).await, ToolOutcome::value(json!(1)));
    let again = ToolOutcome::Retry("again".to_owned());
    assert_eq!(call(&value_or_outcome, fine(false)).await, again);
    assert_eq!(call(&outcome_both_ways, fine(true)).await, ToolOutcome::Interrupted);
    assert_eq!(call(&outcome_both_ways, fine(false)).await, ToolOutcome::Withdrawn);
    assert_eq!(call(&aliased, fine(true)).await, ToolOutcome::value(Value::Null));
    assert_eq!(call(&aliased, fine(false)).await, ToolOutcome::failed("gone"));
    assert_eq!(call(&nothing, json!({})).await, ToolOutcome::value(Value::Null));
    let numbers = ToolOutcome::value(json!([2, 1, 0]));
    assert_eq!(call(&countdown, json!({"from": 2})).await, numbers);
}

/// Names that the generated code might use itself.
#[tool]
#[allow(clippy::too_many_arguments)]
fn all_names(call: u8, cx: u8, arguments: u8, value: u8, outcome: u8, r#type: u8) -> u32 {
    [call, cx, arguments, value, outcome, r#type].iter().map(|n| u32::from(*n)).sum()
}

#[tokio::test]
async fn no_name_of_a_parameter_is_taken() {
    let ones = json!({"call": 1, "cx": 1, "arguments": 1, "value": 1, "outcome": 1, "type": 1});
    assert_eq!(call(&all_names, ones).await, ToolOutcome::value(json!(6)));
}

#[tokio::test]
async fn a_tool_may_be_made_inside_a_function() {
    /// Doubles.
    #[tool]
    async fn double(number: i64) -> i64 {
        number * 2
    }
    assert_eq!(call(&double, json!({"number": 4})).await, ToolOutcome::value(json!(8)));
}

#[tokio::test]
async fn s6_1_a_tool_runs_with_the_arguments_that_a_hook_changed() {
    use legwork::prelude::*;
    let doubled = hook::before_tool_use("doubled", async |call, _cx| {
        let a = call.arguments()["a"].as_i64().unwrap();
        call.with_arguments(json!({"a": 2 * a, "b": 1}))
    });
    let turns = [Turn::call("add", json!({"a": 20, "b": 5})), Turn::text("done")];
    let model = ScriptedModel::new(turns);
    let agent = Agent::builder(model.clone()).tools([add]).hook(doubled).build().unwrap();
    agent.run("What is 20 + 5?").await.unwrap();
    assert_eq!(model.asked()[1].results(), ["41"]);
}

/// A tool that calls another one with arguments of its own.
struct Inner;

impl Tool for Inner {
    fn spec(&self) -> Arc<legwork::core::ToolSpec> {
        add.spec()
    }

    fn call<'a>(
        &'a self,
        call: &'a legwork::core::ToolCall,
        cx: &'a ToolContext,
    ) -> legwork::port::BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            let arguments = json!({"a": 1, "b": 1}).to_string().into();
            add.call(&legwork::core::ToolCall { arguments, ..call.clone() }, cx).await
        })
    }
}

#[tokio::test]
async fn a_tool_may_call_another_one_with_other_arguments() {
    use legwork::prelude::*;
    let turns = [Turn::call("add", json!({"a": 20, "b": 5})), Turn::text("done")];
    let model = ScriptedModel::new(turns);
    let agent = Agent::builder(model.clone()).tool(Inner).build().unwrap();
    agent.run("What is 20 + 5?").await.unwrap();
    assert_eq!(model.asked()[1].results(), ["2"]);
}
