//! Hooks: their order, what they may change, and what it costs when they fail.

use std::sync::{Arc, Mutex};

use legwork_agent::hooks::priority;
use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Builder, HookStack, hook};
use legwork_core::{
    AgentState, Budget, EffectClass, ErrorKind, ErrorSource, ExecutionStatus, FinishReason,
    Message, Part, Response, SessionId, StopReason, ToolOutcome,
};
use legwork_port::{Lifecycle, Trigger};
use legwork_testkit::{ScriptedModel, Turn, crash};
use serde_json::json;

use crate::tools::{World, journal, noting, once, outcomes, said};

fn look(world: &World) -> (ScriptedModel, Builder) {
    let model = ScriptedModel::new([Turn::call("look", json!({"n": 1})), Turn::text("done")]);
    let tool = noting("look", EffectClass::ReadOnly, world);
    (model.clone(), Agent::builder(model).tools([tool]))
}

/// A hook that notes its name.
fn noted(name: &'static str, trigger: Trigger, world: &World) -> legwork_agent::Hook {
    let world = world.clone();
    hook(name, [trigger], move |state, _| {
        world.note(name);
        std::future::ready(Ok(state))
    })
}

fn failing(trigger: Trigger) -> legwork_agent::Hook {
    hook("broken", [trigger], |state: AgentState, _| async move {
        drop(state.with_metadata("lost", Some(true.into())));
        Err(hook::Error::new("it broke"))
    })
}

#[tokio::test]
async fn s2_1_hooks_run_by_priority_and_in_their_order_among_equals() {
    let world = World::default();
    let stack = HookStack::new([
        noted("default", Trigger::StepStart, &world),
        noted("history", Trigger::StepStart, &world).priority(priority::HISTORY),
        noted("context", Trigger::StepStart, &world).priority(priority::CONTEXT),
        noted("guard", Trigger::StepStart, &world).priority(priority::GUARDS),
        noted("default too", Trigger::StepStart, &world),
        noted("elsewhere", Trigger::StepEnd, &world).priority(priority::CANCELLATION),
    ]);
    let state = AgentState::new(SessionId::new("s"));
    stack.on(Trigger::StepStart, state, &crate::tools::view()).await;
    assert_eq!(world.notes(), ["guard", "context", "default", "default too", "history"]);
    assert!(stack.listens(Trigger::StepEnd) && !stack.listens(Trigger::BeforeStop));
}

#[tokio::test]
async fn s2_4_a_failing_hook_costs_only_its_own_change() {
    let world = World::default();
    let change = |name: &'static str| {
        hook(name, [Trigger::StepStart], move |state: AgentState, _| async move {
            Ok(state.with_metadata(name, Some(true.into())))
        })
    };
    let (model, builder) = look(&world);
    let run = builder
        .hook(change("before"))
        .hook(failing(Trigger::StepStart))
        .hook(change("after"))
        .build()
        .unwrap()
        .run("go")
        .await
        .unwrap();
    assert_eq!(run.status(), ExecutionStatus::Completed);
    assert_eq!(model.requests().len(), 2);
    let metadata: Vec<_> = run.state().context().metadata.keys().map(String::as_str).collect();
    assert_eq!(metadata, ["after", "before"]);
    let errors: Vec<_> = run.state().errors().collect();
    assert_eq!(errors.len(), 2, "one for each time that it fired");
    assert_eq!(errors[0].source, ErrorSource::Hook("broken".to_owned()));
    assert_eq!(errors[0].kind, ErrorKind::Hook);
    assert!(errors[0].message.contains("it broke"), "{}", errors[0].message);
}

#[tokio::test]
async fn s2_4_a_failing_gate_blocks_the_call_it_was_to_judge() {
    for gate in [
        failing(Trigger::BeforeToolUse).priority(priority::GUARDS),
        failing(Trigger::BeforeToolUse).gate(),
    ] {
        let world = World::default();
        let run = look(&world).1.hook(gate).build().unwrap().run("go").await.unwrap();
        assert!(world.notes().is_empty(), "the tool ran");
        let outcome = &outcomes(run.state())[0];
        assert!(
            matches!(outcome, ToolOutcome::Blocked { by, .. } if by == "broken"),
            "{outcome:?}"
        );
        assert_eq!(run.status(), ExecutionStatus::Completed);
        assert_eq!(run.state().errors().count(), 1);
    }
}

#[tokio::test]
async fn s2_4_a_hook_that_is_no_gate_fails_and_the_call_runs() {
    let world = World::default();
    let broken = failing(Trigger::BeforeToolUse);
    let run = look(&world).1.hook(broken).build().unwrap().run("go").await.unwrap();
    assert_eq!(world.notes(), ["look 1"]);
    assert_eq!(run.text(), "done");
    assert_eq!(run.state().errors().count(), 1);
}

#[tokio::test]
async fn s2_4_a_failing_gate_elsewhere_stops_the_execution_before_anything_is_sent() {
    for (trigger, requests, tools) in [
        (Trigger::ExecutionStart, 0, 0),
        (Trigger::StepStart, 0, 0),
        (Trigger::BeforeInference, 0, 0),
        (Trigger::AfterInference, 1, 0),
        (Trigger::AfterToolUse, 1, 1),
        (Trigger::StepEnd, 1, 1),
    ] {
        let world = World::default();
        let (model, builder) = look(&world);
        let run = builder
            .hook(failing(trigger).gate())
            .build()
            .unwrap()
            .run("go")
            .outcome()
            .await
            .unwrap();
        assert_eq!(model.requests().len(), requests, "{trigger:?}");
        assert_eq!(world.notes().len(), tools, "{trigger:?}");
        assert_eq!(run.status(), ExecutionStatus::Failed, "{trigger:?}");
        assert!(run.continuation().unwrap().explain().contains("it broke"), "{trigger:?}");
    }
}

#[tokio::test]
async fn s1_4_a_lineage_breaking_hook_costs_the_hooks_beside_it_nothing() {
    let set = |key: &'static str| {
        hook(key, [Trigger::StepStart], move |state: AgentState, _| async move {
            Ok(state.with_metadata(key, Some(true.into())))
        })
    };
    let foreign = hook("foreign", [Trigger::StepStart], |_, _| async {
        Ok(AgentState::new(SessionId::new("another")))
    });
    let stack = HookStack::new([set("before"), foreign, set("after")]);
    let state = AgentState::new(SessionId::new("s"));
    let state = stack.on(Trigger::StepStart, state, &crate::tools::view()).await;
    let metadata: Vec<_> = state.context().metadata.keys().map(String::as_str).collect();
    assert_eq!(metadata, ["after", "before"]);
    assert_eq!(state.session().as_str(), "s");
}

#[tokio::test]
async fn s1_4_a_hook_that_hands_back_an_older_state_is_restored_and_recorded() {
    let world = World::default();
    let kept: Arc<Mutex<Option<AgentState>>> = Arc::default();
    let old = hook("old", [Trigger::StepStart, Trigger::StepEnd], move |state: AgentState, cx| {
        let mut kept = kept.lock().unwrap();
        let back = match cx.trigger {
            Trigger::StepEnd => kept.take().unwrap_or(state),
            _ => {
                *kept = Some(state.clone());
                state.with_metadata("changed", Some(true.into()))
            }
        };
        std::future::ready(Ok(back))
    });
    lineage_is_kept(look(&world).1.hook(old).build().unwrap()).await;
    assert_eq!(world.notes(), ["look 1"]);
}

#[tokio::test]
async fn s1_4_a_hook_that_hands_back_a_foreign_state_is_restored_and_recorded() {
    let world = World::default();
    let foreign = hook("foreign", [Trigger::StepEnd], |_, _| async {
        Ok(AgentState::new(SessionId::new("another")).with_message("not ours"))
    });
    lineage_is_kept(look(&world).1.hook(foreign).build().unwrap()).await;
}

#[tokio::test]
async fn s1_4_a_hook_that_hands_back_a_forged_state_is_restored_and_recorded() {
    let world = World::default();
    let forged = hook("forged", [Trigger::StepEnd], |state: AgentState, _| async move {
        let text = serde_json::to_string(&state).unwrap().replace("\"go\"", "\"rob a bank\"");
        Ok(serde_json::from_str(&text).unwrap())
    });
    lineage_is_kept(look(&world).1.hook(forged).build().unwrap()).await;
}

/// The run completes as if the hook had done nothing, and each violation is recorded.
async fn lineage_is_kept(agent: Agent) {
    let agent = agent.to_builder().store_in(Arc::new(MemoryStore::new())).build().unwrap();
    let run = agent.run("go").in_session("kept").await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Completed);
    assert_eq!(run.session().as_str(), "kept");
    assert_eq!(said(run.state()), ["go", "1", "done"]);
    let kinds: Vec<_> = run.state().errors().map(|error| error.kind.clone()).collect();
    assert_eq!(kinds, [ErrorKind::Lineage, ErrorKind::Lineage]);
}

#[tokio::test]
async fn s2_a_hook_may_prevent_a_stop() {
    let model = ScriptedModel::new([Turn::text("one"), Turn::text("two")]);
    let once_more = hook("once more", [Trigger::BeforeStop], |state: AgentState, _| async move {
        if state.step_results().count() > 1 {
            return Ok(state);
        }
        Ok(state.with_message("is that all?").with_stop_prevented("once more"))
    });
    let store = MemoryStore::new();
    let agent = Agent::builder(model.clone()).store_in(Arc::new(store.clone())).hook(once_more);
    let run = agent.build().unwrap().run("go").in_session("s").await.unwrap();
    assert_eq!(run.text(), "two");
    assert_eq!(model.asked()[1].last(), "is that all?");
    let prevented = journal(&store, "s").await.into_iter().filter(|kind| kind == "stop_prevented");
    assert_eq!(prevented.count(), 1);
}

#[tokio::test]
async fn s2_no_hook_prevents_what_is_forbidden() {
    let model = ScriptedModel::new([Turn::call("look", json!({"n": 1})), Turn::text("never")]);
    let stubborn = hook("stubborn", [Trigger::BeforeStop], |state: AgentState, _| async move {
        Ok(state.with_stop_prevented("stubborn"))
    });
    let run = Agent::builder(model.clone())
        .tools([noting("look", EffectClass::ReadOnly, &World::default())])
        .budget(Budget::unlimited().steps(1))
        .hook(stubborn)
        .build()
        .unwrap()
        .run("go")
        .outcome()
        .await
        .unwrap();
    assert_eq!(run.status(), ExecutionStatus::Stopped);
    assert_eq!(run.continuation().unwrap().stop_reason(), Some(&StopReason::StepsLimit));
    assert_eq!(model.requests().len(), 1);
}

#[tokio::test]
async fn s2_a_hook_changes_arguments_and_they_are_validated_again() {
    let world = World::default();
    let change = |to: serde_json::Value| {
        hook("change", [Trigger::BeforeToolUse], move |state: AgentState, _| {
            std::future::ready(Ok(state.with_tool_call_arguments(to.clone())))
        })
    };
    let agent = look(&world).1.hook(change(json!({"n": 7}))).build().unwrap();
    let run = agent.run("go").await.unwrap();
    assert_eq!(world.notes(), ["look 7"]);
    let step = &run.state().step_results().next().unwrap().step;
    assert_eq!(&**step.calls.get(0).unwrap().arguments(), "{\"n\":7}");
    assert_eq!(
        &*step.calls.get(0).unwrap().call.arguments,
        "{\"n\":1}",
        "what the model wrote stays"
    );

    let world = World::default();
    let agent = look(&world).1.hook(change(json!({"n": "seven"}))).build().unwrap();
    let run = agent.run("go").await.unwrap();
    assert!(world.notes().is_empty());
    assert!(said(run.state())[1].contains("seven"), "{:?}", said(run.state()));
}

#[tokio::test]
async fn s2_a_hook_blocks_a_call_or_answers_in_its_place() {
    let world = World::default();
    let block = hook("guard", [Trigger::BeforeToolUse], |state: AgentState, _| async move {
        Ok(state.with_tool_call_blocked("guard", "too early"))
    });
    let run = look(&world).1.hook(block).build().unwrap().run("go").await.unwrap();
    assert_eq!(said(run.state()), ["go", "Blocked by guard: too early", "done"]);

    let answer = hook("cache", [Trigger::BeforeToolUse], |state: AgentState, _| async move {
        Ok(state.with_tool_call_answered(json!("from the cache")))
    });
    let run = look(&world).1.hook(answer).build().unwrap().run("go").await.unwrap();
    assert_eq!(said(run.state()), ["go", "from the cache", "done"]);
    assert_eq!(outcomes(run.state()), [ToolOutcome::text("from the cache")]);
    assert!(world.notes().is_empty(), "the tool ran");
    assert_eq!(run.used().tool_calls, 0);
}

#[tokio::test]
async fn s2_a_hook_changes_the_request() {
    let world = World::default();
    let (model, builder) = look(&world);
    let remind = hook("remind", [Trigger::BeforeInference], |state: AgentState, _| async move {
        let mut request = (**state.current_request().unwrap()).clone();
        request.instructions = "be quick".into();
        let request = request.with_message(Message::user("do not forget"));
        Ok(state.with_current_request(Some(Arc::new(request))))
    });
    let run = builder.hook(remind).build().unwrap().run("go").await.unwrap();
    for asked in model.asked() {
        assert_eq!(asked.last(), "do not forget");
        assert_eq!(asked.instructions, "be quick");
    }
    assert_eq!(said(run.state()), ["go", "1", "done"], "it is no part of the conversation");
}

#[tokio::test]
async fn s2_a_hook_changes_the_response_and_the_change_is_a_second_entry() {
    let store = MemoryStore::new();
    let model = ScriptedModel::new([Turn::text("the key is 1234")]);
    let redact = hook("redact", [Trigger::AfterInference], |state: AgentState, _| async move {
        let said = Message::assistant(vec![Part::text("the key is ####")]);
        Ok(state.with_response(Response::new(said, FinishReason::Stop)))
    });
    let builder = Agent::builder(model).store_in(Arc::new(store.clone())).hook(redact);
    let run = builder.build().unwrap().run("go").in_session("s").await.unwrap();
    assert_eq!(run.text(), "the key is ####");
    assert_eq!(said(run.state()), ["go", "the key is ####"]);
    let kinds = journal(&store, "s").await;
    let at = kinds.iter().position(|kind| kind == "responded").unwrap();
    assert_eq!(kinds[at + 1], "response_changed");
}

#[tokio::test]
async fn s2_a_hook_changes_the_outcome_of_a_tool_and_the_model_reads_that() {
    let world = World::default();
    let (model, builder) = look(&world);
    let redact = hook("redact", [Trigger::AfterToolUse], |state: AgentState, _| async move {
        Ok(state.with_tool_outcome(0, ToolOutcome::text("###")))
    });
    let run = builder.hook(redact).build().unwrap().run("go").await.unwrap();
    assert_eq!(world.notes(), ["look 1"]);
    assert_eq!(model.asked()[1].results(), ["###"]);
    assert_eq!(said(run.state()), ["go", "###", "done"]);
    assert_eq!(outcomes(run.state()), [ToolOutcome::text("###")]);
}

#[tokio::test]
async fn s2_5_after_a_crash_hooks_run_at_least_once_but_not_again_behind_a_committed_intent() {
    let report = crash::simulate("go", |world: &World, store| {
        let model = ScriptedModel::new([Turn::call("send", json!({"n": 1})), Turn::text("done")]);
        let noted = world.clone();
        let note = hook("note", Trigger::ALL, move |state: AgentState, cx| {
            let step = state.step_results().count() + 1;
            noted.note(format!("{:?} {step}", cx.trigger));
            std::future::ready(Ok(state))
        });
        Agent::builder(model)
            .tools([noting("send", once(), world)])
            .hook(note)
            .store_in(store)
            .build()
    })
    .crash_everywhere()
    .await
    .unwrap();
    let plain = report.plain.world.notes();
    // The commits: reserve, response, intent, outcome, reserve, response, the end.
    assert_eq!(report.crashed.len(), 2 * 7);
    report.check(|_, crashed| {
        let (commit, side) = crashed.crash.unwrap();
        let intent = commit > 3 || (commit == 3 && side == crash::Side::After);
        let response = commit > 2 || (commit == 2 && side == crash::Side::After);
        for fired in plain.iter().filter(|fired| *fired != "send 1") {
            let count = crashed.world.count(fired);
            let again = match &**fired {
                "BeforeToolUse 1" | "AfterInference 1" => !intent,
                "StepStart 1" | "BeforeInference 1" => !response,
                _ => true,
            };
            let most = if again { 2 } else { 1 };
            if count == 0 || count > most {
                return Err(format!("{fired} ran {count} times"));
            }
        }
        Ok(())
    });
}

#[test]
fn s2_4_a_hook_is_a_gate_and_goes_along_when_marked_or_from_the_priority_of_guards_on() {
    let made =
        || {
            hook("a", [Trigger::StepStart, Trigger::Error], |state: AgentState, _| async move {
                Ok(state)
            })
        };
    for (hook, priority, gate, inherited) in [
        (made(), 0, false, false),
        (made().priority(199), 199, false, false),
        (made().priority(200), 200, true, true),
        (made().priority(201), 201, true, true),
        (made().priority(-1).gate(), -1, true, true),
        (made().inherited(), 0, false, true),
    ] {
        let found = (hook.priority_of(), hook.is_gate(), hook.is_inherited());
        assert_eq!(found, (priority, gate, inherited));
        assert_eq!(
            (hook.name(), hook.triggers()),
            ("a", &[Trigger::StepStart, Trigger::Error][..])
        );
        assert_eq!(hook.timeout_of(), None);
    }
    let most = std::time::Duration::from_secs(3);
    assert_eq!(made().timeout(most).timeout_of(), Some(most));
}
