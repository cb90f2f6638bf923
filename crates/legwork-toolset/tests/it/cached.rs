//! Results that are kept within an execution.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::FutureExt as _;
use legwork_core::event::ExecutionStarted;
use legwork_core::{
    AgentState, EffectClass, EffectKey, Event, Message, Seq, SessionId, ToolCall, ToolOutcome,
};
use legwork_port::{Cancellation, Tool, ToolContext, Toolset};
use legwork_toolset::{Next, Tools, ToolsetExt as _};

use crate::leaf::says_as;

fn begun(session: &str) -> AgentState {
    let input = vec![Arc::new(Message::user("go"))];
    AgentState::new(SessionId::new(session))
        .with(Event::ExecutionStarted(ExecutionStarted { input }))
}

fn call(tool: &Arc<dyn Tool>, arguments: &str, state: &AgentState) -> ToolOutcome {
    let call = ToolCall::new("c", Arc::clone(&tool.spec().name), arguments);
    let key = EffectKey { session: state.session().clone(), entry: Seq(1), index: 0 };
    let context = ToolContext::new(state.clone(), key, Cancellation::new());
    tool.call(&call, &context).now_or_never().unwrap()
}

/// A set of a tool that looks and one that writes, and how often they ran.
fn set(fails: bool) -> (Vec<Arc<dyn Tool>>, Arc<AtomicUsize>) {
    let ran = Arc::new(AtomicUsize::new(0));
    let counts = Arc::clone(&ran);
    let tools = [
        says_as("s", "look", EffectClass::ReadOnly),
        says_as("s", "write", EffectClass::Idempotent),
    ];
    let counted = Tools::new("s", tools).wrapped("counted", move |next: Next| {
        let ran = counts.fetch_add(1, Ordering::SeqCst);
        async move {
            match fails {
                true => ToolOutcome::failed("down"),
                false => ToolOutcome::text(format!("{} {ran}", next.call().name)),
            }
        }
    });
    (counted.cached().tools().unwrap(), ran)
}

#[test]
fn s6_11_the_same_call_has_the_same_result_within_an_execution() {
    let (tools, ran) = set(false);
    let (look, here) = (&tools[0], begun("a"));
    let first = call(look, r#"{"a": 1, "b": 2}"#, &here);
    assert_eq!(call(look, r#"{"b":2,"a":1}"#, &here), first, "however it is written");
    assert_ne!(call(look, r#"{"a": 2, "b": 2}"#, &here), first);
    assert_eq!(ran.load(Ordering::SeqCst), 2);
    // Another session and another execution have results of their own.
    assert_ne!(call(look, r#"{"a": 1, "b": 2}"#, &begun("b")), first);
    // So has one of a session that was removed and begun anew under its name.
    let anew = AgentState::new(SessionId::new("a"))
        .at(legwork_core::Stamp { wall: legwork_core::Timestamp(1), ..Default::default() })
        .with(Event::ExecutionStarted(ExecutionStarted { input: Vec::new() }));
    assert_ne!(call(look, r#"{"a": 1, "b": 2}"#, &anew), first);
    let next = here.with(Event::ExecutionStarted(ExecutionStarted { input: Vec::new() }));
    assert_ne!(call(look, r#"{"a": 1, "b": 2}"#, &next), first);
}

#[test]
fn s6_11_a_call_that_may_change_something_forgets_what_was_kept() {
    let (tools, _) = set(false);
    let here = begun("a");
    let first = call(&tools[0], "{}", &here);
    let (one, two) = (call(&tools[1], "{}", &here), call(&tools[1], "{}", &here));
    assert_ne!(one, two, "it is never kept itself");
    assert_ne!(call(&tools[0], "{}", &here), first);
}

#[test]
fn s6_11_a_failure_is_not_kept() {
    let (tools, ran) = set(true);
    let here = begun("a");
    assert_eq!(call(&tools[0], "{}", &here), call(&tools[0], "{}", &here));
    assert_eq!(ran.load(Ordering::SeqCst), 2);
}
