//! The stream of events: what it tells of whole runs.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use legwork_agent::event::VERSION;
use legwork_agent::hooks::priority;
use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Builder, EventKind, RunEvent, RunStream, Subagent, hook, subagent};
use legwork_core::budget::{Amounts, MicroUsd, Price};
use legwork_core::event::Event;
use legwork_core::journal::Journal;
use legwork_core::{
    AgentState, Budget, EffectClass, Entry, ModelRequest, Response, Seq, SessionId, Timestamp,
    ToolOutcome,
};
use legwork_port::model::{self, Ability, Profile};
use legwork_port::store::Range;
use legwork_port::{BoxFuture, Deltas, Model, Store, Tool, Trigger};
use legwork_testkit::{Gate, ScriptedModel, Turn, VirtualClock};
use serde_json::json;

use crate::tools::{World, made, noting, spec};

pub(crate) const BEGIN: u64 = 1_700_000_000_000;

/// A model that takes two seconds to answer, and says whether it was asked to stream.
pub(crate) struct Slow(pub(crate) ScriptedModel, VirtualClock, pub(crate) World);

impl Model for Slow {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn profile(&self) -> &Profile {
        self.0.profile()
    }

    fn infer<'a>(
        &'a self,
        request: ModelRequest,
        deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, model::Error>> {
        let streams = deltas.as_ref().is_some_and(|deltas| deltas.streams());
        self.2.note(format!("streams: {streams}"));
        self.1.advance(Duration::from_secs(2));
        self.0.infer(request, deltas)
    }
}

pub(crate) fn slow(
    name: &str,
    turns: impl IntoIterator<Item = Turn>,
    clock: &VirtualClock,
) -> Slow {
    let dollars = |n: u64| MicroUsd(n * 1_000_000);
    let (input, output) = (dollars(1), dollars(2));
    let price = Price::new(input, output);
    let profile = Profile::new().with_prices(price).with(Ability::Tools).with_max_output(100);
    let model = ScriptedModel::new(turns.into_iter().collect::<Vec<_>>()).named(name);
    Slow(model.with_profile(profile), clock.clone(), World::default())
}

/// A tool that takes a second and says how far it got.
pub(crate) fn work(clock: &VirtualClock) -> Arc<dyn Tool> {
    let clock = clock.clone();
    made(spec("work").effect(EffectClass::ReadOnly), move |arguments, cx| {
        cx.progress("half of it");
        clock.advance(Duration::from_secs(1));
        Box::pin(std::future::ready(ToolOutcome::value(arguments["n"].clone())))
    })
}

/// An agent with a tool, hooks, a budget and a subagent that works with the same tool.
fn busy(store: &MemoryStore) -> Builder {
    let clock = VirtualClock::new();
    let spawn = (subagent::TOOL, json!({"agent": "helper", "prompt": "help"}));
    let turns = [Turn::calls([("work", json!({"n": 1})), spawn]), Turn::text("done")];
    let helps = [Turn::call("work", json!({"n": 2})), Turn::text("helped")];
    let helper = Subagent::new("helper", "Helps.", "You help.");
    let helper = helper.model(slow("x:helper", helps, &clock));
    let notes = hook("notes", [Trigger::StepEnd], |state: AgentState, _| async move {
        let before = state.step_results().count();
        Ok(state.with_metadata("step", Some(json!(before))))
    });
    let breaks =
        hook("breaks", [Trigger::BeforeStop], |_, _| async { Err(hook::Error::new("it broke")) });
    Agent::builder(slow("x:root", turns, &clock))
        .tools([work(&clock)])
        .subagent(helper)
        .hook(notes.priority(priority::HISTORY))
        .hook(breaks)
        .budget(Budget::usd(0.5).steps(9))
        .clock(Arc::new(clock))
        .store_in(Arc::new(store.clone()))
}

pub(crate) async fn all(mut stream: RunStream) -> Vec<RunEvent> {
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        events.push(event);
    }
    events
}

fn seconds(at: Timestamp) -> u64 {
    (at.0 - BEGIN) / 1000
}

fn amounts(amounts: &Amounts) -> String {
    format!("{} in, {} out, {}", amounts.input, amounts.output, amounts.cost)
}

/// An event in a line, without what only a machine reads.
fn line(event: &RunEvent) -> String {
    let path: String = event.path.iter().map(|name| format!("{name}: ")).collect();
    let said = match &event.kind {
        EventKind::InferenceStarted { id, at, model, .. } => {
            format!("asks {model} as {id} at {} s", seconds(*at))
        }
        EventKind::InferenceFinished { id, at, took, usage, error } => {
            let used = usage.map_or(0, |usage| usage.output);
            let error = error.as_ref().map_or("", |error| &error.message);
            let at = seconds(*at);
            format!("answered as {id} at {at} s after {took}: {used} out{error}")
        }
        EventKind::BudgetReserved { id, amounts: held } => {
            format!("holds for {id}: {}", amounts(held))
        }
        EventKind::BudgetSettled { id, charged } => format!("charges {id}: {}", amounts(charged)),
        EventKind::HookExecuted { hook, trigger, took, end } => {
            format!("hook {hook} on {trigger} after {took}: {end:?}")
        }
        EventKind::ContinuationEvaluated { outcome } => format!("decides: {}", outcome.explain()),
        EventKind::StopRaised { signal } => format!("stop: {}", signal.message),
        EventKind::ToolStarted { index, call } => format!("call {index} {} begins", call.name),
        EventKind::ToolProgress { index, message, .. } => format!("call {index}: {message}"),
        EventKind::ToolFinished { index, call, outcome, took, .. } => {
            format!("call {index} {} gives {} after {took}", call.name, outcome.to_text())
        }
        EventKind::SubagentStarted { index, agent, .. } => format!("call {index} spawns {agent}"),
        EventKind::SubagentFinished { index, agent, status, steps, used, .. } => {
            format!("call {index}, {agent} is {status}: {steps} steps, {}", amounts(used))
        }
        EventKind::ExecutionFailed { error } => format!("failed: {}", error.message),
        EventKind::StateUpdated { seq, .. } => format!("state {seq}"),
        EventKind::Committed(committed) => {
            let entry = |entry: &Arc<Entry>| format!("{} {}", entry.seq, entry.event.kind());
            let entries: Vec<_> = committed.entries.iter().map(entry).collect();
            format!("committed {}; used {}", entries.join(", "), amounts(&committed.ledger.spent))
        }
        EventKind::TextDelta { text } => format!("text {text}"),
        EventKind::StepFinished { continues, .. } => {
            format!("step finished, continues: {continues}")
        }
        EventKind::ExecutionFinished(end) => format!("{}: {}", end.status, end.text),
        other => format!("{other:?}"),
    };
    let step = event.step.map_or_else(String::new, |step| format!("{step}. "));
    format!("{path}{step}{said}")
}

/// Holds text against a golden file; `LEGWORK_GOLDEN=write` writes one that is not there.
pub(crate) fn golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if !path.exists() && std::env::var("LEGWORK_GOLDEN").is_ok_and(|write| write == "write") {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("no {}", path.display()));
    for (at, (kept, now)) in kept.lines().zip(text.lines()).enumerate() {
        assert_eq!(now, kept, "line {} of {name}", at + 1);
    }
    assert_eq!(text.lines().count(), kept.lines().count(), "{name}");
}

#[tokio::test]
async fn a_run_is_told_whole_and_in_order() {
    let store = MemoryStore::new();
    let agent = busy(&store).build().unwrap();
    let events = all(agent.run("go").in_session("s").stream()).await;
    let mut text = String::new();
    events.iter().for_each(|event| writeln!(text, "{}", line(event)).unwrap());
    golden("stream.txt", &text);
    assert!(events.iter().all(|event| event.version == VERSION));
    for (path, session) in [(vec![], "s".to_owned()), (vec!["helper"], child(&events))] {
        let of = |event: &&RunEvent| event.path.iter().map(|name| &**name).eq(path.iter().copied());
        let told: Vec<_> = events.iter().filter(of).collect();
        assert!(told.iter().all(|event| event.session == Some(session.as_str().into())));
        let journal = store.read(&SessionId::new(session), Range::ALL).await.unwrap().journal;
        ids_are_those_of_the_journal(&told, &journal);
    }
}

fn child(events: &[RunEvent]) -> String {
    let started = events.iter().find_map(|event| match &event.kind {
        EventKind::SubagentStarted { child, .. } => Some(child.to_string()),
        _ => None,
    });
    started.unwrap()
}

/// What is told of inferences has the ids, the times and the amounts of their entries.
fn ids_are_those_of_the_journal(events: &[&RunEvent], journal: &Journal) {
    let kinds = |wanted: fn(&EventKind) -> Option<(Seq, String)>| -> Vec<_> {
        events.iter().filter_map(|event| wanted(&event.kind)).collect()
    };
    let entries = |wanted: fn(&Entry) -> Option<(Seq, String)>| -> Vec<_> {
        journal.entries().iter().filter_map(|entry| wanted(entry)).collect()
    };
    let reserved = entries(|entry| match &entry.event {
        Event::InferenceStarted(started) => Some((entry.seq, amounts(&started.reserved))),
        _ => None,
    });
    assert!(!reserved.is_empty());
    let ids = |of: &[(Seq, String)]| of.iter().map(|(id, _)| *id).collect::<Vec<_>>();
    assert_eq!(
        kinds(|kind| match kind {
            EventKind::BudgetReserved { id, amounts: held } => Some((*id, amounts(held))),
            _ => None,
        }),
        reserved
    );
    let settled = kinds(|kind| match kind {
        EventKind::BudgetSettled { id, charged } => Some((*id, amounts(charged))),
        _ => None,
    });
    assert_eq!(ids(&settled), ids(&reserved));
    let charged = entries(|entry| match &entry.event {
        Event::Responded(responded) => Some((entry.seq, amounts(&responded.charged))),
        Event::InferenceFailed(failed) => Some((entry.seq, amounts(&failed.charged))),
        _ => None,
    });
    let words = |of: &[(Seq, String)]| of.iter().map(|(_, said)| said.clone()).collect::<Vec<_>>();
    assert_eq!(words(&settled), words(&charged));
    for wanted in [
        |kind: &EventKind| match kind {
            EventKind::InferenceStarted { id, .. } => Some((*id, String::new())),
            _ => None,
        },
        |kind: &EventKind| match kind {
            EventKind::InferenceFinished { id, .. } => Some((*id, String::new())),
            _ => None,
        },
    ] {
        assert_eq!(ids(&kinds(wanted)), ids(&reserved));
    }
}

#[tokio::test]
async fn a_resumed_run_tells_what_it_does_and_nothing_again() {
    let (gate, store) = (Gate::new(), MemoryStore::new());
    let look = noting("look", EffectClass::ReadOnly, &World::default());
    let turns = [Turn::call("look", json!({"n": 1})), Turn::text("all is done").halting(&gate)];
    let agent = Agent::builder(ScriptedModel::new(turns)).tools([look]);
    let agent = agent.store_in(Arc::new(store.clone())).build().unwrap();
    let mut stream = agent.run("go").in_session("s").stream();
    while let Some(event) = stream.next().await {
        if matches!(event.kind, EventKind::TextDelta { .. }) {
            break;
        }
    }
    drop(stream);
    let before = store.read(&"s".into(), Range::ALL).await.unwrap().journal.version();
    gate.open();
    let events = all(agent.resume("s").stream()).await;
    let told: Vec<_> = events.iter().collect();
    let steps = told.iter().filter_map(|event| match event.kind {
        EventKind::StepStarted | EventKind::InferenceStarted { .. } => event.step,
        _ => None,
    });
    assert_eq!(steps.collect::<Vec<_>>(), [2, 2]);
    assert!(!told.iter().any(|event| matches!(event.kind, EventKind::ToolStarted { .. })));
    let committed = told.iter().filter_map(|event| match &event.kind {
        EventKind::Committed(committed) => Some(committed.entries.iter().map(|entry| entry.seq)),
        _ => None,
    });
    let committed: Vec<_> = committed.flatten().collect();
    let journal = store.read(&"s".into(), Range::ALL).await.unwrap().journal;
    let after: Vec<_> = journal.entries().iter().map(|entry| entry.seq).collect();
    assert_eq!(committed, after[before.0 as usize..]);
    // What is asked anew is held anew.
    let reserved = told.iter().find_map(|event| match event.kind {
        EventKind::BudgetReserved { id, .. } => Some(id),
        _ => None,
    });
    assert!(committed.contains(&reserved.unwrap()));
}

#[tokio::test]
async fn a_failing_model_is_told_as_the_journal_has_it() {
    let model = ScriptedModel::new([Turn::status(500).with_message("overheated")]);
    let store = MemoryStore::new();
    let agent = Agent::builder(model).store_in(Arc::new(store.clone())).build().unwrap();
    let events = all(agent.run("go").in_session("s").stream()).await;
    let journal = store.read(&"s".into(), Range::ALL).await.unwrap().journal;
    ids_are_those_of_the_journal(&events.iter().collect::<Vec<_>>(), &journal);
    let errors = events.iter().filter_map(|event| match &event.kind {
        EventKind::InferenceFinished { error, .. } => error.clone(),
        EventKind::ExecutionFailed { error } => Some(error.clone()),
        EventKind::Error { error, .. } => Some(error.clone()),
        EventKind::Committed(committed) => {
            committed.entries.iter().find_map(|entry| match &entry.event {
                Event::InferenceFailed(failed) => Some(failed.error.clone()),
                _ => None,
            })
        }
        _ => None,
    });
    let errors: Vec<_> = errors.collect();
    assert_eq!(errors.len(), 4);
    assert!(errors.iter().all(|error| *error == errors[0]), "{errors:?}");
    assert_eq!((errors[0].status, &*errors[0].message), (Some(500), "overheated"));
}

#[tokio::test]
async fn the_text_alone_is_read_and_the_run_is_there_afterwards() {
    let look = noting("look", EffectClass::ReadOnly, &World::default());
    let first = Turn::call("look", json!({"n": 1})).with_text("I look. ");
    let model = ScriptedModel::new([first, Turn::text("all is done")]);
    let agent = Agent::builder(model).tools([look]).build().unwrap();
    let mut stream = agent.stream("go");
    let mut text = String::new();
    while let Some(piece) = stream.next_text().await {
        text.push_str(&piece);
    }
    assert_eq!(text, "I look. all is done");
    assert_eq!(stream.finish().await.unwrap().text(), "all is done");
}

#[tokio::test]
async fn a_stream_of_a_run_that_cannot_begin_has_one_event_that_says_why() {
    let agent = Agent::builder(ScriptedModel::new([Turn::text("never")])).build().unwrap();
    let mut stream = agent.run("go").in_session("s").stream();
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        events.push(event.kind);
    }
    let [EventKind::RunFailed { message, .. }] = &events[..] else { panic!("{events:?}") };
    assert!(message.contains("the agent has no store"), "{message}");
    assert!(stream.next().await.is_none());
}
