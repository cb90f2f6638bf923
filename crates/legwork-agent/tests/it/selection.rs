//! Which tools a step shows, as a hook selected them.

use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Builder, Hook, hook};
use legwork_core::event::Event;
use legwork_core::tool::{FailureKind, ToolSelection};
use legwork_core::{AgentState, EffectClass, ToolOutcome};
use legwork_port::store::Range;
use legwork_port::{Store, Tool, Trigger};
use legwork_testkit::{Script, ScriptedModel, Turn, crash};
use serde_json::{Value, json};

use crate::tools::{World, noting, outcomes};

/// Selects for the first step alone.
fn selects(selection: ToolSelection) -> Hook {
    hook("selects", [Trigger::StepStart], move |state: AgentState, _| {
        let first = state.step_results().count() == 0;
        let selection = first.then(|| selection.clone());
        std::future::ready(Ok(match selection {
            Some(selection) => state.with_tool_selection(Some(selection)),
            None => state,
        }))
    })
}

fn agent(model: &ScriptedModel, world: &World, selection: ToolSelection) -> Builder {
    let look = noting("look", EffectClass::ReadOnly, world);
    let send = noting("send", EffectClass::ReadOnly, world);
    Agent::builder(model.clone()).tools([look, send]).hook(selects(selection))
}

/// What each step of a run was shown, and what came of its calls.
async fn shown(selection: ToolSelection, turn: Turn) -> (Vec<Vec<String>>, Vec<ToolOutcome>) {
    let model = ScriptedModel::new([turn, Turn::text("done")]);
    let world = World::default();
    let run = agent(&model, &world, selection).build().unwrap().run("go").await.unwrap();
    assert_eq!(run.text(), "done");
    let tools = model.asked().into_iter().map(|asked| asked.tools).collect();
    (tools, outcomes(run.state()))
}

fn call(name: &str, n: i64) -> Turn {
    Turn::call(name, json!({"n": n}))
}

#[tokio::test]
async fn s2_a_hidden_tool_is_not_shown_and_cannot_be_called_and_is_back_in_the_next_step() {
    let (tools, outcomes) = shown(ToolSelection::all().hide("send"), call("send", 1)).await;
    assert_eq!(tools, [vec!["look"], vec!["look", "send"]]);
    let words = "There is no tool `send`. The tools are: look.".to_owned();
    assert_eq!(outcomes, [ToolOutcome::Failed(FailureKind::UnknownTool, words)]);
}

#[tokio::test]
async fn s2_a_selection_shows_only_what_there_is_and_adds_nothing() {
    let ghost = json!({"type": "object"});
    let selection = ToolSelection::only(["look", "ghost"])
        .describe("ghost", "Haunts.")
        .parameters("ghost", ghost);
    let (tools, outcomes) = shown(selection, call("ghost", 1)).await;
    assert_eq!(tools, [vec!["look"], vec!["look", "send"]]);
    assert!(matches!(&outcomes[..], [ToolOutcome::Failed(FailureKind::UnknownTool, _)]));
    let none: [&str; 0] = [];
    let (tools, outcomes) = shown(ToolSelection::only(none), call("look", 1)).await;
    assert_eq!(tools, [vec![], vec!["look", "send"]]);
    let words = "There is no tool `look`. The tools are: there are no tools.".to_owned();
    assert_eq!(outcomes, [ToolOutcome::Failed(FailureKind::UnknownTool, words)]);
}

fn small() -> Value {
    json!({
        "type": "object",
        "properties": {"n": {"type": "integer", "maximum": 3}},
        "required": ["n"],
    })
}

#[tokio::test]
async fn s2_a_rewritten_tool_is_shown_and_journaled_as_rewritten_and_calls_are_held_against_it() {
    let model = ScriptedModel::new([
        Turn::calls([("look", json!({"n": 3})), ("look", json!({"n": 4}))]),
        call("look", 4),
        Turn::text("done"),
    ]);
    let (world, store) = (World::default(), MemoryStore::new());
    let selection =
        ToolSelection::all().describe("look", "Looks at 1 to 3.").parameters("look", small());
    let agent = agent(&model, &world, selection).store_in(Arc::new(store.clone()));
    let run = agent.build().unwrap().run("go").in_session("s").await.unwrap();
    assert_eq!(world.notes(), ["look 3", "look 4"], "3 in the first step, 4 in the second");
    let outcomes = outcomes(run.state());
    assert!(
        matches!(&outcomes[1], ToolOutcome::Failed(FailureKind::InvalidArguments, why) if why.contains('3')),
        "{outcomes:?}"
    );
    let requests = model.requests();
    let sent = |at: usize| {
        let tool = requests[at].tools.iter().next().unwrap();
        (tool.description.to_string(), tool.parameters.clone())
    };
    assert_eq!(sent(0), ("Looks at 1 to 3.".to_owned(), small()));
    assert_eq!(sent(1).0, "Does what the test wants.");

    // The journal has what was shown, whole, when it changed.
    let journal = store.read(&"s".into(), Range::ALL).await.unwrap().journal;
    let recorded: Vec<_> = journal
        .entries()
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::InferenceStarted(started) => Some(started.tools.as_ref()),
            _ => None,
        })
        .map(|tools| tools.map(|tools| tools.specs[0].description.to_string()))
        .collect();
    let words = |words: &str| Some(words.to_owned());
    let expected = [words("Looks at 1 to 3."), words("Does what the test wants."), None];
    assert_eq!(recorded, expected);
}

#[tokio::test]
async fn s2_calls_of_a_tool_that_is_shown_with_a_wider_schema_are_held_against_its_own_too() {
    let wide = json!({"type": "object", "properties": {"n": {"type": ["integer", "string"]}}});
    let turn = Turn::calls([("look", json!({"n": 1})), ("look", json!({"n": "one"}))]);
    let (_, outcomes) = shown(ToolSelection::all().parameters("look", wide), turn).await;
    assert_eq!(outcomes[0], ToolOutcome::value(json!(1)));
    let ToolOutcome::Failed(FailureKind::InvalidArguments, why) = &outcomes[1] else { panic!() };
    assert!(why.contains("at /n"), "{why}");
}

#[tokio::test]
async fn s6_12_what_is_selected_is_recorded_when_it_changes_and_nothing_of_no_tools() {
    let recorded = async |tools: Vec<Arc<dyn Tool>>, turns: Vec<Turn>| {
        let store = MemoryStore::new();
        let hides = hook("hides", [Trigger::StepStart], |state: AgentState, _| {
            let hidden = ToolSelection::all().hide("send");
            std::future::ready(Ok(state.with_tool_selection(Some(hidden))))
        });
        let builder = Agent::builder(ScriptedModel::new(turns)).store_in(Arc::new(store.clone()));
        let builder = if tools.is_empty() { builder } else { builder.tools(tools).hook(hides) };
        builder.build().unwrap().run("go").in_session("s").await.unwrap();
        let journal = store.read(&"s".into(), Range::ALL).await.unwrap().journal;
        let tools = journal.entries().iter().filter_map(|entry| match &entry.event {
            Event::InferenceStarted(started) => Some(started.tools.as_ref().map(|t| t.specs.len())),
            _ => None,
        });
        tools.collect::<Vec<_>>()
    };
    let world = World::default();
    let both = ["look", "send"].map(|name| noting(name, EffectClass::ReadOnly, &world)).to_vec();
    let turns = vec![call("look", 1), call("look", 2), Turn::text("done")];
    assert_eq!(recorded(both, turns).await, [Some(1), None, None]);
    assert_eq!(recorded(Vec::new(), vec![Turn::text("done")]).await, [None]);
}

#[tokio::test]
async fn s2_a_selection_outlives_a_crash_in_its_step_and_no_further() {
    let report = crash::simulate("go", |world: &World, store| {
        let model = ScriptedModel::new(Script::from_fn({
            let world = world.clone();
            move |asked| {
                world.note(format!("turn {} shows {}", asked.turn(), asked.tools.join(" ")));
                match asked.turn() {
                    0 => Turn::calls([
                        ("look", json!({"n": 4})),
                        ("send", json!({"n": 1})),
                        ("look", json!({"n": 2})),
                    ]),
                    1 => Turn::calls([("send", json!({"n": 2})), ("look", json!({"n": 5}))]),
                    _ => Turn::text("done"),
                }
            }
        }));
        let selection = ToolSelection::only(["look"]).parameters("look", small());
        agent(&model, world, selection).store_in(store).build()
    })
    .crash_everywhere()
    .await
    .unwrap();
    let ran = |world: &World| {
        let mut notes = world.notes();
        notes.sort();
        notes.dedup();
        notes
    };
    let plain = ran(&report.plain.world);
    let shows = ["turn 0 shows look", "turn 1 shows look send", "turn 2 shows look send"];
    assert_eq!(plain[..3], ["look 2", "look 5", "send 2"]);
    assert_eq!(plain[3..], shows);
    assert!(report.crashed.len() >= 10);
    report.check(|plain, crashed| {
        if ran(&crashed.world) != ran(&plain.world) {
            return Err(format!("{:?}", crashed.world.notes()));
        }
        match outcomes(&crashed.state) == outcomes(&plain.state) {
            true => Ok(()),
            false => Err(format!("{:?}", outcomes(&crashed.state))),
        }
    });
}
