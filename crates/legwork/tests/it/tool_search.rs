//! Tools that are hidden until the model finds them.

use std::sync::Arc;

use legwork::agent::memory::MemoryStore;
use legwork::core::tool::FailureKind;
use legwork::prelude::*;
use legwork::tool::from_fn;
use legwork::toolset::{Ask, Combined, Tools};
use legwork_core::ModelRequest;
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::{Value, json};

/// 300 tools of one kind, and two of another.
fn office() -> Combined {
    let sensor = |n: u32| from_fn(format!("sensor_{n}"), "Reads a sensor.\nIn detail.", move || n);
    let pay = from_fn("pay", "Pays an invoice.\n\nIt takes a while.", || "paid").idempotent();
    let bills = Tools::new("bills", [pay.approval(Ask::always()).into()]).prefixed("bank_");
    let sensors = (0..300).map(|n| sensor(n).read_only().into());
    Combined::new("office").with(Tools::new("sensors", sensors)).with(bills)
}

fn agent(model: &ScriptedModel, store: &MemoryStore) -> Agent {
    let set = office().searchable();
    let agent = Agent::builder(model.clone()).toolset(set).store_in(Arc::new(store.clone()));
    agent.tool(from_fn("clock", "Tells the time.", || "noon").read_only()).build().unwrap()
}

fn search(query: &str) -> Turn {
    Turn::call("tool_search", json!({"query": query}))
}

fn names(request: &ModelRequest) -> Vec<String> {
    request.tools.iter().map(|spec| spec.name.to_string()).collect()
}

fn outcomes(run: &Run) -> Vec<ToolOutcome> {
    let executions = run.state().step_results().flat_map(|result| result.step.tool_executions());
    executions.map(|execution| (*execution.outcome).clone()).collect()
}

#[tokio::test]
async fn s6_11_a_tool_is_shown_once_it_was_found() {
    let turns = [
        Turn::calls([("sensor_7", json!({})), ("clock", json!({}))]),
        search("sensor_7"),
        Turn::call("sensor_7", json!({})),
        search("helicopter"),
        Turn::call("tool_search", json!({"query": "sensor", "limit": 2})),
        Turn::text("done"),
        Turn::text("again"),
    ];
    let (model, store) = (ScriptedModel::new(turns), MemoryStore::new());
    let agent = agent(&model, &store);
    let run = agent.run("go").in_session("s").await.unwrap();
    let outcomes = outcomes(&run);
    match &outcomes[0] {
        ToolOutcome::Failed(FailureKind::UnknownTool, why) => {
            assert_eq!(why, "There is no tool `sensor_7`. The tools are: clock, tool_search.");
        }
        other => panic!("{other:?}"),
    }
    let found = outcomes[2].as_json().unwrap();
    assert_eq!(found["tools"][0], json!({"name": "sensor_7", "description": "Reads a sensor."}));
    assert_eq!(found["tools"].as_array().unwrap().len(), 5);
    assert_eq!(found["note"], "295 more match: ask for more, or more exactly.");
    assert_eq!(outcomes[3], ToolOutcome::value(json!(7)));
    assert_eq!(outcomes[4].as_json().unwrap()["tools"], json!([]));
    assert_eq!(outcomes[5].as_json().unwrap()["tools"].as_array().unwrap().len(), 2);
    let shown: Vec<_> = model.requests().iter().map(names).collect();
    assert_eq!(shown[1], ["clock", "tool_search"]);
    let found =
        ["clock", "tool_search", "sensor_0", "sensor_1", "sensor_2", "sensor_3", "sensor_7"];
    for step in [2, 3, 5] {
        assert_eq!(shown[step], found, "{step}");
    }
    let whole = model.requests()[2].tools.find("sensor_7").unwrap().1.description.to_string();
    assert_eq!(whole, "Reads a sensor.\nIn detail.");
    // Another execution begins with what is always shown.
    agent.run("more").in_session("s").await.unwrap();
    assert_eq!(names(&model.requests()[6]), ["clock", "tool_search"]);
}

#[tokio::test]
async fn s6_11_what_was_found_is_read_from_the_journal_by_whoever_resumes() {
    let turns = [search("pay an invoice"), Turn::call("bank_pay", json!({}))];
    let (model, store) = (ScriptedModel::new(turns.clone()), MemoryStore::new());
    let run = agent(&model, &store).run("go").in_session("s").outcome().await.unwrap();
    let waits = run.state().pending()[0].clone();
    assert_eq!(&*waits.tool, "bank_pay");
    // Another process: nothing is known there but the journal.
    let [search, call] = turns;
    let model = ScriptedModel::new([search, call, Turn::text("done")]);
    let agent = agent(&model, &store);
    agent.session("s").answer(Answer::approve(&waits).by("Ann")).await.unwrap();
    let run = agent.resume("s").await.unwrap();
    assert_eq!(outcomes(&run)[1], ToolOutcome::text("paid"));
    assert_eq!(names(&model.requests()[0]), ["clock", "tool_search", "bank_pay"]);
}

#[tokio::test]
async fn s6_11_searchable_sets_compose_and_what_is_wrong_in_them_is_told_when_the_agent_is_built() {
    let set = office().searchable().renamed([("tool_search", "find_tool")]).max_result(100_000);
    let turns = [Turn::call("find_tool", json!({"query": "invoice"})), Turn::text("done")];
    let model = ScriptedModel::new(turns);
    let agent = Agent::builder(model.clone()).toolset(set).build().unwrap();
    agent.run("go").await.unwrap();
    let shown: Vec<_> = model.requests().iter().map(names).collect();
    assert_eq!(shown, [vec!["find_tool"], vec!["find_tool", "bank_pay"]]);
    let broken = legwork::tool::from_schema("odd", "Odd.", json!({"type": 1}), |_: Value| "");
    let set = Tools::new("hidden", [broken.into()]).searchable();
    let error = Agent::builder(model).toolset(set).build().unwrap_err().to_string();
    assert!(error.contains("`odd`"), "{error}");
}
