//! Intents of calls that must be durable before their bodies run.

use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Hook, Subagent, hook};
use legwork_core::event::ToolStarted;
use legwork_core::inbox::{Answer, Verdict};
use legwork_core::tool::ExecutionMode;
use legwork_core::{
    AgentState, EffectClass, EffectKey, Event, Message, OnDoubt, Part, Response, SessionId,
    ToolCall, ToolOutcome, ToolSpec,
};
use legwork_port::store::Range;
use legwork_port::{BoxFuture, Store, Tool, ToolContext, Trigger};
use legwork_testkit::{Gate, ScriptedModel, Turn, crash};
use serde_json::{Value, json};

use crate::subagents::{scripted, spawn};
use crate::tools::{World, answering, made, once, spec};

/// The intent of a call as the journal has it.
async fn intent(store: &MemoryStore, key: &EffectKey) -> Option<ToolStarted> {
    let journal = store.read(&key.session, Range::ALL).await.unwrap().journal;
    let behind = journal.entries().iter().filter(|entry| entry.seq > key.entry).rev();
    behind.into_iter().find_map(|entry| match &entry.event {
        Event::ToolStarted(started) if started.index == key.index => Some(started.clone()),
        _ => None,
    })
}

/// Notes with which arguments it runs, and what its intent in the journal says.
fn peeking(effect: EffectClass, store: &MemoryStore, world: &World) -> Arc<dyn Tool> {
    let (store, world) = (store.clone(), world.clone());
    let spec = spec("peek").effect(effect).mode(ExecutionMode::Sequential);
    made(spec, move |arguments, cx| {
        let (store, world, key) = (store.clone(), world.clone(), cx.key.clone());
        Box::pin(async move {
            let found = intent(&store, &key).await;
            let says = match found.map(|started| started.arguments) {
                None => "no intent".to_owned(),
                Some(None) => "as called".to_owned(),
                Some(Some(changed)) => changed.to_string(),
            };
            world.note(format!("{} {says}", arguments["n"]));
            ToolOutcome::value(arguments["n"].clone())
        })
    })
}

/// Runs `look`, whose batch makes the response durable, and behind it `peek`.
async fn second_in_its_turn(effect: EffectClass, hooks: impl IntoIterator<Item = Hook>) -> String {
    let (store, world) = (MemoryStore::new(), World::default());
    let two = [("look", json!({"n": 1})), ("peek", json!({"n": 2}))];
    let agent = Agent::builder(ScriptedModel::new([Turn::calls(two), Turn::text("done")]))
        .tools([
            answering("look", |arguments| ToolOutcome::value(arguments["n"].clone())),
            peeking(effect, &store, &world),
        ])
        .store_in(Arc::new(store));
    let agent = hooks.into_iter().fold(agent, |agent, hook| agent.hook(hook)).build().unwrap();
    agent.run("go").await.unwrap();
    world.notes().concat()
}

#[tokio::test]
async fn s6_7_the_intent_of_a_once_call_is_durable_before_its_body_runs() {
    assert_eq!(second_in_its_turn(once(), []).await, "2 as called");
    // What may be run again with the same key and arguments has no commit of its own.
    assert_eq!(second_in_its_turn(EffectClass::ReadOnly, []).await, "2 no intent");
    assert_eq!(second_in_its_turn(EffectClass::Idempotent, []).await, "2 no intent");
}

/// Gives `peek` another number.
fn renumbering() -> Hook {
    hook("renumber", [Trigger::BeforeToolUse], |state: AgentState, _| async move {
        let peeks = state.current_tool_call().is_some_and(|call| &*call.call.name == "peek");
        Ok(if peeks { state.with_tool_call_arguments(json!({"n": 7})) } else { state })
    })
}

fn passing(trigger: Trigger) -> Hook {
    hook("pass", [trigger], |state: AgentState, _| async move { Ok(state) })
}

#[tokio::test]
async fn s6_7_the_intent_of_a_call_that_a_hook_may_change_is_durable_before_its_body_runs() {
    for effect in [EffectClass::ReadOnly, EffectClass::Idempotent] {
        assert_eq!(second_in_its_turn(effect, [renumbering()]).await, "7 {\"n\":7}");
        for trigger in [Trigger::BeforeToolUse, Trigger::AfterInference] {
            let passed = second_in_its_turn(effect, [passing(trigger)]).await;
            assert_eq!(passed, "2 as called", "{trigger:?}");
        }
        // One that listens elsewhere changes no arguments.
        let elsewhere = second_in_its_turn(effect, [passing(Trigger::StepEnd)]).await;
        assert_eq!(elsewhere, "2 no intent");
    }
}

#[tokio::test]
async fn s6_7_a_changed_call_that_runs_again_has_an_intent_with_its_arguments() {
    let (store, world, gate) = (MemoryStore::new(), World::default(), Gate::new());
    let peek = peeking(once(), &store, &world);
    let (spec, held) = (peek.spec(), gate.clone());
    // The first time it waits until it is killed.
    let tool = Arc::new(Waiting { spec, peek, gate: held });
    let agent = Agent::builder(ScriptedModel::new([
        Turn::call("peek", json!({"n": 2})),
        Turn::text("done"),
    ]))
    .tools([tool as Arc<dyn Tool>])
    .hook(renumbering())
    .store_in(Arc::new(store))
    .build()
    .unwrap();
    tokio::select! {
        biased;
        _ = agent.run("go").in_session("s") => unreachable!("it waits at the gate"),
        () = gate.arrived(1) => {}
    }
    gate.open();
    let run = agent.resume("s").on_doubt(OnDoubt::Ask).outcome().await.unwrap();
    let id = run.state().pending()[0].id.clone();
    let answer = Answer::new(id, Verdict::RunAgain);
    agent.session("s").answer(answer).await.unwrap();
    agent.resume("s").await.unwrap();
    assert_eq!(world.notes(), [r#"7 {"n":7}"#]);
}

/// A tool that waits at a gate before it does what another does.
struct Waiting {
    spec: Arc<ToolSpec>,
    peek: Arc<dyn Tool>,
    gate: Gate,
}

impl Tool for Waiting {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.spec)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            self.gate.pass().await;
            self.peek.call(call, cx).await
        })
    }
}

/// Notes the key and the arguments of each time that it runs.
fn keyed(world: &World) -> Arc<dyn Tool> {
    let world = world.clone();
    made(spec("put").effect(EffectClass::Idempotent), move |arguments, cx| {
        world.note(format!("{} {}", cx.key, arguments["n"]));
        Box::pin(std::future::ready(ToolOutcome::value(arguments["n"].clone())))
    })
}

/// Gives the calls of a response other arguments each time that it sees them.
fn rewriting(world: &World) -> Hook {
    let world = world.clone();
    hook("rewrite", [Trigger::AfterInference], move |state: AgentState, _| {
        let world = world.clone();
        async move {
            let step = state.current_step().and_then(|step| step.response.clone());
            let Some(response) = step.filter(|r| r.message.tool_calls().next().is_some()) else {
                return Ok(state);
            };
            world.note("seen");
            let n = world.count("seen");
            let part = |part: &Part| match part {
                Part::ToolCall(call) => {
                    let arguments = json!({"n": n}).to_string();
                    let call = ToolCall { arguments: arguments.into(), ..(**call).clone() };
                    Part::ToolCall(Arc::new(call))
                }
                other => other.clone(),
            };
            let parts = response.message.parts.iter().map(part).collect();
            let message = Arc::new(Message::assistant(parts));
            Ok(state.with_response(Response { message, ..(*response).clone() }))
        }
    })
}

/// Gives a call other arguments each time that it judges it.
fn judging(world: &World) -> Hook {
    let world = world.clone();
    hook("judge", [Trigger::BeforeToolUse], move |state: AgentState, _| {
        let world = world.clone();
        async move {
            world.note("seen");
            let n = world.count("seen");
            Ok(state.with_tool_call_arguments(json!({"n": n})))
        }
    })
}

#[tokio::test]
async fn s6_7_an_idempotent_key_never_runs_with_other_arguments() {
    for hooks in [judging, rewriting] {
        let report = crash::simulate("go", move |world: &World, store| {
            let two = [("put", json!({"n": 0})), ("put", json!({"n": 0}))];
            let model = ScriptedModel::new([Turn::calls(two), Turn::text("done")]);
            Agent::builder(model).tools([keyed(world)]).hook(hooks(world)).store_in(store).build()
        });
        let report = report.crash_everywhere().await.unwrap();
        report.check(|_, crashed| {
            let mut ran: Vec<_> =
                crashed.world.notes().into_iter().filter(|note| note != "seen").collect();
            ran.sort();
            ran.dedup();
            // Two keys, each with arguments of its own.
            if ran.len() == 2 { Ok(()) } else { Err(format!("{ran:?}")) }
        });
    }
}

/// The number of intents with a child that the parent's journal has when the child begins.
async fn intents_at_birth(calls: Vec<(&'static str, Value)>, hooks: Vec<Hook>) -> Vec<String> {
    let (store, world) = (MemoryStore::new(), World::default());
    let (seen, notes) = (store.clone(), world.clone());
    let peek = hook("peek", [Trigger::ExecutionStart], move |state: AgentState, cx| {
        let (seen, notes) = (seen.clone(), notes.clone());
        async move {
            if state.facts().parent.is_some() {
                let parent = seen.read(&SessionId::from("s"), Range::ALL).await.unwrap().journal;
                let child = &cx.view.origin().session;
                let named = parent.entries().iter().any(|entry| match &entry.event {
                    Event::ToolStarted(started) => started.child.as_ref() == Some(child),
                    _ => false,
                });
                notes.note(if named { "named" } else { "unknown" });
            }
            Ok(state)
        }
    });
    let child = scripted("x:child", [Turn::text("well")]);
    let root = scripted("x:root", [Turn::calls(calls), Turn::text("done")]);
    let alone = spec("look").effect(EffectClass::ReadOnly).mode(ExecutionMode::Sequential);
    let mut agent = Agent::builder(root)
        .tools([made(alone, |_, _| Box::pin(std::future::ready(ToolOutcome::text("seen"))))])
        .subagent(Subagent::new("helper", "Helps.", "You help.").model(child))
        .store_in(Arc::new(store))
        .hook(peek.inherited());
    for hook in hooks {
        agent = agent.hook(hook);
    }
    agent.build().unwrap().run("go").in_session("s").await.unwrap();
    world.notes()
}

#[tokio::test]
async fn s10_5_the_intent_of_a_spawn_is_durable_whatever_listens_and_was_committed_before() {
    let first = || vec![spawn("helper", "help")];
    let behind = || vec![("look", json!({"n": 1})), spawn("helper", "help")];
    assert_eq!(intents_at_birth(first(), vec![]).await, ["named"]);
    assert_eq!(intents_at_birth(behind(), vec![]).await, ["named"]);
    for trigger in [Trigger::AfterInference, Trigger::BeforeToolUse, Trigger::StepEnd] {
        assert_eq!(intents_at_birth(first(), vec![passing(trigger)]).await, ["named"]);
        assert_eq!(intents_at_birth(behind(), vec![passing(trigger)]).await, ["named"]);
    }
}
