//! What a hook can do at each point of a run, seen from outside: the last column of the
//! table of the lifecycle in `docs/behaviour.md`.

use std::sync::Arc;

use legwork_agent::hooks::Cx;
use legwork_agent::{Agent, Run, hook};
use legwork_core::state::CurrentToolCall;
use legwork_core::tool::ToolSelection;
use legwork_core::{
    AgentState, Decision, EffectClass, ExecutionStatus, FinishReason, Message, ModelRequest, Part,
    Response, StopReason, ToolOutcome,
};
use legwork_port::Trigger;
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::json;

use crate::tools::{World, noting, said, signal};

/// What a run showed to the world.
struct Seen {
    requests: Vec<ModelRequest>,
    notes: Vec<String>,
    run: Run,
}

impl Seen {
    fn says(&self, text: &str) -> bool {
        said(self.run.state()).iter().any(|line| line == text)
    }
}

type Change = fn(AgentState) -> AgentState;

/// A change that a hook makes, where it takes effect, and how that is seen.
struct Power {
    what: &'static str,
    on: &'static [Trigger],
    change: Change,
    seen: fn(&Seen) -> bool,
}

/// Wherever nothing else is judged or sent: "state" in the table.
const STATE: &[Trigger] = &[
    Trigger::ExecutionStart,
    Trigger::StepStart,
    Trigger::StepEnd,
    Trigger::BeforeStop,
    Trigger::ExecutionEnd,
];

/// All that fire in a run without an error.
const POINTS: [Trigger; 9] = [
    Trigger::ExecutionStart,
    Trigger::StepStart,
    Trigger::BeforeInference,
    Trigger::AfterInference,
    Trigger::BeforeToolUse,
    Trigger::AfterToolUse,
    Trigger::StepEnd,
    Trigger::BeforeStop,
    Trigger::ExecutionEnd,
];

const POWERS: &[Power] = &[
    Power {
        what: "adds a message",
        on: STATE,
        change: |state| state.with_message("by the hook"),
        seen: |seen| seen.says("by the hook"),
    },
    Power {
        what: "changes the instructions",
        on: STATE,
        change: |state| state.with_instructions("Be brief."),
        seen: |seen| &**seen.run.state().instructions() == "Be brief.",
    },
    Power {
        what: "keeps a value",
        on: &POINTS,
        change: |state| state.with_metadata("k", Some(json!(1))),
        seen: |seen| seen.run.state().context().metadata.contains_key("k"),
    },
    Power {
        what: "asks to stop",
        on: POINTS.split_at(8).0,
        change: |state| state.with_stop_signal(signal(StopReason::StopRequested)),
        seen: |seen| seen.run.status() == ExecutionStatus::Stopped,
    },
    Power {
        what: "hides a tool",
        on: &[Trigger::StepStart],
        change: |state| state.with_tool_selection(Some(ToolSelection::all().hide("look"))),
        seen: |seen| seen.requests.iter().any(|request| request.tools.iter().count() == 0),
    },
    Power {
        what: "changes the request",
        on: &[Trigger::BeforeInference],
        change: |state| {
            let pending = state.current_request().map(|request| request.as_ref().clone());
            let mut request = pending.unwrap_or_else(|| ModelRequest::blank(Arc::default()));
            request.max_output = Some(77);
            state.with_current_request(Some(Arc::new(request)))
        },
        seen: |seen| seen.requests.iter().any(|request| request.max_output == Some(77)),
    },
    Power {
        what: "changes the response",
        on: &[Trigger::AfterInference],
        change: |state| {
            let message = Message::assistant(vec![Part::text("changed")]);
            state.with_response(Response::new(message, FinishReason::Stop))
        },
        seen: |seen| seen.says("changed"),
    },
    Power {
        what: "changes the arguments",
        on: &[Trigger::BeforeToolUse],
        change: |state| state.with_tool_call_arguments(json!({"n": 2})),
        seen: |seen| seen.notes.contains(&"look 2".to_owned()),
    },
    Power {
        what: "blocks the call",
        on: &[Trigger::BeforeToolUse],
        change: |state| state.with_tool_call_blocked("test", "no"),
        seen: |seen| seen.notes.is_empty() && seen.requests.len() == 2,
    },
    Power {
        what: "answers in its place",
        on: &[Trigger::BeforeToolUse],
        change: |state| state.with_tool_call_answered(json!("known")),
        seen: |seen| seen.notes.is_empty() && seen.says("known"),
    },
    Power {
        what: "changes the result",
        on: &[Trigger::AfterToolUse],
        change: |state| state.with_tool_outcome(0, ToolOutcome::text("mended")),
        seen: |seen| seen.says("mended"),
    },
    Power {
        what: "votes for another step",
        on: &[Trigger::StepEnd],
        change: |state| match state.step_results().count() {
            0 | 1 => state.with_vote("test", Decision::Request),
            _ => state,
        },
        seen: |seen| seen.requests.len() == 3,
    },
    Power {
        what: "prevents the stop",
        on: &[Trigger::BeforeStop],
        change: |state| match state.step_results().count() {
            0..3 => state.with_stop_prevented("test"),
            _ => state,
        },
        seen: |seen| seen.requests.len() == 3,
    },
];

/// Two steps, a call in the first, with a hook that makes the change at a point.
async fn run(trigger: Trigger, change: Change) -> Seen {
    let world = World::default();
    let turns = [Turn::call("look", json!({"n": 1})), Turn::text("done"), Turn::text("again")];
    let model = ScriptedModel::new(turns);
    let agent = Agent::builder(model.clone())
        .tools([noting("look", EffectClass::ReadOnly, &world)])
        .hook(hook("test", [trigger], move |state, _| std::future::ready(Ok(change(state)))))
        .build()
        .unwrap();
    let run = agent.run("go").outcome().await.unwrap();
    Seen { requests: model.requests(), notes: world.notes(), run }
}

#[tokio::test]
async fn s2_3_a_change_takes_effect_in_a_run_where_the_table_has_it_and_nowhere_else() {
    let mut wrong = Vec::new();
    for Power { what, on, change, seen } in POWERS {
        for trigger in POINTS {
            let (may, does) = (on.contains(&trigger), seen(&run(trigger, *change).await));
            if may != does {
                wrong.push(format!("a hook on {trigger:?} {what}: {does}, but should: {may}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn s2_3_a_hook_that_hears_of_an_error_changes_the_state_and_nothing_else() {
    let changes: [(Change, bool); 3] = [
        (|state| state.with_message("by the hook"), true),
        (|state| state.with_instructions("by the hook"), true),
        (|state| state.with_tool_selection(Some(ToolSelection::all().hide("look"))), false),
    ];
    for (change, may) in changes {
        let model = ScriptedModel::new([Turn::status(400).with_message("no such model")]);
        let hears =
            hook("test", [Trigger::Error], move |state, _| std::future::ready(Ok(change(state))));
        let run =
            Agent::builder(model).hook(hears).build().unwrap().run("go").outcome().await.unwrap();
        assert_eq!(run.status(), ExecutionStatus::Failed);
        let state = run.state();
        let changed = said(state).contains(&"by the hook".to_owned())
            || &**state.instructions() == "by the hook";
        let refused = state.errors().any(|error| error.message.contains("is left out"));
        assert_eq!((changed, refused), (may, !may));
    }
}

#[tokio::test]
async fn s2_3_equal_tools_and_an_equal_call_in_another_place_are_no_change() {
    let copies = hook("copies", [Trigger::BeforeInference, Trigger::BeforeToolUse], copied);
    let world = World::default();
    let model = ScriptedModel::new([Turn::call("look", json!({"n": 1})), Turn::text("done")]);
    let agent = Agent::builder(model).hook(copies);
    let agent = agent.tools([noting("look", EffectClass::ReadOnly, &world)]).build().unwrap();
    let run = agent.run("go").await.unwrap();
    assert_eq!(run.state().errors().count(), 0, "{:?}", run.state().errors().next());
    assert_eq!((run.text().as_str(), world.notes()), ("done", vec!["look 1".to_owned()]));
}

/// The state with the request and the call that it shows made anew.
async fn copied(state: AgentState, _: Cx) -> Result<AgentState, hook::Error> {
    let request = state.current_request().map(|request| {
        let mut request = (**request).clone();
        request.tools = Arc::new((*request.tools).clone());
        request.instructions = "Look.".into();
        Arc::new(request)
    });
    let call = state.current_tool_call().map(|pending| {
        let call = Arc::new((*pending.call).clone());
        Arc::new(CurrentToolCall { call, ..(**pending).clone() })
    });
    Ok(state.with_current_request(request).with_current_tool_call(call))
}
