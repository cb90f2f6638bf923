//! What a running call is told, and what it tells observers.

use std::sync::Arc;

use legwork::prelude::*;
use legwork_testkit::{RecordingObserver, ScriptedModel, Turn};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Copied {
    files: u64,
    of: u64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Said {
    message: String,
    done: bool,
}

/// Copies files.
#[tool(read_only)]
fn copy(cx: &ToolContext) -> &'static str {
    cx.progress("begins");
    cx.progress(&Copied { files: 1, of: 2 });
    cx.progress(&&Copied { files: 2, of: 2 });
    cx.progress(&Said { message: "ready".to_owned(), done: true });
    cx.progress(&None::<u8>);
    cx.progress(&json!([1]));
    "copied"
}

#[tokio::test]
async fn s6_8_progress_reaches_observers_as_words_as_json_and_as_its_type() {
    let observer = RecordingObserver::new();
    let model = ScriptedModel::new([Turn::call("copy", json!({})), Turn::text("done")]);
    let agent = Agent::builder(model).tool(copy).observer(Arc::new(observer.clone()));
    agent.build().unwrap().run("go").await.unwrap();
    let all = observer.events();
    let is_progress = |event: &&RunEvent| matches!(event.kind, EventKind::ToolProgress { .. });
    let told: Vec<_> = all.iter().filter(is_progress).collect();
    let words = told.iter().map(|event| match &event.kind {
        EventKind::ToolProgress { index: 0, message, .. } => message.as_str(),
        other => panic!("{other:?}"),
    });
    let words: Vec<_> = words.collect();
    let one = r#"{"files":1,"of":2}"#;
    assert_eq!(words, ["begins", one, r#"{"files":2,"of":2}"#, "ready", "null", "[1]"]);
    let copied: Vec<_> = told.iter().map(|event| event.progress_as::<Copied>()).collect();
    let files = |files| Some(Copied { files, of: 2 });
    assert_eq!(copied, [None, files(1), files(2), None, None, None]);
    let said = Said { message: "ready".to_owned(), done: true };
    assert_eq!(told[3].progress_as(), Some(said));
    assert_eq!(told[0].progress_as(), Some("begins".to_owned()));
    assert_eq!(told[4].progress_as::<Option<u8>>(), Some(None));
    assert_eq!(told[5].progress_as(), Some(json!([1])));
    // The same by way of JSON.
    let line = serde_json::to_string(told[1]).unwrap();
    assert_eq!(serde_json::from_str::<RunEvent>(&line).unwrap().progress_as(), files(1));
    let read: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!((&read["type"], &read["value"]["files"]), (&json!("tool_progress"), &json!(1)));
    assert!(
        all.iter()
            .filter(|event| !is_progress(event))
            .all(|event| { event.progress_as::<String>().is_none() })
    );
}

/// Says which attempt it is.
#[tool(read_only)]
fn tries(cx: &ToolContext, n: i64) -> Result<String, ToolOutcome> {
    match n {
        0 => Err(ToolOutcome::retry("not 0")),
        _ => Ok(format!("attempt {}", cx.attempt())),
    }
}

#[tokio::test]
async fn s6_8_the_context_knows_which_attempt_a_call_is() {
    let calls =
        [json!({"n": 1}), json!({"n": 0}), json!({"n": "x"}), json!({"n": 1}), json!({"n": 1})];
    let turns = calls.map(|arguments| Turn::call("tries", arguments)).into_iter();
    let model = ScriptedModel::new(turns.chain([Turn::text("done")]).collect::<Vec<_>>());
    let run = Agent::builder(model).tool(tries).build().unwrap().run("go").await.unwrap();
    let executions = run.state().step_results().flat_map(|result| result.step.tool_executions());
    let said: Vec<_> = executions.map(|execution| execution.outcome.to_text()).collect();
    assert_eq!((&*said[0], &*said[3], &*said[4]), ("attempt 1", "attempt 3", "attempt 1"));
}
