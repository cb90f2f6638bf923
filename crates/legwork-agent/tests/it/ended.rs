//! Cancelling and interrupting end a run at once, whatever it waits for.

use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Control, hook};
use legwork_core::orchestrate::ChatState;
use legwork_core::tool::{Deferral, FailureKind};
use legwork_core::{
    AgentState, EffectClass, ErrorKind, ExecutionStatus, Message, Progress as _, ToolOutcome,
};
use legwork_orchestrate::{Chat, Participant, StepByStep as _};
use legwork_port::Trigger;
use legwork_testkit::{Gate, ScriptedModel, Turn};
use serde_json::json;

use crate::sets::Set;
use crate::tools::{World, answering, kind, noting, outcomes, spec};

fn model() -> ScriptedModel {
    ScriptedModel::new([
        Turn::call("look", json!({"n": 1})),
        Turn::text("done"),
        Turn::text("done"),
    ])
}

/// An agent with a hook that waits at a gate, on one trigger.
fn agent(trigger: Trigger, gate: &Gate, world: &World, store: &Arc<MemoryStore>) -> Agent {
    let (gate, seen) = (gate.clone(), world.clone());
    let waits = hook("waits", [trigger], move |state: AgentState, _| {
        let (gate, seen) = (gate.clone(), seen.clone());
        async move {
            gate.pass().await;
            seen.note("passed");
            Ok(state.with_metadata("passed", Some(json!(true))))
        }
    });
    Agent::builder(model())
        .tools([noting("look", EffectClass::ReadOnly, world)])
        .hook(waits)
        .store_in(store.clone())
        .build()
        .unwrap()
}

/// All triggers but those of errors and compactions, which these runs have none of.
fn triggers() -> impl Iterator<Item = Trigger> {
    let none = [Trigger::Error, Trigger::BeforeCompaction];
    Trigger::ALL.into_iter().filter(move |trigger| !none.contains(trigger))
}

#[tokio::test]
async fn s7_7_a_run_that_waits_in_a_hook_is_cancelled_at_once() {
    for trigger in triggers() {
        let (gate, world, store) = (Gate::new(), World::default(), Arc::default());
        let agent = agent(trigger, &gate, &world, &store);
        let control = Control::default();
        let cancel = async {
            gate.arrived(1).await;
            control.cancel.cancel();
        };
        let run = agent.run("go").in_session("s").control(control.clone());
        let run = tokio::join!(run.outcome(), cancel).0.unwrap();
        // What was decided before stands.
        let over = matches!(trigger, Trigger::BeforeStop | Trigger::ExecutionEnd);
        let wanted = if over { ExecutionStatus::Completed } else { ExecutionStatus::Cancelled };
        assert_eq!(run.status(), wanted, "{trigger:?}");
        assert_eq!(run.state().context().metadata.get("passed"), None, "{trigger:?}");
        assert_eq!(world.count("passed"), 0);
    }
}

#[tokio::test]
async fn s3_9_a_run_that_waits_in_a_hook_is_interrupted_and_the_hook_sees_the_point_again() {
    for trigger in triggers() {
        let (gate, world, store) = (Gate::new(), World::default(), Arc::default());
        let made = || agent(trigger, &gate, &world, &store);
        let control = Control::default();
        let interrupt = async {
            gate.arrived(1).await;
            control.interrupt.cancel();
        };
        let run = made().run("go").in_session("s").control(control.clone());
        let run = tokio::join!(run.outcome(), interrupt).0.unwrap();
        assert_eq!(run.status(), ExecutionStatus::InProgress, "{trigger:?}");
        assert_eq!(world.count("passed"), 0);
        gate.open();
        let run = made().resume("s").await.unwrap();
        assert_eq!((run.status(), &*run.text()), (ExecutionStatus::Completed, "done"));
        assert!(world.count("passed") > 0, "{trigger:?}");
        assert!(run.state().context().metadata.contains_key("passed"), "{trigger:?}");
        assert_eq!(world.count("look 1"), 1, "{trigger:?}");
    }
}

/// A toolset that hangs when it is opened, or asked for its tools in a step.
fn hangs(at_open: bool, gate: &Gate) -> Set {
    let (opens, lists) = (gate.clone(), gate.clone());
    let set = Set::new("hangs").listing_late(move |_| {
        let gate = lists.clone();
        Box::pin(async move {
            gate.pass().await;
            Ok(Vec::new())
        })
    });
    set.opening(move |_| {
        let gate = opens.clone();
        Box::pin(async move {
            if at_open {
                gate.pass().await;
            }
            Ok(())
        })
    })
}

#[tokio::test]
async fn s7_7_a_run_that_waits_for_a_toolset_ends_at_once() {
    for (at_open, cancels) in [(true, true), (true, false), (false, true), (false, false)] {
        let gate = Gate::new();
        let agent = Agent::builder(model()).toolset(hangs(at_open, &gate)).build().unwrap();
        let control = Control::default();
        let raise = async {
            gate.arrived(1).await;
            if cancels { control.cancel.cancel() } else { control.interrupt.cancel() }
        };
        let run =
            tokio::join!(agent.run("go").control(control.clone()).outcome(), raise).0.unwrap();
        let wanted = if cancels { ExecutionStatus::Cancelled } else { ExecutionStatus::InProgress };
        assert_eq!(run.status(), wanted, "at open: {at_open}");
    }
}

#[tokio::test]
async fn s7_7_a_conversation_that_waits_for_a_speaker_or_observer_ends_at_once() {
    for (observes, cancels) in [(true, true), (true, false), (false, true), (false, false)] {
        let gate = Gate::new();
        let (asked, watched) = (gate.clone(), gate.clone());
        let chat = match observes {
            false => Chat::builder().participant(Participant::asked("Ann", move |_| {
                let gate = asked.clone();
                async move {
                    gate.pass().await;
                    Some(Message::user("late"))
                }
            })),
            true => Chat::builder()
                .participant(Participant::scripted("Ann", ["Apples?"]))
                .on_step_end("watch", move |state: ChatState| {
                    let gate = watched.clone();
                    async move {
                        gate.pass().await;
                        Ok(state)
                    }
                }),
        };
        let run = chat.build().unwrap().iterate("go");
        let control = run.control().clone();
        let raise = async {
            gate.arrived(1).await;
            if cancels { control.cancel.cancel() } else { control.interrupt.cancel() }
        };
        let state = tokio::join!(run.finish(), raise).0.unwrap();
        let ended = state.status().is_some_and(ExecutionStatus::is_terminal);
        assert_eq!(ended, cancels, "observes: {observes}");
        assert_eq!(state.step_count(), usize::from(observes), "what was said is kept");
    }
}

#[tokio::test]
async fn s6_4_a_result_that_is_to_come_from_a_session_of_nobody_fails_hard() {
    let deferred = || ToolOutcome::Deferred(Deferral::Session("of-nobody".into()));
    let tool = answering("look", move |_| deferred());
    let agent = Agent::builder(model()).tools([tool]).build().unwrap();
    let run = agent.run("go").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Failed);
    let outcome = outcomes(run.state()).remove(0);
    assert!(outcome.to_text().contains("its own subagent's"), "{outcome:?}");
    assert_eq!(kind(outcome), FailureKind::Hard);
}

#[tokio::test]
async fn s2_3_a_hook_does_not_change_the_tools_of_a_request_nor_defers_an_answer() {
    let strips = hook("strips", [Trigger::BeforeInference], |state: AgentState, _| async move {
        let mut request = (**state.current_request().unwrap()).clone();
        request.tools = Arc::default();
        Ok(state.with_current_request(Some(Arc::new(request))))
    });
    let defers = hook("defers", [Trigger::AfterToolUse], |state: AgentState, _| async move {
        Ok(state.with_tool_outcome(0, ToolOutcome::Deferred(Deferral::External)))
    });
    let (world, model) = (World::default(), model());
    let agent = Agent::builder(model.clone())
        .tools([noting("look", EffectClass::ReadOnly, &world)])
        .hook(strips)
        .hook(defers);
    let run = agent.build().unwrap().run("go").await.unwrap();
    assert_eq!(model.asked()[0].tools, ["look"]);
    assert_eq!(outcomes(run.state()), [ToolOutcome::value(json!(1))]);
    let refused = run.state().errors().filter(|error| error.kind == ErrorKind::NotAllowed);
    assert_eq!(refused.count(), 3);
}

#[test]
fn s6_5_two_spellings_of_a_path_are_one_resource() {
    let edit = spec("edit").resource("path");
    let of = |path: &str| edit.resource_of(&json!({"path": path})).unwrap();
    for same in ["./a.txt", "a.txt", "b/../a.txt", ".//a.txt", "a.txt/", "b/c/../../a.txt"] {
        assert_eq!(of(same), "a.txt", "{same}");
    }
    assert_eq!(of("/../a//b"), "/a/b");
    assert_eq!(of("../a"), "../a");
    assert_ne!(of("/a"), of("a"));
    assert_eq!(of("../../a"), "../../a");
}
