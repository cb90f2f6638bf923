//! What the runtime does with these tools: in which order it runs them, and after a crash.

use std::sync::Arc;

use legwork_agent::toolset::{Ask, Tools, ToolsetExt as _};
use legwork_agent::{Agent, Error};
use legwork_port::core::{ExecutionStatus, OnDoubt};
use legwork_port::{EventKind, Store, Tool};
use legwork_testkit::crash::{self, Ended, Report};
use legwork_testkit::{RecordingObserver, ScriptedModel, Turn};
use serde_json::{Value, json};

use crate::fixture::Fixture;

type Calls = fn() -> Vec<(&'static str, Value)>;

fn agent(place: &Fixture, calls: Vec<(&'static str, Value)>) -> legwork_agent::Builder {
    let model = ScriptedModel::new([Turn::calls(calls), Turn::text("done")]);
    Agent::builder(model).tool(place.read()).tool(place.write_tool()).tool(place.bash())
}

/// Crashes a turn of calls at each of its commits; people are asked about what is in doubt.
async fn crashed(calls: Calls) -> Report<Fixture> {
    let make = move |place: &Fixture, store: Arc<dyn Store>| -> Result<Agent, Error> {
        if !place.path("given").exists() {
            place.write("given", "as it was\n");
        }
        agent(place, calls()).store_in(store).build()
    };
    let report = crash::simulate("go", make).on_doubt(OnDoubt::Ask).crash_everywhere().await;
    let report = report.expect("the undisturbed run works");
    assert!(report.crashed.len() >= 6, "{} crashes", report.crashed.len());
    report
}

/// The results that the model got for its calls.
fn results(ended: &Ended<Fixture>) -> Vec<String> {
    let steps = ended.state.step_results();
    steps
        .flat_map(|result| result.step.tool_executions().collect::<Vec<_>>())
        .map(|execution| execution.outcome.to_text())
        .collect()
}

fn is_completed(ended: &Ended<Fixture>) -> bool {
    ended.state.status() == Some(&ExecutionStatus::Completed)
}

fn lines(ended: &Ended<Fixture>, file: &str) -> usize {
    std::fs::read_to_string(ended.world.path(file)).unwrap_or_default().lines().count()
}

#[tokio::test]
async fn s6_7_a_write_that_a_crash_cut_off_is_made_again_and_changes_nothing() {
    let report = crashed(|| vec![("write", json!({ "path": "a", "content": "x\n" }))]).await;
    report.check(|_, ended| match is_completed(ended) && ended.world.bytes("a") == b"x\n" {
        true => Ok(()),
        false => Err(format!("{:?}, {:?}", ended.state.status(), results(ended))),
    });
    let again = "a holds exactly this already: 2 bytes, 1 line; nothing was changed";
    let retried = report.crashed.iter().filter(|ended| results(ended) == [again]).count();
    assert!(
        retried > 0,
        "no write was made again: {:?}",
        report.crashed.iter().map(results).collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn s6_7_a_read_that_a_crash_cut_off_is_repeated_without_asking() {
    let report = crashed(|| vec![("read", json!({ "path": "given" }))]).await;
    report.check(|plain, ended| match is_completed(ended) && results(ended) == results(plain) {
        true => Ok(()),
        false => Err(format!("{:?}, {:?}", ended.state.status(), results(ended))),
    });
}

#[tokio::test]
async fn s6_7_a_command_that_a_crash_cut_off_never_runs_again_by_itself() {
    let report = crashed(|| vec![("bash", json!({ "command": "echo ran >> log" }))]).await;
    assert_eq!(lines(&report.plain, "log"), 1);
    report.check(|_, ended| match (ended.state.status(), lines(ended, "log")) {
        (Some(ExecutionStatus::Completed), 1) => Ok(()),
        // It may have run; a person says what to do.
        (Some(ExecutionStatus::AwaitingApproval), 0 | 1) => Ok(()),
        (status, ran) => Err(format!("{status:?}, it ran {ran} times")),
    });
    let asked = report.crashed.iter().filter(|ended| !is_completed(ended)).count();
    assert!(asked > 0, "no question about a command in doubt");
}

/// The calls of a turn as they begin (`+`) and end (`-`), by their indices.
async fn order(calls: Calls) -> String {
    let place = Fixture::new();
    place.write("given", "as it was\n");
    ordered(&place, RecordingObserver::new(), calls()).await
}

/// The same in a place that is made already.
async fn ordered(
    place: &Fixture,
    observer: RecordingObserver,
    calls: Vec<(&'static str, Value)>,
) -> String {
    let agent = agent(place, calls).build().expect("an agent");
    agent.run("go").observer(Arc::new(observer.clone())).await.expect("a run");
    let one = |live| match live {
        EventKind::ToolStarted { index, .. } => Some(format!("+{index}")),
        EventKind::ToolFinished { index, .. } => Some(format!("-{index}")),
        _ => None,
    };
    observer.kinds().into_iter().filter_map(one).collect()
}

#[tokio::test]
async fn s6_5_a_command_is_a_barrier() {
    let calls: [Calls; 3] = [
        || vec![("bash", json!({ "command": "true" })), ("bash", json!({ "command": "true" }))],
        || vec![("read", json!({ "path": "given" })), ("bash", json!({ "command": "true" }))],
        || vec![("bash", json!({ "command": "true" })), ("read", json!({ "path": "given" }))],
    ];
    for calls in calls {
        assert_eq!(order(calls).await, "+0-0+1-1", "{:?}", calls());
    }
}

#[tokio::test]
async fn s6_5_calls_on_one_file_by_several_paths_run_one_after_the_other() {
    for others in [absolute, through_a_link, through_a_linked_folder, to_be_made] {
        let (place, observer) = (Fixture::new(), RecordingObserver::new());
        std::fs::create_dir(place.path("folder")).expect("a folder");
        place.write("folder/given", "as it was\n");
        std::os::unix::fs::symlink("folder", place.path("linked")).expect("a link to a folder");
        std::os::unix::fs::symlink("folder/given", place.path("link")).expect("a link");
        let (first, second) = others(&place);
        let write =
            |path: &str| ("write", json!({ "path": path, "content": path, "overwrite": true }));
        let calls = vec![write(&first), write(&second)];
        assert_eq!(ordered(&place, observer, calls).await, "+0-0+1-1", "{first} {second}");
    }
}

fn absolute(place: &Fixture) -> (String, String) {
    ("folder/given".to_owned(), place.path("folder/given").display().to_string())
}

fn through_a_link(_place: &Fixture) -> (String, String) {
    ("link".to_owned(), "folder/given".to_owned())
}

fn through_a_linked_folder(_place: &Fixture) -> (String, String) {
    ("folder/new".to_owned(), "linked/new".to_owned())
}

fn to_be_made(place: &Fixture) -> (String, String) {
    ("linked/deep/new".to_owned(), place.path("folder/deep/new").display().to_string())
}

#[tokio::test]
async fn s6_5_a_link_that_a_command_of_the_turn_makes_is_seen() {
    let (place, observer) = (Fixture::new(), RecordingObserver::new());
    place.write("given", "as it was\n");
    let write = |path: &str| ("write", json!({ "path": path, "content": "", "overwrite": true }));
    let link = ("bash", json!({ "command": "ln -s given link" }));
    let calls = vec![link, write("given"), write("link")];
    assert_eq!(ordered(&place, observer, calls).await, "+0-0+1-1+2-2");
}

#[tokio::test]
async fn s6_5_s7_2_a_link_that_a_command_makes_is_seen_by_what_waits_behind_it() {
    let place = Fixture::new();
    place.write("given", "as it was\n");
    let write = |path: &str, content: &str| {
        ("write", json!({ "path": path, "content": content, "overwrite": true }))
    };
    let link = ("bash", json!({ "command": "ln -s given link" }));
    let calls = [link, write("link", "second\n"), write("given", "third\n")];
    let model = ScriptedModel::new([Turn::calls(calls), Turn::text("done")]);
    let asks = Ask::always().when(|call| call.arguments["path"] == "link");
    let files: [Arc<dyn Tool>; 1] = [Arc::new(place.write_tool())];
    let agent = Agent::builder(model)
        .toolset(Tools::new("files", files).approval_required(asks))
        .tool(place.bash())
        .build()
        .expect("it is an agent");
    let run = agent.run("go").outcome().await.expect("it runs");
    assert_eq!(run.state().pending().len(), 1);
    // The file behind the link waits with it.
    assert_eq!(place.bytes("given"), b"as it was\n");
}

#[tokio::test]
async fn s6_5_calls_on_one_file_run_one_after_the_other() {
    let apart: [Calls; 3] = [
        || vec![("read", json!({ "path": "given" })), ("read", json!({ "path": "./given" }))],
        || {
            let write = json!({ "path": "new", "content": "" });
            vec![("write", write), ("read", json!({ "path": "x/../new" }))]
        },
        || {
            let write = |content| json!({ "path": "new", "content": content, "overwrite": true });
            vec![("write", write("a")), ("write", write("b"))]
        },
    ];
    for calls in apart {
        assert_eq!(order(calls).await, "+0-0+1-1", "{:?}", calls());
    }
    let apart = || {
        vec![("read", json!({ "path": "given" })), ("write", json!({ "path": "b", "content": "" }))]
    };
    assert!(order(apart).await.starts_with("+0+1"), "other files do not wait for each other");
}
