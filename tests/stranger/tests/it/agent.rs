//! All three in a real agent.

use std::sync::Arc;

use legwork_agent::{Agent, Error};
use legwork_port::Store;
use legwork_port::core::{ExecutionStatus, ToolOutcome};
use legwork_port::store::Range;
use legwork_testkit::{Gate, ScriptedModel, Turn};
use serde_json::json;
use stranger::chisel::{Chisel, Stone};
use stranger::jsonl::Jsonl;
use stranger::quota::Quota;
use stranger::roman::{Roman, numeral};

use crate::Folder;

/// An agent that works with all that the stranger wrote.
pub(crate) fn agent(
    turns: impl IntoIterator<Item = Turn>,
    stone: &Stone,
    store: Arc<dyn Store>,
) -> Result<Agent, Error> {
    Agent::builder(ScriptedModel::new(turns.into_iter().collect::<Vec<_>>()))
        .tool(Roman::new())
        .tool(Chisel::new(stone.clone()))
        .lifecycle(Quota::new("chisel", 2))
        .store_in(store)
        .build()
}

/// Two chisel calls that the quota lets pass, and one that it blocks.
pub(crate) fn turns() -> [Turn; 3] {
    [
        Turn::calls([("roman", json!({"number": 17})), ("chisel", json!({"number": 42}))]),
        Turn::calls([("chisel", json!({"number": 1990})), ("chisel", json!({"number": 4}))]),
        Turn::text("XVII it is"),
    ]
}

fn store(folder: &Folder) -> Arc<dyn Store> {
    Arc::new(Jsonl::open(&folder.0).unwrap())
}

#[test]
fn numerals() {
    for (number, wanted) in
        [(1, "I"), (4, "IV"), (42, "XLII"), (1990, "MCMXC"), (3999, "MMMCMXCIX")]
    {
        assert_eq!(numeral(number), wanted);
    }
}

#[tokio::test]
async fn the_tool_works_the_lifecycle_blocks_and_the_store_keeps_it() {
    let folder = Folder::new();
    let stone = Stone::default();
    let agent = agent(turns(), &stone, store(&folder)).unwrap();
    let run = agent.run("17 in Roman, please").in_session("s").await.unwrap();
    assert_eq!((run.text().as_str(), run.status()), ("XVII it is", ExecutionStatus::Completed));
    assert_eq!(stone.numerals(), ["XLII", "MCMXC"]);

    // All of it is in the files, for whoever opens them.
    let read = store(&folder).read(run.session(), Range::ALL).await.unwrap();
    let state = read.journal.fold(run.session());
    assert_eq!(&state, run.state());
    let executions = state.step_results().flat_map(|result| result.step.tool_executions());
    let outcomes: Vec<_> = executions.map(|execution| (*execution.outcome).clone()).collect();
    assert_eq!(outcomes[..3], ["XVII", "XLII", "MCMXC"].map(ToolOutcome::text));
    assert!(matches!(&outcomes[3], ToolOutcome::Blocked { by, .. } if by == Quota::NAME));
    assert_eq!(state.context().metadata[Quota::NAME], json!({"allowed": 2, "blocked": 1}));
}

#[tokio::test]
async fn what_does_not_fit_the_tools_schema_is_told_to_the_model() {
    let turns = [Turn::call("roman", json!({"number": 4000})), Turn::text("too much")];
    let folder = Folder::new();
    let agent = agent(turns, &Stone::default(), store(&folder)).unwrap();
    let run = agent.run("4000?").await.unwrap();
    let told = run.state().context().transcript.messages().iter().any(|message| {
        let text = format!("{message:?}");
        text.contains("/number") && text.contains("3999")
    });
    assert!(told, "{:?}", run.state().context().transcript);
    assert_eq!(run.text(), "too much");
}

#[tokio::test]
async fn a_run_that_was_dropped_goes_on_from_the_files() {
    let folder = Folder::new();
    let stone = Stone::default();
    let [first, second, last] = turns();
    let never = Gate::new();
    {
        let turns = [first.clone(), second.clone().behind(&never), last.clone()];
        let agent = agent(turns, &stone, store(&folder)).unwrap();
        let run = agent.run("17?").in_session("s");
        tokio::select! {
            run = run => panic!("it ended: {run:?}"),
            () = never.arrived(1) => {}
        }
    }
    assert_eq!(stone.numerals(), ["XLII"]);
    let agent = agent([first, second, last], &stone, store(&folder)).unwrap();
    let run = agent.resume("s").await.unwrap();
    assert_eq!((run.text().as_str(), run.status()), ("XVII it is", ExecutionStatus::Completed));
    assert_eq!(stone.numerals(), ["XLII", "MCMXC"]);
    assert_eq!(run.state().context().metadata[Quota::NAME], json!({"allowed": 2, "blocked": 1}));
}

#[tokio::test]
async fn a_session_at_work_cannot_be_taken_up_by_another() {
    let folder = Folder::new();
    let stone = Stone::default();
    let gate = Gate::new();
    let one = agent([Turn::text("done").behind(&gate)], &stone, store(&folder)).unwrap();
    let other = agent([Turn::text("done")], &stone, store(&folder)).unwrap();
    let second = async {
        gate.arrived(1).await;
        let refused = other.resume("s").await;
        gate.open();
        refused
    };
    let (first, second) = tokio::join!(one.run("go").in_session("s"), second);
    assert_eq!(first.unwrap().text(), "done");
    assert!(matches!(second, Err(Error::Store(error)) if error.is_conflict()));
}
