//! Arguments that are hostile to any tool, through the whole agent, with what the tools really do.

use std::sync::Arc;

use legwork::capability::ask_user::{Question, asking};
use legwork::core::tool::FailureKind;
use legwork::prelude::*;
use legwork_core::ToolSpec;
use legwork_testkit::{ScriptedModel, Turn};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use super::{Judges, instance, suite};
use crate::folder::Folder;

/// Arguments that fit a tool, with the names of its fields that are text.
fn fitting(spec: &ToolSpec) -> (Value, Vec<String>) {
    let (judges, texts) = (Judges::of(spec), instance::text(&spec.parameters));
    let mut runner = TestRunner::deterministic();
    let mut made = std::iter::repeat_with(|| texts.new_tree(&mut runner).unwrap().current());
    let text = made.find(|text| !text.trim().is_empty() && judges.fit(text)).unwrap();
    let properties = spec.parameters["properties"].as_object().unwrap();
    let is_text = |schema: &Value| match &schema["type"] {
        Value::Array(types) => types.contains(&json!("string")),
        one => one == "string",
    };
    let names = properties.iter().filter(|(_, schema)| is_text(schema));
    let names = names.map(|(name, _)| name.clone()).collect();
    (serde_json::from_str(&text).unwrap(), names)
}

/// Arguments with the text of a JSON value in place of one of their fields.
fn with_raw(arguments: &Value, name: &str, raw: &str) -> String {
    let mut fields = arguments.as_object().unwrap().clone();
    fields.remove(name);
    let rest = Value::Object(fields).to_string();
    let rest = rest.strip_prefix('{').unwrap();
    let comma = if rest == "}" { "" } else { "," };
    format!("{{{}:{raw}{comma}{rest}", json!(name))
}

/// The outcomes of calls of one tool with these arguments, in one turn of an agent that has all.
async fn outcomes(spec: &ToolSpec, arguments: Vec<String>) -> Vec<ToolOutcome> {
    let (folder, count) = (Folder::new(), arguments.len());
    let calls = arguments.into_iter().map(|text| (spec.name.to_string(), text));
    let model = ScriptedModel::new([Turn::raw_calls(calls), Turn::text("done")]);
    // A question that fits is answered: by the number of a choice, or in words.
    let person = asking(async |question: Question| {
        Some(if question.choices.is_empty() { "as you like" } else { "1" }.to_owned())
    });
    let agent = suite::builder(&folder, model.clone()).approver(person).build().unwrap();
    let run = agent.run("go").outcome().await.unwrap();
    let steps = run.state().step_results();
    let executions = steps.flat_map(|result| result.step.tool_executions());
    let outcomes: Vec<_> = executions.map(|execution| (*execution.outcome).clone()).collect();
    assert_eq!(outcomes.len(), count, "{}: {:?}", spec.name, run.state().status());
    assert_eq!(model.requests().len(), 2, "{}: the run went on", spec.name);
    let is_panic =
        |outcome: &&ToolOutcome| matches!(outcome, ToolOutcome::Failed(FailureKind::Panicked, _));
    assert_eq!(outcomes.iter().find(is_panic), None, "{}", spec.name);
    outcomes
}

fn is_invalid(outcome: &ToolOutcome) -> bool {
    use FailureKind::{InvalidArguments, RetriesExhausted};
    matches!(outcome, ToolOutcome::Failed(InvalidArguments | RetriesExhausted, _))
}

async fn specs() -> Vec<Arc<ToolSpec>> {
    let (folder, model) = (Folder::new(), ScriptedModel::new([Turn::text("done")]));
    suite::builder(&folder, model.clone()).build().unwrap().run("go").await.unwrap();
    suite::shown(&model)
}

#[tokio::test]
async fn s6_1_a_text_of_ten_megabytes_is_taken_or_refused_by_every_tool() {
    let long = json!("a".repeat(10_000_000)).to_string();
    for spec in specs().await {
        let (arguments, names) = fitting(&spec);
        let Some(name) = names.first() else { continue };
        outcomes(&spec, vec![with_raw(&arguments, name, &long)]).await;
    }
    // In place of all arguments it fits no tool.
    let spec = specs().await.remove(0);
    let refused = outcomes(&spec, vec![long]).await;
    assert!(is_invalid(&refused[0]), "{}", refused.len());
}

#[tokio::test]
async fn s6_1_arguments_that_are_not_json_are_refused_by_every_tool() {
    let deep =
        |open: &str, close: &str| format!("{}1{}", open.repeat(10_000), close.repeat(10_000));
    for spec in specs().await {
        let (arguments, names) = fitting(&spec);
        let mut texts = vec![
            "[".repeat(10_000),
            deep("[", "]"),
            deep("{\"a\":", "}"),
            "NaN".to_owned(),
            "{\"a\": NaN}".to_owned(),
            "{\"a\": -Infinity}".to_owned(),
            "{\"a\": 1e999999}".to_owned(),
            "\u{feff}{}".to_owned(),
            "{'a': 1}".to_owned(),
            "{\"a\": 1,}".to_owned(),
            "{\"a\": \"\u{1}\"}".to_owned(),
            "{\"\\ud800\": 1}".to_owned(),
        ];
        for name in names {
            texts.push(with_raw(&arguments, &name, "NaN"));
            texts.push(with_raw(&arguments, &name, &deep("[", "]")));
            texts.extend(
                ["\"\\ud800\"", "\"\\udc00\\ud800\"", "\"\\ud83dx\"", "\"\\u12\""]
                    .map(|lone| with_raw(&arguments, &name, lone)),
            );
        }
        for (at, outcome) in outcomes(&spec, texts.clone()).await.iter().enumerate() {
            let text: String = texts[at].chars().take(60).collect();
            assert!(is_invalid(outcome), "{}: {text}: {outcome:?}", spec.name);
            assert!(outcome.to_text().contains("not JSON"), "{}: {text}: {outcome:?}", spec.name);
        }
    }
}

#[tokio::test]
async fn s6_1_odd_json_is_answered_by_every_tool() {
    for spec in specs().await {
        let (arguments, names) = fitting(&spec);
        let many: Vec<_> = (0..100_000).map(|n| format!("\"k{n}\":{n}")).collect();
        let mut texts = vec![
            "[]".to_owned(),
            "null".to_owned(),
            format!("{{{}}}", many.join(",")),
            format!("{{\"a\":{}}}", "9".repeat(100_000)),
            format!("{{\"a\":0.{}}}", "3".repeat(100_000)),
            format!("{{\"a\":{}1{}}}", "[".repeat(120), "]".repeat(120)),
        ];
        for name in names {
            let twice = format!("{{{}:\"x\",", json!(name));
            texts.push(arguments.to_string().replacen('{', &twice, 1));
            let odd =
                ["\"\\u0000\"", "\"../../../etc/passwd\"", "\"\u{202e}\"", "\"{\\\"a\\\":1}\""];
            texts.extend(odd.map(|raw| with_raw(&arguments, &name, raw)));
        }
        outcomes(&spec, texts).await;
    }
}
