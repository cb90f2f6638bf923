//! What hostile programs found of toolsets made of others: each was wrong once.

use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::FutureExt as _;
use legwork_core::event::ExecutionStarted;
use legwork_core::{
    AgentState, EffectClass, EffectKey, Event, Message, Seq, SessionId, ToolCall, ToolOutcome,
};
use legwork_port::toolset::{Error, OpenToolset, Scope};
use legwork_port::{BoxFuture, Cancellation, Deps, Tool, ToolContext, Toolset};
use legwork_toolset::{Combined, Next, ToolExt as _, Tools, ToolsetExt as _, dynamic, lazy};
use serde_json::json;
use tokio::sync::Semaphore;

use crate::leaf::{says, says_as};

fn begun(session: &str) -> AgentState {
    let input = vec![Arc::new(Message::user("go"))];
    AgentState::new(SessionId::new(session))
        .with(Event::ExecutionStarted(ExecutionStarted { input }))
}

fn scope() -> Scope {
    Scope::new("s".into(), Deps::default(), Cancellation::new())
}

fn context(state: &AgentState) -> ToolContext {
    let key = EffectKey { session: state.session().clone(), entry: Seq(1), index: 0 };
    ToolContext::new(state.clone(), key, Cancellation::new())
}

#[test]
fn s6_5_a_resource_that_a_spec_was_given_is_one() {
    let tool = says("s", "write").with_spec(|spec| spec.resource("path"));
    assert_eq!(tool.resource(&json!({"path": "a.txt"})), Some("a.txt".to_owned()));
}

#[test]
fn s6_11_a_result_of_before_a_write_is_not_kept_after_it() {
    let (value, gate) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
    let (shared, held) = (Arc::clone(&value), Arc::clone(&gate));
    let tools = [
        says_as("s", "look", EffectClass::ReadOnly),
        says_as("s", "write", EffectClass::Idempotent),
    ];
    let set = Tools::new("s", tools).wrapped("real", move |next: Next| {
        let (value, gate) = (Arc::clone(&shared), Arc::clone(&held));
        async move {
            if &*next.call().name == "look" {
                let seen = value.load(Ordering::SeqCst);
                return ToolOutcome::text(format!("{seen}"));
            }
            let _pass = gate.acquire().await.unwrap();
            value.store(1, Ordering::SeqCst);
            ToolOutcome::text("written")
        }
    });
    let tools = set.cached().tools().unwrap();
    let (look, write) = (&tools[0], &tools[1]);
    let state = begun("a");
    let (cx, reads, writes) =
        (context(&state), ToolCall::new("c", "look", "{}"), ToolCall::new("d", "write", "{}"));
    // One turn: a write, and beside it a look.
    let mut writing = write.call(&writes, &cx);
    assert!((&mut writing).now_or_never().is_none());
    assert_eq!(look.call(&reads, &cx).now_or_never().unwrap(), ToolOutcome::text("0"));
    gate.add_permits(1);
    assert!(writing.now_or_never().is_some());
    // The next turn.
    assert_eq!(look.call(&reads, &cx).now_or_never().unwrap(), ToolOutcome::text("1"));
}

#[test]
fn s6_11_a_clash_in_a_set_that_is_made_late_is_reported() {
    let set = lazy("late", async |_| {
        let (a, b) = (Tools::new("a", [says("a", "x")]), Tools::new("b", [says("b", "x")]));
        Ok(Combined::new("both").with(a).with(b))
    });
    let opened = set.open(&scope()).now_or_never().unwrap();
    let state = begun("s");
    let listed = opened.and_then(|open| {
        let listed = open.tools(&state).now_or_never().unwrap();
        listed.map(|tools| tools.len())
    });
    assert!(listed.is_err(), "{listed:?}");
}

#[test]
fn s6_11_a_name_that_is_not_there_in_a_set_that_is_made_late_is_reported() {
    let set = lazy("late", async |_| Ok(Tools::new("a", [says("a", "x")]).except(["y"])));
    let opened = set.open(&scope()).now_or_never().unwrap();
    assert!(opened.is_err());
}

/// A set with instructions whose second listing hangs.
struct Instructs(AtomicUsize);

impl Toolset for Instructs {
    fn name(&self) -> &str {
        "instructs"
    }

    fn open<'a>(&'a self, _: &'a Scope) -> BoxFuture<'a, Result<Box<dyn OpenToolset>, Error>> {
        Box::pin(ready(Ok(Box::new(Self(AtomicUsize::new(0))) as Box<dyn OpenToolset>)))
    }
}

impl OpenToolset for Instructs {
    fn tools<'a>(&'a self, _: &'a AgentState) -> BoxFuture<'a, Result<Vec<Arc<dyn Tool>>, Error>> {
        match self.0.fetch_add(1, Ordering::SeqCst) {
            0 => Box::pin(ready(Ok(vec![says("i", "x")]))),
            _ => Box::pin(std::future::pending()),
        }
    }

    fn instructions(&self) -> Option<String> {
        Some("use x with care".to_owned())
    }
}

#[test]
fn s6_11_instructions_do_not_depend_on_what_another_run_does() {
    let set = Combined::new("office").with(Instructs(AtomicUsize::new(0)));
    let open = set.open(&scope()).now_or_never().unwrap().ok().unwrap();
    let (here, there) = (begun("a"), begun("b"));
    assert!(open.tools(&here).now_or_never().unwrap().is_ok());
    let mut other = open.tools(&there);
    assert!((&mut other).now_or_never().is_none());
    assert!(open.instructions().is_some_and(|text| text.contains("with care")));
}

#[test]
fn s6_11_another_tool_of_the_same_name_has_results_of_its_own() {
    let set = dynamic("d", |state: AgentState| async move {
        let set = if state.version() == Seq(1) { "first" } else { "second" };
        Ok(vec![says(set, "x")])
    })
    .cached();
    let open = set.open(&scope()).now_or_never().unwrap().ok().unwrap();
    let first = begun("a");
    let second = first.clone().with_message(Message::user("more"));
    let mut said = Vec::new();
    for state in [first, second] {
        let tools = open.tools(&state).now_or_never().unwrap().unwrap();
        let call = ToolCall::new("c", "x", "{}");
        said.push(tools[0].call(&call, &context(&state)).now_or_never().unwrap().to_text());
    }
    assert_eq!(said, ["first/x", "second/x"]);
}
