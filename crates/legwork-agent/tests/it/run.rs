//! Runs: how they begin, end, go on, and what they tell.

use std::sync::Arc;
use std::time::Duration;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Error, hook};
use legwork_core::state::Refusal;
use legwork_core::{
    AgentState, Budget, EffectClass, ErrorKind, ErrorSource, ExecutionStatus, FinishReason, Micros,
    ModelSettings, Part, SessionId, StopReason, ToolOutcome,
};
use legwork_port::Trigger;
use legwork_testkit::{Gate, ScriptedModel, Turn, VirtualClock, conformance};
use serde_json::json;

use crate::tools::{World, answering, guarded, made, noting, once, said, signal, spec};

fn call(n: u32) -> Turn {
    Turn::call("look", json!({"n": n}))
}

fn looker(model: &ScriptedModel) -> legwork_agent::Builder {
    let look = noting("look", EffectClass::ReadOnly, &World::default());
    Agent::builder(model.clone()).tools([look])
}

#[tokio::test]
async fn memory_store_keeps_the_promises_of_its_port() {
    conformance::store::check(async || MemoryStore::new()).await.unwrap();
}

#[tokio::test]
async fn s8_4_a_memory_store_keeps_what_it_cannot_read() {
    let plant = async |store: &MemoryStore, session: &SessionId, lines: &[Vec<u8>]| {
        store.restore(session, &lines.join(&b'\n')).unwrap();
    };
    let bytes = async |store: &MemoryStore, session: &SessionId| store.lines(session).unwrap();
    let result = conformance::store::check_unreadable(async || MemoryStore::new(), plant, bytes);
    result.await.unwrap_or_else(|violations| panic!("{violations}"));
}

#[tokio::test]
async fn s1_5_going_back_in_the_conversation_resets_no_limit() {
    let store = Arc::new(MemoryStore::new());
    let model = ScriptedModel::new([call(1), call(2), call(3)]);
    let budget = Budget::unlimited().steps(2);
    let agent = looker(&model).budget(budget).store_in(store).build().unwrap();
    let run = agent.run("go").in_session("s").outcome().await.unwrap();
    assert_eq!(run.continuation().unwrap().stop_reason(), Some(&StopReason::StepsLimit));
    let session = agent.session("s");
    let first_end = session.journal().await.unwrap();
    let first_end = first_end.entries().iter().find(|e| e.event.kind() == "step_finished").unwrap();
    let back = session.move_head(first_end.seq).await.unwrap().into_state().unwrap();
    assert_eq!(back.step_results().count(), 1, "the conversation is that of the first step");
    let run = session.resume().outcome().await.unwrap();
    assert_eq!(run.continuation().unwrap().stop_reason(), Some(&StopReason::StepsLimit));
    assert_eq!(run.used().steps, 2);
    assert_eq!(model.requests().len(), 2);
}

#[tokio::test]
async fn s1_6_a_tool_error_that_the_model_recovered_from_does_not_fail_the_execution() {
    let model = ScriptedModel::new([call(1), call(2), Turn::text("done")]);
    let look = answering("look", |arguments| match arguments["n"].as_u64() {
        Some(1) => ToolOutcome::failed("no such thing"),
        _ => ToolOutcome::text("seen"),
    });
    let run = Agent::builder(model).tools([look]).build().unwrap().run("go").await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Completed);
    assert_eq!(said(run.state()), ["go", "no such thing", "seen", "done"]);
}

#[tokio::test]
async fn s1_6_an_error_before_any_step_is_in_the_state_with_its_source() {
    let model = ScriptedModel::new([Turn::text("never")]);
    let settings = ModelSettings { model: "other:model".into(), ..ModelSettings::default() };
    let switch = hook("switch", [Trigger::ExecutionStart], move |state: AgentState, _| {
        std::future::ready(Ok(state.with_settings(settings.clone())))
    });
    let run = looker(&model).hook(switch).build().unwrap().run("go").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Failed);
    assert_eq!(run.state().step_results().count(), 0);
    let errors: Vec<_> = run.state().errors().collect();
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].source, ErrorSource::Driver);
    assert_eq!(errors[0].kind, ErrorKind::Configuration);
    assert!(
        errors[0].message.contains("other:model") && errors[0].message.contains("scripted:model")
    );
    assert!(model.requests().is_empty());
}

/// A tool that takes two seconds of virtual time.
fn slow(clock: &VirtualClock) -> Arc<dyn legwork_port::Tool> {
    let clock = clock.clone();
    made(spec("look").effect(EffectClass::ReadOnly), move |_, _| {
        clock.advance(Duration::from_secs(2));
        Box::pin(std::future::ready(ToolOutcome::text("slow")))
    })
}

#[tokio::test]
async fn s1_8_time_of_steps_and_calls_is_stored_and_waiting_is_not_counted() {
    let (clock, gate, store) = (VirtualClock::new(), Gate::new(), Arc::new(MemoryStore::new()));
    let model = ScriptedModel::new([call(1), call(2).behind(&gate), Turn::text("done")]);
    let agent = Agent::builder(model)
        .tools([slow(&clock)])
        .clock(Arc::new(clock.clone()))
        .store_in(store)
        .build()
        .unwrap();
    let run = agent.run("go").in_session("s");
    tokio::select! {
        _ = run => unreachable!("it waits at the gate"),
        () = gate.arrived(1) => {}
    }
    clock.advance(Duration::from_secs(3_600));
    gate.open();
    let run = agent.resume("s").await.unwrap();
    let seconds: Vec<_> = run.state().step_results().map(|r| r.took.0 / 1_000_000).collect();
    // The run that died in the second step is charged as much as may pass without a commit.
    assert_eq!(seconds, [2, 10 + 2, 0]);
    assert_eq!(run.used().active_time, Micros::from(Duration::from_secs(14)));
    let first = run.state().step_results().next().unwrap();
    let execution = first.step.tool_executions().next().unwrap();
    assert_eq!(execution.took, Micros::from(Duration::from_secs(2)));
    let (started, completed) = {
        let execution = run.state().execution().unwrap();
        (execution.started_at.0, execution.completed_at.unwrap().0)
    };
    assert_eq!(completed - started, 3_604_000, "wall time counts the wait");
}

#[tokio::test]
async fn s1_9_new_input_after_the_end_starts_a_fresh_execution_in_the_same_context() {
    let model = ScriptedModel::new([Turn::text("one"), Turn::text("two")]);
    let agent = looker(&model).id("clerk").build().unwrap();
    let first = agent.run("first").await.unwrap();
    let session = first.session().clone();
    let second = agent.run("second").on_state(first.into_state()).await.unwrap();
    assert_eq!(second.session(), &session);
    assert_eq!(second.state().facts().executions, 2);
    assert_eq!(second.state().facts().agent.as_ref().unwrap().as_str(), "clerk");
    assert_eq!(said(second.state()), ["first", "one", "second", "two"]);
    assert_eq!(second.state().step_results().count(), 1, "the steps are those of this one");
    assert_eq!((second.used().steps, second.state().ledger().lifetime.steps), (1, 2));
}

#[tokio::test]
async fn s1_9_a_fresh_execution_sees_no_outcome_of_the_last_one() {
    let model = ScriptedModel::new([Turn::text("one")]);
    let world = World::default();
    let noted = world.clone();
    let note = hook("note", [Trigger::BeforeInference], move |state: AgentState, _| {
        noted.note(format!("{:?} {:?}", state.stop_reason(), state.ending_step().is_some()));
        std::future::ready(Ok(state))
    });
    let agent = looker(&model).hook(note).build().unwrap();
    let control = legwork_agent::Control::default();
    control.cancel.cancel();
    let cancelled = agent.run("first").control(control).outcome().await.unwrap();
    assert_eq!(cancelled.status(), ExecutionStatus::Cancelled);
    agent.run("second").on_state(cancelled.into_state()).await.unwrap();
    assert_eq!(world.notes(), ["None false"]);
}

#[tokio::test]
async fn s1_9_without_new_input_the_end_is_a_typed_error() {
    let store = Arc::new(MemoryStore::new());
    let model = ScriptedModel::new([Turn::text("one")]);
    let agent = looker(&model).store_in(store).build().unwrap();
    agent.run("go").in_session("s").await.unwrap();
    let error = agent.resume("s").await.unwrap_err();
    assert!(matches!(error, Error::Refused(Refusal::NothingToDo { .. })), "{error}");
    let error = agent.run_messages([]).in_session("s").await.unwrap_err();
    assert!(matches!(error, Error::Refused(Refusal::EmptyInput)), "{error}");
    let error = agent.resume("nobody").await.unwrap_err();
    assert!(matches!(error, Error::UnknownSession(_)), "{error}");
}

#[tokio::test]
async fn s1_9_after_a_raised_limit_the_execution_reopens() {
    let store = Arc::new(MemoryStore::new());
    let model = ScriptedModel::new([call(1), call(2), Turn::text("done")]);
    let limited = |steps| {
        let budget = Budget::unlimited().steps(steps);
        looker(&model).budget(budget).store_in(store.clone()).build().unwrap()
    };
    let run = limited(1).run("go").in_session("s").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Stopped);
    let error = limited(1).resume("s").await.unwrap_err();
    assert!(matches!(error, Error::Refused(Refusal::LimitHolds { .. })), "{error}");
    let run = limited(5).resume("s").await.unwrap();
    assert_eq!((run.status(), &*run.text()), (ExecutionStatus::Completed, "done"));
    assert_eq!(run.state().facts().executions, 1, "it is the same execution");
    assert_eq!(run.state().step_results().count(), 3);
}

#[tokio::test]
async fn s1_11_what_is_changed_in_the_state_is_what_the_next_inference_uses() {
    let small = ScriptedModel::new([call(1), Turn::text("small")]);
    let large = ScriptedModel::new([Turn::text("never"), Turn::text("large")]).named("large:model");
    let change = hook("change", [Trigger::StepStart], |state: AgentState, _| async move {
        if state.step_results().count() == 0 {
            return Ok(state);
        }
        let settings = ModelSettings {
            model: "large:model".into(),
            max_output: Some(9_000),
            temperature: Some(0.5),
            ..ModelSettings::default()
        };
        let budget = Budget::unlimited().output_tokens(2_005);
        Ok(state.with_settings(settings).with_instructions("be large").with_budget(budget))
    });
    let run = looker(&small)
        .further_model(large.clone())
        .instructions("be small")
        .hook(change)
        .build()
        .unwrap()
        .run("go")
        .await
        .unwrap();
    assert_eq!(run.text(), "large");
    let (first, second) = (&small.requests()[0], &large.requests()[0]);
    assert_eq!((small.requests().len(), large.requests().len()), (1, 1));
    assert_eq!((&*first.instructions, &*second.instructions), ("be small", "be large"));
    assert_eq!((first.max_output, second.max_output), (None, Some(2_000)), "5 were used before");
    assert_eq!((&*second.settings.model, second.settings.temperature), ("large:model", Some(0.5)));
}

#[tokio::test]
async fn s1_11_a_change_of_the_model_survives_resuming() {
    let store = Arc::new(MemoryStore::new());
    let model = ScriptedModel::new([Turn::text("one"), Turn::text("two")]);
    let agent = looker(&model).store_in(store).build().unwrap();
    let mut first = agent.run("go").in_session("s").open().await.unwrap();
    let state = first.next().await.unwrap().unwrap();
    first.set(state.with_instructions("changed")).unwrap();
    while first.next().await.unwrap().is_some() {}
    drop(first);
    agent.session("s").run("again").await.unwrap();
    assert_eq!(&*model.requests()[1].instructions, "changed");
}

async fn ends(turns: Vec<Turn>, budget: Budget) -> (ExecutionStatus, StopReason) {
    let run = looker(&ScriptedModel::new(turns)).budget(budget).build().unwrap();
    let run = run.run("go").outcome().await.unwrap();
    (run.status(), run.continuation().unwrap().stop_reason().unwrap().clone())
}

#[tokio::test]
async fn s1_each_end_has_its_status_and_stop_reason() {
    let free = Budget::unlimited;
    let length = Turn::text("half").with_finish(FinishReason::Length);
    let (ok, stopped) = (ExecutionStatus::Completed, ExecutionStatus::Stopped);
    for (turns, budget, status, reason) in [
        (vec![Turn::text("done")], free(), ok.clone(), StopReason::Completed),
        (vec![length], free(), ok, StopReason::FinishReason),
        (vec![call(1), call(2)], free().steps(1), stopped.clone(), StopReason::StepsLimit),
        (vec![call(1)], free().tokens(12), stopped.clone(), StopReason::TokenLimit),
        (vec![call(1), call(2)], free().tool_calls(1), stopped.clone(), StopReason::ToolCallsLimit),
        (vec![call(1)], free().tool_calls(0), stopped.clone(), StopReason::ToolCallsLimit),
        (vec![call(1)], free().time(Duration::ZERO), stopped, StopReason::TimeLimit),
        (vec![Turn::status(401)], free(), ExecutionStatus::Failed, StopReason::Error),
    ] {
        assert_eq!(ends(turns, budget).await, (status, reason));
    }
}

#[tokio::test]
async fn s1_each_signal_has_its_status() {
    for (reason, status) in [
        (StopReason::StopRequested, ExecutionStatus::Stopped),
        (StopReason::UserRequested, ExecutionStatus::Cancelled),
        (StopReason::RetryLimit, ExecutionStatus::Failed),
        (StopReason::CostLimit, ExecutionStatus::Stopped),
        (StopReason::Unknown, ExecutionStatus::Stopped),
    ] {
        let raised = reason.clone();
        let stop = hook("stop", [Trigger::StepEnd], move |state: AgentState, _| {
            std::future::ready(Ok(state.with_stop_signal(signal(raised.clone()))))
        });
        let agent = looker(&ScriptedModel::new([call(1)])).hook(stop).build().unwrap();
        let run = agent.run("go").outcome().await.unwrap();
        assert_eq!(run.status(), status, "{reason}");
        assert_eq!(run.continuation().unwrap().stop_reason(), Some(&reason));
    }
}

#[tokio::test]
async fn s3_2_a_final_answer_in_the_last_allowed_step_is_completed() {
    let turns = vec![call(1), Turn::text("done")];
    let ended = ends(turns, Budget::unlimited().steps(2)).await;
    assert_eq!(ended, (ExecutionStatus::Completed, StopReason::Completed));
}

#[tokio::test]
async fn s5_1_s3_2_so_many_tool_calls_and_then_an_answer() {
    let completed = (ExecutionStatus::Completed, StopReason::Completed);
    for calls in 0..3 {
        let turns = (0..calls).map(call).chain([Turn::text("done")]).collect();
        assert_eq!(ends(turns, Budget::unlimited().tool_calls(calls.into())).await, completed);
    }
}

#[tokio::test]
async fn s5_1_s5_5_calls_beyond_the_limit_do_not_run_and_stop() {
    let world = World::default();
    let two = Turn::calls([2, 3].map(|n| ("look", json!({"n": n}))));
    let model = ScriptedModel::new([call(1), two, Turn::text("never")]);
    let agent = Agent::builder(model.clone())
        .tools([noting("look", EffectClass::ReadOnly, &world)])
        .budget(Budget::unlimited().tool_calls(2));
    let run = agent.build().unwrap().run("go").outcome().await.unwrap();
    assert_eq!(run.continuation().unwrap().stop_reason(), Some(&StopReason::ToolCallsLimit));
    let limit = run.continuation().unwrap().signal.clone().unwrap().limit.unwrap();
    assert_eq!((limit.limit, limit.used, limit.wanted), (2, 1, 2));
    assert_eq!((world.notes().len(), model.requests().len()), (1, 2));
}

#[tokio::test]
async fn s3_6_an_own_number_of_tool_calls_stands_in_the_place_of_the_budgets() {
    for (own, ended) in [(1, StopReason::ToolCallsLimit), (2, StopReason::Completed)] {
        let model = ScriptedModel::new([call(1), call(2), Turn::text("done")]);
        let limit = legwork_core::continuation::ToolCallsLimit::at(own);
        let agent = looker(&model).budget(Budget::unlimited().tool_calls(1)).criterion(limit);
        let run = agent.build().unwrap().run("go").outcome().await.unwrap();
        assert_eq!(run.continuation().unwrap().stop_reason(), Some(&ended), "{own}");
    }
}

#[tokio::test]
async fn s3_7_a_stop_before_any_step_writes_only_the_outcome() {
    let model = ScriptedModel::new([Turn::text("never")]);
    let agent = looker(&model).budget(Budget::unlimited().steps(0)).build().unwrap();
    let run = agent.run("go").outcome().await.unwrap();
    assert_eq!(run.continuation().unwrap().stop_reason(), Some(&StopReason::StepsLimit));
    let signal = run.continuation().unwrap().signal.clone().unwrap();
    assert_eq!((signal.limit.clone().unwrap().limit, signal.limit.unwrap().used), (0, 0));
    assert_eq!(run.state().step_results().count(), 0);
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn s3_8_a_pause_is_no_stop_and_the_same_step_goes_on_after_the_answer() {
    let (world, gate, store) = (World::default(), Gate::new(), Arc::new(MemoryStore::new()));
    let model = ScriptedModel::new([Turn::call("send", json!({"n": 1})), Turn::text("done")]);
    let fired = world.clone();
    let note = hook("note", Trigger::ALL, move |state: AgentState, cx| {
        fired.note(format!("{:?}", cx.trigger));
        std::future::ready(Ok(state))
    });
    let agent = Agent::builder(model)
        .tools([guarded(spec("send").effect(once()), &world, &gate)])
        .store_in(store)
        .hook(note)
        .build()
        .unwrap();
    tokio::select! {
        _ = agent.run("go").in_session("s") => unreachable!("it waits at the gate"),
        () = gate.arrived(1) => {}
    }
    let paused = agent.resume("s").outcome().await.unwrap();
    assert_eq!(paused.status(), ExecutionStatus::AwaitingApproval);
    assert_eq!(paused.state().step_results().count(), 0);
    assert!(paused.continuation().is_none());
    for trigger in ["StepEnd", "BeforeStop", "ExecutionEnd"] {
        assert_eq!(world.count(trigger), 0, "{trigger}");
    }
    let pending = paused.state().pending()[0].clone();
    let supply = legwork_core::inbox::Verdict::Supply(json!("it was sent"));
    let answer = legwork_core::inbox::Answer::new(pending.id, supply);
    let session = agent.session("s");
    session.post("answer", legwork_core::inbox::Item::Answer(answer)).await.unwrap();
    let run = session.resume().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Completed);
    assert_eq!(said(run.state()), ["go", "it was sent", "done"]);
    let numbers: Vec<_> = run.state().step_results().map(|result| result.step.number).collect();
    assert_eq!(numbers, [1, 2]);
    for (trigger, times) in [("StepEnd", 2), ("BeforeStop", 1), ("ExecutionEnd", 1)] {
        assert_eq!(world.count(trigger), times, "{trigger}");
    }
}

#[tokio::test]
async fn an_open_run_gives_a_snapshot_a_step_and_takes_a_changed_one_back() {
    let model = ScriptedModel::new([call(1), call(2), Turn::text("done")]);
    let agent = looker(&model).build().unwrap();
    let mut open = agent.run("go").open().await.unwrap();
    let first = open.next().await.unwrap().unwrap();
    assert_eq!(first.step_results().count(), 1);
    open.set(first.clone().with_message("mind the gap")).unwrap();
    let second = open.next().await.unwrap().unwrap();
    assert_eq!(second.step_results().count(), 2);
    assert_eq!(model.asked()[1].last(), "mind the gap");
    assert_eq!(first.step_results().count(), 1, "a snapshot stays as it was");

    let error = open.set(first).unwrap_err();
    assert!(matches!(error, Error::Lineage), "an older one is refused: {error}");
    assert_eq!(open.state().step_results().count(), 2);

    assert!(open.next().await.unwrap().is_some());
    assert!(open.next().await.unwrap().is_none());
    assert!(open.next().await.unwrap().is_none());
    assert_eq!(open.state().status(), Some(&ExecutionStatus::Completed));
    assert_eq!(open.into_run().text(), "done");
}

#[tokio::test]
async fn every_request_is_settled_each_call_with_its_one_result_in_call_order() {
    let two = [("look", json!({"n": 1})), ("nope", json!({}))];
    let model = ScriptedModel::new([
        Turn::calls(two).with_text("first I look"),
        Turn::raw_call("look", "{not json"),
        call(3),
        Turn::text("done"),
    ]);
    looker(&model).build().unwrap().run("go").await.unwrap();
    for request in model.requests() {
        let mut open: Vec<String> = Vec::new();
        for message in request.messages().iter() {
            for part in &message.parts {
                match part {
                    Part::ToolCall(call) => open.push(call.id.to_string()),
                    Part::ToolResult(result) => assert_eq!(open.remove(0), result.call.to_string()),
                    _ => assert!(open.is_empty(), "a message between a call and its result"),
                }
            }
        }
        assert!(open.is_empty());
    }
}
