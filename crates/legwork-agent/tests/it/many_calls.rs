//! Work is linear in the calls of one answer, for each outcome of them.

use std::sync::Arc;

use legwork_agent::capability::{Metadata, TaskList};
use legwork_agent::{Agent, Builder, Hook, hook};
use legwork_core::event::{Event, ToolChanged, ToolFinished};
use legwork_core::journal::Journal;
use legwork_core::tool::ExecutionMode;
use legwork_core::{
    AgentState, Budget, EffectClass, FinishReason, Mask, Part, ToolCall, ToolOutcome, ToolSpec,
};
use legwork_port::{Tool, Trigger};
use legwork_testkit::{RecordingObserver, ScriptedModel, Turn};
use serde_json::{Value, json};

use crate::allocated::bytes;
use crate::counted;
use crate::samples::answered;
use crate::tools::{made, spec};

/// Calls of the shorter of two answers.
const FEW: u32 = 400;

/// An agent whose model makes so many calls of a tool in one answer.
fn agent(calls: u32, tool: Arc<dyn Tool>) -> Builder {
    let calls = (0..calls).map(|n| ("a", json!({"n": n})));
    let model = ScriptedModel::new([Turn::calls(calls), Turn::text("done")]);
    Agent::builder(model).tools([tool]).budget(Budget::unlimited())
}

/// A tool whose calls do not end in the order in which they began, and hardly ever together.
fn tool(spec: ToolSpec) -> Arc<dyn Tool> {
    made(spec, |arguments, _| {
        let n = arguments["n"].as_u64().unwrap();
        Box::pin(async move {
            for _ in 0..n % 17 {
                tokio::task::yield_now().await;
            }
            ToolOutcome::value(json!(n))
        })
    })
}

fn read_only() -> ToolSpec {
    spec("a").effect(EffectClass::ReadOnly)
}

fn on(
    trigger: Trigger,
    change: impl Fn(AgentState) -> Result<AgentState, hook::Error> + Send + Sync + 'static,
) -> Hook {
    hook("each", [trigger], move |state, _| std::future::ready(change(state)))
}

fn run(agent: Builder) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let run = runtime.block_on(agent.build().unwrap().run("go").outcome()).unwrap();
    assert!(run.state().step_results().next().unwrap().step.is_answered());
}

/// Four times as many calls take little more than four times as much memory, all told.
#[track_caller]
fn is_linear(agent: impl Fn(u32) -> Builder) {
    let few = bytes(|| run(agent(FEW)));
    let many = bytes(|| run(agent(4 * FEW)));
    assert!(many < few * 9 / 2, "{FEW} calls allocate {few} bytes, four times as many {many}");
}

/// Work that copies nothing is linear, too: so much more of it takes so many instructions more.
#[track_caller]
fn is_counted(test: &str, work: impl Fn(u32)) {
    if let Some(size) = counted::size() {
        return work(size);
    }
    let of = |size| counted::instructions(&format!("many_calls::{test}"), size);
    let (Some(few), Some(many)) = (of(FEW), of(4 * FEW)) else {
        println!("skipped: valgrind is not there to count instructions");
        return;
    };
    let limit = few / 10 * 41;
    assert!(many < limit, "{FEW} calls take {few} instructions, four times as many {many}");
}

#[test]
fn s13_10_calls_that_run_beside_each_other_are_linear() {
    is_linear(|n| agent(n, tool(read_only())));
    is_linear(|n| agent(n, tool(read_only())).parallel_calls(n as usize));
    is_linear(|n| agent(n, tool(read_only().mode(ExecutionMode::ParallelUnordered))));
}

#[test]
fn s13_10_calls_that_are_durable_one_by_one_are_linear() {
    is_linear(|n| agent(n, tool(spec("a"))));
}

#[test]
fn s13_10_calls_that_run_one_after_the_other_are_linear() {
    is_linear(|n| agent(n, tool(read_only().mode(ExecutionMode::Sequential))));
    is_linear(|n| agent(n, tool(spec("a").mode(ExecutionMode::Sequential))));
}

#[test]
fn s13_10_calls_on_resources_of_their_own_are_linear() {
    is_linear(|n| agent(n, tool(read_only().resource("n"))));
}

#[test]
fn s13_10_calls_that_never_run_are_linear() {
    let other = || tool(ToolSpec { name: "b".into(), ..spec("b") });
    is_linear(|n| agent(n, other()));
    let limited = |n| Budget::unlimited().tool_calls(u64::from(n) - 1);
    is_linear(|n| agent(n, tool(read_only())).budget(limited(n)));
}

#[test]
fn s13_10_calls_that_hooks_see_are_linear() {
    for trigger in [Trigger::BeforeToolUse, Trigger::AfterToolUse] {
        let each = |change: fn(AgentState) -> Result<AgentState, hook::Error>| {
            is_linear(|n| agent(n, tool(read_only())).hook(on(trigger, change)));
        };
        each(Ok);
        each(|state| Ok(state.with_metadata("seen", Some(json!(true)))));
        each(|_| Err(hook::Error::new("it does not work")));
    }
}

#[test]
fn s13_10_calls_that_hooks_change_are_linear() {
    let each = |trigger, change: fn(AgentState) -> Result<AgentState, hook::Error>| {
        is_linear(|n| agent(n, tool(read_only())).hook(on(trigger, change)));
    };
    each(Trigger::BeforeToolUse, |state| Ok(state.with_tool_call_arguments(json!({"n": 1}))));
    each(Trigger::BeforeToolUse, |state| Ok(state.with_tool_call_answered(json!(1))));
    each(Trigger::BeforeToolUse, |state| Ok(state.with_tool_call_blocked("each", "no")));
    each(Trigger::AfterToolUse, |state| {
        let index = state.current_tool_execution().unwrap().index;
        Ok(state.with_tool_outcome(index, ToolOutcome::value(json!("short"))))
    });
}

#[test]
fn s13_10_calls_that_are_watched_and_masked_are_linear() {
    let mask = Mask::of(["sk-0123456789abcdef"]);
    is_linear(|n| agent(n, tool(read_only())).observer(Arc::new(RecordingObserver::new())));
    is_linear(|n| agent(n, tool(read_only())).mask(&mask));
}

#[test]
fn s13_10_no_call_looks_at_all_the_others() {
    is_counted("s13_10_no_call_looks_at_all_the_others", |n| {
        run(agent(n, tool(read_only().resource("n"))));
    });
}

#[test]
fn s13_10_a_journal_of_many_calls_is_folded_in_linear_time() {
    is_counted("s13_10_a_journal_of_many_calls_is_folded_in_linear_time", |n| {
        let call = |n| Part::ToolCall(Arc::new(ToolCall::new(format!("c{n}"), "a", "{}")));
        let state = answered((0..n).map(call).collect(), FinishReason::ToolCalls);
        let text = || Arc::new(ToolOutcome::text("so"));
        let finished = |index| {
            let (took, metadata, used) = Default::default();
            Event::ToolFinished(ToolFinished { index, outcome: text(), took, metadata, used })
        };
        let changed = |index| Event::ToolChanged(ToolChanged { index, outcome: text() });
        let state = (0..n).map(finished).chain((0..n).map(changed)).fold(state, AgentState::with);
        assert_eq!(state.context().transcript.messages().len(), n as usize + 2);
        let journal = Journal::new(state.uncommitted().to_vec());
        assert_eq!(journal.fold(state.session()), state);
    });
}

/// A tool that sees what the calls before it wrote reads each of these once.
#[test]
fn s13_10_what_the_calls_of_a_turn_wrote_is_read_once() {
    let calls = |name: &'static str, call: fn(u32) -> Value| {
        move |n: u32| {
            let calls = (0..n).map(|n| (name, call(n)));
            let model = ScriptedModel::new([Turn::calls(calls), Turn::text("done")]);
            Agent::builder(model).budget(Budget::unlimited())
        }
    };
    let read = calls("update_tasks", |_| json!({}));
    is_linear(|n| read(n).capability(TaskList::new()));
    let written = calls(
        "update_tasks",
        |n| json!({"tasks": [{"title": "a", "state": STATES[n as usize % 3]}]}),
    );
    is_linear(|n| written(n).capability(TaskList::new()));
    let kept = calls("write_metadata", |n| json!({"key": format!("k{}", n % 9), "value": n}));
    is_linear(|n| kept(n).capability(Metadata::new()));
    let listed = calls("list_metadata", |_| json!({}));
    is_linear(|n| listed(n).capability(Metadata::new()));
}

const STATES: [&str; 3] = ["pending", "in_progress", "done"];
