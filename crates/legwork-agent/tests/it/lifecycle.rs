//! The ten methods: when they fire, in which order, and what they see.

use std::future::IntoFuture as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Builder, Composite, Control, CoreLifecycle, Run, hook};
use legwork_core::state::CurrentToolExecution;
use legwork_core::{
    AgentState, ContinuationOutcome, Criterion, Decision, EffectClass, ErrorKind, ExecutionStatus,
    FinishReason, Part, Seq, SessionId, StopReason, ToolOutcome,
};
use legwork_port::{BoxFuture, Core, Lifecycle, StepView, Trigger};
use legwork_testkit::{Gate, ScriptedModel, Turn, polls};
use serde_json::json;

use crate::samples::{answered, begun, called};
use crate::tools::{World, noting, said, signal};

/// Notes each method with what the state holds for it then.
struct Tracer(World);

macro_rules! traced {
    ($( $name:ident: $see:expr; )+) => {
        impl Lifecycle for Tracer {
            $(
                fn $name<'a>(&'a self, state: AgentState, _: &'a StepView) -> BoxFuture<'a, AgentState> {
                    let see: fn(&AgentState) -> String = $see;
                    self.0.note(format!("{} {}", stringify!($name), see(&state)));
                    Box::pin(std::future::ready(state))
                }
            )+
        }
    };
}

traced! {
    on_execution_start: |state| format!("execution {} {}", state.facts().executions, status(state));
    on_step_start: |state| format!("after {} steps", state.step_results().count());
    on_before_inference: |state| {
        format!("{} messages", state.current_request().unwrap().messages().len())
    };
    on_after_inference: |state| {
        let step = state.current_step().unwrap();
        let saved = step.response_entry.unwrap() <= state.committed_version();
        format!("{} calls, committed: {saved}", step.calls.len())
    };
    on_before_tool_use: |state| {
        let call = state.current_tool_call().unwrap();
        format!("{} {} {}", call.index, call.call.name, call.arguments)
    };
    on_after_tool_use: |state| {
        let CurrentToolExecution { index, execution } = state.current_tool_execution().unwrap();
        format!("{index} {} {:?}", execution.call.name, execution.outcome)
    };
    on_error: |state| state.current_error().unwrap().message.clone();
    on_step_end: |state| {
        let outcome = state.continuation_outcome().unwrap();
        format!("{} goes on: {}", state.ending_step().unwrap().number, outcome.should_continue())
    };
    on_before_stop: |state| format!("{} {}", state.stop_reason().unwrap(), status(state));
    on_execution_end: status;
}

fn status(state: &AgentState) -> String {
    state.status().unwrap().to_string()
}

fn look_twice() -> ScriptedModel {
    let two = [("look", json!({"n": 1})), ("look", json!({"n": 2}))];
    ScriptedModel::new([Turn::calls(two), Turn::text("done")])
}

#[tokio::test]
async fn s2_all_methods_fire_in_the_order_of_the_table() {
    let world = World::default();
    Agent::builder(look_twice())
        .tools([noting("look", EffectClass::ReadOnly, &world)])
        .lifecycle(Tracer(world.clone()))
        .build()
        .unwrap()
        .run("go")
        .await
        .unwrap();
    let expected = [
        "on_execution_start execution 1 in_progress",
        "on_step_start after 0 steps",
        "on_before_inference 1 messages",
        "on_after_inference 2 calls, committed: true",
        "on_before_tool_use 0 look {\"n\":1}",
        "on_before_tool_use 1 look {\"n\":2}",
        "look 1",
        "look 2",
        "on_after_tool_use 0 look Ok(Output([Json(Number(1))]))",
        "on_after_tool_use 1 look Ok(Output([Json(Number(2))]))",
        "on_step_end 1 goes on: true",
        "on_step_start after 1 steps",
        "on_before_inference 4 messages",
        "on_after_inference 0 calls, committed: true",
        "on_step_end 2 goes on: false",
        "on_before_stop completed in_progress",
        "on_execution_end completed",
    ];
    assert_eq!(world.notes(), expected);
}

#[tokio::test]
async fn s2_an_error_is_shown_before_its_step_ends() {
    let world = World::default();
    let model = ScriptedModel::new([Turn::status(500).with_message("overheated")]);
    let agent = Agent::builder(model).lifecycle(Tracer(world.clone())).build().unwrap();
    agent.run("go").outcome().await.unwrap();
    let expected = [
        "on_execution_start execution 1 in_progress",
        "on_step_start after 0 steps",
        "on_before_inference 1 messages",
        "on_error overheated",
        "on_step_end 1 goes on: false",
        "on_before_stop error in_progress",
        "on_execution_end failed",
    ];
    assert_eq!(world.notes(), expected);
}

#[tokio::test]
async fn s2_a_stop_raised_on_step_start_is_honoured_before_a_step_begins() {
    let model = ScriptedModel::new([Turn::text("never")]);
    let stop = hook("stop", [Trigger::StepStart], |state: AgentState, _| async move {
        Ok(state.with_stop_signal(signal(StopReason::StopRequested)))
    });
    let run = Agent::builder(model.clone())
        .hook(stop)
        .build()
        .unwrap()
        .run("go")
        .outcome()
        .await
        .unwrap();
    assert_eq!(run.status(), ExecutionStatus::Stopped);
    assert!(model.requests().is_empty());
    assert_eq!(run.state().step_results().count(), 0);
    assert_eq!(run.continuation().unwrap().stop_reason(), Some(&StopReason::StopRequested));
}

#[tokio::test]
async fn s2_2_changes_of_tool_hooks_reach_the_final_state_and_calls_see_nothing_of_each_other() {
    let world = World::default();
    let (judging, seeing) = (world.clone(), world.clone());
    let judge = hook("judge", [Trigger::BeforeToolUse], move |state: AgentState, _| {
        let world = judging.clone();
        async move {
            let index = state.current_tool_call().unwrap().index;
            world.note(format!("judging {index}, blocked: {}", state.tool_call_decided()));
            let state = state.with_metadata(format!("judged {index}"), Some(true.into()));
            Ok(if index == 0 { state.with_tool_call_blocked("judge", "no") } else { state })
        }
    });
    let see = hook("see", [Trigger::AfterToolUse], move |state: AgentState, _| {
        let world = seeing.clone();
        async move {
            assert!(state.current_tool_call().is_none());
            let id = state.current_tool_execution().unwrap().execution.call.id.clone();
            world.note(format!("seen {id}"));
            Ok(state.with_metadata(format!("seen {id}"), Some(true.into())))
        }
    });
    let done = hook("done", [Trigger::StepEnd], |state: AgentState, _| async move {
        assert!(state.current_tool_call().is_none() && state.current_tool_execution().is_none());
        Ok(state)
    });
    let run = Agent::builder(look_twice())
        .tools([noting("look", EffectClass::ReadOnly, &world)])
        .hook(judge)
        .hook(see)
        .hook(done)
        .build()
        .unwrap()
        .run("go")
        .await
        .unwrap();
    let notes = world.notes();
    let (first, second) = ("judging 0, blocked: false", "judging 1, blocked: false");
    assert_eq!(notes, [first, second, "look 2", "seen call_0_0", "seen call_0_1"]);
    let metadata: Vec<_> = run.state().context().metadata.keys().map(String::as_str).collect();
    assert_eq!(metadata, ["judged 0", "judged 1", "seen call_0_0", "seen call_0_1"]);
    assert!(run.state().current_request().is_none());
    assert!(run.state().current_tool_call().is_none());
    assert!(run.state().current_tool_execution().is_none());
    assert!(run.state().ending_step().is_none());
}

/// Writes its name behind those that came before it.
struct Signs(&'static str);

impl Lifecycle for Signs {
    fn on_step_start<'a>(
        &'a self,
        state: AgentState,
        _: &'a StepView,
    ) -> BoxFuture<'a, AgentState> {
        let before = state.context().metadata.get("signed").cloned().unwrap_or(json!(""));
        let signed = format!("{}{}", before.as_str().unwrap(), self.0);
        Box::pin(std::future::ready(state.with_metadata("signed", Some(signed.into()))))
    }
}

#[tokio::test]
async fn s2_1_composite_shows_each_member_the_state_of_the_one_before() {
    let all =
        Composite::new(vec![Arc::new(Signs("a")), Arc::new(Signs("b")), Arc::new(Signs("c"))]);
    let state = begun();
    let state = all.on(Trigger::StepStart, state, &crate::tools::view()).await;
    assert_eq!(state.context().metadata["signed"], "abc");
}

struct Forgets;

impl Lifecycle for Forgets {
    fn on_step_start<'a>(&'a self, _: AgentState, _: &'a StepView) -> BoxFuture<'a, AgentState> {
        Box::pin(std::future::ready(AgentState::new(SessionId::new("another"))))
    }
}

#[tokio::test]
async fn s1_4_composite_restores_what_a_lineage_breaking_member_was_given() {
    let all = Composite::new(vec![Arc::new(Signs("a")), Arc::new(Forgets), Arc::new(Signs("b"))]);
    let state = all.on(Trigger::StepStart, begun(), &crate::tools::view()).await;
    assert_eq!(state.session().as_str(), "alone");
    assert_eq!(state.context().metadata["signed"], "ab");
    let kinds: Vec<_> = state.errors().map(|error| error.kind.clone()).collect();
    assert_eq!(kinds, [ErrorKind::Lineage]);
}

#[tokio::test]
async fn s2_1_core_lifecycle_decides_alone() {
    let core = CoreLifecycle::default();
    let decide = async |state| core.on(Trigger::StepEnd, state, &crate::tools::view()).await;

    let text = answered(vec![Part::text("done")], FinishReason::Stop);
    let state = decide(text.clone()).await;
    assert_eq!(state.stop_reason(), Some(&StopReason::Completed));
    assert!(text.continuation_outcome().is_none(), "the state handed in is as it was");

    let called = called();
    assert!(decide(called.clone()).await.continuation_outcome().unwrap().should_continue());

    let stopped = called.with_stop_signal(signal(StopReason::StopRequested));
    assert_eq!(decide(stopped).await.stop_reason(), Some(&StopReason::StopRequested));
}

/// Says that one step is enough, whatever was called in it.
struct OneStep;

impl Core for OneStep {}

impl Lifecycle for OneStep {
    fn on_step_end<'a>(&'a self, state: AgentState, _: &'a StepView) -> BoxFuture<'a, AgentState> {
        let outcome = ContinuationOutcome::stop(signal(StopReason::StopRequested));
        Box::pin(std::future::ready(state.with_provisional_outcome(Some(Arc::new(outcome)))))
    }
}

#[tokio::test]
async fn s2_1_the_core_lifecycle_is_replaceable() {
    let model = look_twice();
    let world = World::default();
    let run = Agent::builder(model.clone())
        .tools([noting("look", EffectClass::ReadOnly, &world)])
        .core_lifecycle(OneStep)
        .build()
        .unwrap()
        .run("go")
        .outcome()
        .await
        .unwrap();
    assert_eq!(model.requests().len(), 1);
    assert_eq!(run.status(), ExecutionStatus::Stopped);
    assert_eq!(run.continuation().unwrap().explain(), "Stopping (stop_requested, by test): so.");
    assert_eq!(world.notes(), ["look 1", "look 2"]);
}

/// A core that hands back a state of another session.
struct Elsewhere;

impl Core for Elsewhere {}

impl Lifecycle for Elsewhere {
    fn on_step_end<'a>(&'a self, _: AgentState, _: &'a StepView) -> BoxFuture<'a, AgentState> {
        Box::pin(std::future::ready(AgentState::new(SessionId::new("another"))))
    }
}

#[tokio::test]
async fn s1_4_a_replaced_core_that_breaks_the_lineage_is_restored_and_decides_nothing() {
    let model = ScriptedModel::new([Turn::text("done")]);
    let agent = Agent::builder(model).core_lifecycle(Elsewhere);
    let agent = agent.store_in(Arc::new(MemoryStore::new())).build().unwrap();
    let run = agent.run("go").in_session("mine").outcome().await.unwrap();
    assert_eq!(run.session().as_str(), "mine");
    assert_eq!(said(run.state()), ["go", "done"]);
    assert!(run.state().errors().any(|error| error.kind == ErrorKind::Lineage));
    assert_eq!(run.continuation().unwrap().stop_reason(), Some(&StopReason::Unknown));
    assert_eq!(run.status(), ExecutionStatus::Stopped);
}

/// A member that waits when a step ends, before another one sees it.
struct Late<L>(Gate, L);

impl<L: Core> Core for Late<L> {}

impl<L: Lifecycle> Lifecycle for Late<L> {
    fn on_step_end<'a>(
        &'a self,
        state: AgentState,
        view: &'a StepView,
    ) -> BoxFuture<'a, AgentState> {
        Box::pin(async {
            self.0.pass().await;
            self.1.on(Trigger::StepEnd, state, view).await
        })
    }
}

/// Runs an agent that is cancelled while a member of its lifecycle waits, which then goes on.
async fn cancelled_at(gate: &Gate, agent: Builder) -> Run {
    let control = Control::default();
    let run = agent.build().unwrap().run("go").control(control.clone());
    let cancel = async {
        gate.arrived(1).await;
        control.cancel.cancel();
        polls::others(100).await;
        gate.open();
    };
    tokio::join!(run.into_future(), cancel).0.unwrap()
}

#[tokio::test]
async fn s2_1_a_core_lifecycle_that_waits_decides_also_where_the_run_is_cancelled() {
    let gate = Gate::new();
    let late = Late(gate.clone(), CoreLifecycle::default());
    let agent = Agent::builder(ScriptedModel::new([Turn::text("done")])).core_lifecycle(late);
    let run = cancelled_at(&gate, agent).await;
    let decided = run.state().step_results().next().unwrap();
    assert_eq!(decided.outcome.stop_reason(), Some(&StopReason::Completed));
}

#[tokio::test]
async fn s7_7_a_lifecycle_that_waits_is_left_when_the_run_is_cancelled() {
    let (gate, world) = (Gate::new(), World::default());
    let late = Late(gate.clone(), Tracer(world.clone()));
    let agent = Agent::builder(ScriptedModel::new([Turn::text("done")])).lifecycle(late);
    cancelled_at(&gate, agent).await;
    assert_eq!(world.notes(), [""; 0], "it did not come to its end");
}

/// Abstains, and counts how often it was asked.
struct Counts(Arc<AtomicUsize>);

impl Criterion for Counts {
    fn name(&self) -> &str {
        "counts"
    }

    fn decide(
        &self,
        _: &AgentState,
    ) -> Result<Option<Decision>, legwork_core::continuation::Error> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(None)
    }
}

#[tokio::test]
async fn s2_a_vote_on_step_end_is_counted_by_one_more_evaluation() {
    let asked = Arc::new(AtomicUsize::new(0));
    let model = ScriptedModel::new([Turn::text("one"), Turn::text("two"), Turn::text("three")]);
    let more = hook("more", [Trigger::StepEnd], |state: AgentState, _| async move {
        let first = state.ending_step().unwrap().number == 1;
        Ok(if first { state.with_vote("more", Decision::Request) } else { state })
    });
    let run = Agent::builder(model)
        .criterion(Counts(Arc::clone(&asked)))
        .hook(more)
        .build()
        .unwrap()
        .run("go")
        .await
        .unwrap();
    assert_eq!(run.text(), "two");
    assert_eq!(run.status(), ExecutionStatus::Completed);
    // Twice for the step whose votes changed, once for the other: votes do not stay.
    assert_eq!(asked.load(Ordering::SeqCst), 3);
    let first = run.state().step_results().next().unwrap();
    assert_eq!(first.outcome.explain(), "Continuing: more asked to.");
    assert!(first.outcome.votes.iter().any(|vote| vote.by == "finish_reason"));
}

#[tokio::test]
async fn s2_s3_7_a_signal_on_step_end_stops_with_its_reason_and_all_that_the_step_did() {
    let world = World::default();
    let stop = hook("stop", [Trigger::StepEnd], |state: AgentState, _| async move {
        Ok(state.with_stop_signal(signal(StopReason::StopRequested)))
    });
    let run = Agent::builder(look_twice())
        .tools([noting("look", EffectClass::ReadOnly, &world)])
        .hook(stop)
        .build()
        .unwrap()
        .run("go")
        .outcome()
        .await
        .unwrap();
    assert_eq!(run.status(), ExecutionStatus::Stopped);
    let result = run.state().last_step_result().unwrap();
    assert_eq!(result.outcome.stop_reason(), Some(&StopReason::StopRequested));
    assert_eq!(result.step.number, 1);
    assert_eq!(said(run.state()), ["go", "1", "2"]);
    assert_eq!((run.used().input, run.used().output, run.used().tool_calls), (10, 5, 2));
    assert_eq!(run.state().head(), Seq(run.state().version().0));
}

#[tokio::test]
async fn s2_3_a_hook_changes_the_result_that_it_is_shown_by_its_index_though_ids_repeat() {
    // Calls of some models share an id; only their index tells them apart.
    let twins = Turn::calls([("look", json!({"n": 1})), ("look", json!({"n": 1}))]);
    let twins = twins.with_call_ids(["same", "same"]);
    let model = ScriptedModel::new([twins, Turn::text("done")]);
    let second = hook("second", [Trigger::AfterToolUse], |state: AgentState, _| async move {
        let index = state.current_tool_execution().unwrap().index;
        // What it changes beside the result that it is shown is left out.
        Ok(state.with_tool_outcome(1, ToolOutcome::text(format!("changed at {index}"))))
    });
    let world = World::default();
    let builder = Agent::builder(model).tools([noting("look", EffectClass::ReadOnly, &world)]);
    let run = builder.hook(second).build().unwrap().run("go").await.unwrap();
    let all = crate::tools::outcomes(run.state());
    assert_eq!(all, [ToolOutcome::value(json!(1)), ToolOutcome::text("changed at 1")]);
    assert_eq!(run.state().errors().count(), 1, "the other change was refused");
}

#[test]
fn s2_core_listens_to_the_end_of_a_step_alone() {
    let core = CoreLifecycle::default();
    let heard: Vec<_> = Trigger::ALL.into_iter().filter(|trigger| core.listens(*trigger)).collect();
    assert_eq!(heard, [Trigger::StepEnd]);
}
