//! What is counted and raised in an execution survives a crash at each of its commits.

use std::sync::Arc;

use legwork_agent::{Agent, Builder, Error, hook};
use legwork_core::output::{Mode, Rejection, Stage, Wanted};
use legwork_core::tool::FailureKind;
use legwork_core::{
    AgentState, EffectClass, ExecutionStatus, StopReason, StopSignal, ToolOutcome, Usage,
};
use legwork_port::{OutputReader, Store, Tool, Trigger};
use legwork_testkit::{ScriptedModel, Turn, crash};
use serde_json::{Value, json};

use crate::tools::{World, made, outcomes, spec};

/// Asks for a retry each time.
fn flaky() -> Arc<dyn Tool> {
    let spec = spec("flaky").effect(EffectClass::ReadOnly).max_retries(2);
    made(spec, |_, _| Box::pin(async { ToolOutcome::Retry("Not now.".to_owned()) }))
}

/// Rejects each answer, and lets the model correct it twice.
struct Rejects(Arc<Wanted>);

impl Rejects {
    fn new() -> Self {
        let (mode, schema) = (Mode::Prompted, Arc::new(json!({"type": "object"})));
        Self(Arc::new(Wanted { name: "answer".into(), mode, schema, format: None, repairs: 2 }))
    }
}

impl OutputReader for Rejects {
    fn wanted(&self) -> &Arc<Wanted> {
        &self.0
    }

    fn prompt(&self) -> &str {
        ""
    }

    fn tool(&self) -> Option<Arc<dyn Tool>> {
        None
    }

    fn read(&self, written: &str) -> Result<Value, Rejection> {
        Err(Rejection::new(Stage::Validation, format!("{written} is wrong.")))
    }

    fn correction(&self, rejection: &Rejection) -> String {
        rejection.problem.clone()
    }
}

/// Runs a scenario with a crash on each side of each commit; `same` is what must not depend on it.
async fn check<T: PartialEq + std::fmt::Debug>(
    turns: impl Fn() -> Vec<Turn> + 'static,
    build: impl Fn(Builder) -> Builder + 'static,
    same: impl Fn(&AgentState) -> T,
) -> AgentState {
    let make = move |_: &World, store: Arc<dyn Store>| -> Result<Agent, Error> {
        build(Agent::builder(ScriptedModel::new(turns())).store_in(store)).build()
    };
    let report = crash::simulate("go", make).crash_everywhere().await.unwrap();
    assert!(report.crashed.len() >= 6, "{} crashes", report.crashed.len());
    report.check(|plain, crashed| {
        let (before, after) = (same(&plain.state), same(&crashed.state));
        match before == after {
            true => Ok(()),
            false => Err(format!("{before:?} became {after:?}")),
        }
    });
    report.plain.state
}

fn calls(arguments: Value) -> impl Fn() -> Vec<Turn> {
    move || {
        let calls = (0..3).map(|_| Turn::call("flaky", arguments.clone()));
        calls.chain([Turn::text("I give up.")]).collect()
    }
}

#[tokio::test]
async fn s10_3_the_retries_of_a_tool_are_counted_on_after_a_crash() {
    let counted =
        |state: &AgentState| (outcomes(state), state.execution().unwrap().retries.clone());
    for arguments in [json!({"n": 1}), json!({"n": "one"})] {
        let state = check(calls(arguments), |agent| agent.tool(flaky()), counted).await;
        let last = outcomes(&state).pop().unwrap();
        assert!(matches!(last, ToolOutcome::Failed(FailureKind::RetriesExhausted, _)), "{last:?}");
        assert_eq!(state.execution().unwrap().retries["flaky"], 3);
    }
}

#[tokio::test]
async fn s10_3_rejected_outputs_are_counted_on_after_a_crash() {
    let turns = || ["a", "b", "c", "d", "e"].map(Turn::text).to_vec();
    let build = |agent: Builder| {
        agent.output(|_| Ok::<Arc<dyn OutputReader>, String>(Arc::new(Rejects::new())))
    };
    let counted = |state: &AgentState| {
        let error = state.ending_error().map(|error| error.message.clone());
        (state.rejected_outputs(), state.step_results().count(), error)
    };
    let state = check(turns, build, counted).await;
    assert_eq!((state.rejected_outputs(), state.step_results().count()), (3, 3));
    assert_eq!(state.status(), Some(&ExecutionStatus::Failed));
}

#[tokio::test]
async fn s10_3_a_stop_that_was_raised_ends_the_execution_after_a_crash_too() {
    let turns = || {
        let look = |n: u32| Turn::call("flaky", json!({"n": n}));
        vec![look(1), look(2), Turn::text("done")]
    };
    let build = |agent: Builder| {
        let stops = hook("enough", [Trigger::StepEnd], |state: AgentState, _cx| async move {
            let signal = StopSignal::new(StopReason::StopRequested, "enough", "it is enough");
            Ok(if state.used().steps == 1 { state.with_stop_signal(signal) } else { state })
        });
        agent.tool(flaky()).hook(stops)
    };
    let ended = |state: &AgentState| {
        let signals = state.stop_signals().iter().map(|signal| signal.message.clone());
        (state.status().cloned(), state.step_results().count(), signals.collect::<Vec<_>>())
    };
    let state = check(turns, build, ended).await;
    assert_eq!(state.stop_reason(), Some(&StopReason::StopRequested));
}

#[tokio::test]
async fn s10_3_what_was_used_is_used_after_a_crash() {
    let usage = Usage { input: 10, output: 2, ..Usage::default() };
    let turns = move || {
        let look = Turn::call("flaky", json!({"n": 1})).with_usage(usage);
        vec![look, Turn::text("done").with_usage(usage)]
    };
    // An inference that broke off is charged, too, so the tokens may be more.
    let counted = |state: &AgentState| {
        let used = state.session_used();
        (used.steps, used.tool_calls, used.output >= 4 && used.input >= 20)
    };
    let state = check(turns, |agent| agent.tool(flaky()), counted).await;
    assert_eq!((state.session_used().input, state.session_used().output), (20, 4));
    assert_eq!(counted(&state), (2, 1, true));
}
