//! Taking back what a session did: in reverse order, journaled, and told to the model.

use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use legwork_agent::memory::MemoryStore;
use legwork_agent::undo::{Prospect, UndoFrom, UndoPlan};
use legwork_agent::{Agent, Error, Subagent, subagent};
use legwork_core::state::Refusal;
use legwork_core::undo::{PastCall, UndoOutcome, UndoStatus};
use legwork_core::{EffectClass, Event, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::store::{self, Range};
use legwork_port::{BoxFuture, CannotUndo, Deps, Reach, Store, Tool, ToolContext, Undo};
use legwork_testkit::fault::{Fault, FaultyStore, Operation};
use legwork_testkit::{ScriptedModel, Turn};
use legwork_toolset::{Tools, ToolsetExt as _};
use serde_json::json;

use crate::tools::{once, said, spec};

/// A stack of numbers, which is all that the tool changes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stack(Arc<Mutex<Vec<u64>>>);

impl Stack {
    pub(crate) fn now(&self) -> Vec<u64> {
        self.0.lock().unwrap().clone()
    }

    fn push(&self, n: u64) {
        self.0.lock().unwrap().push(n);
    }

    /// Takes a number from the top; false if another one is there.
    fn pop(&self, n: u64) -> bool {
        let mut all = self.0.lock().unwrap();
        let is_top = all.last() == Some(&n);
        if is_top {
            all.pop();
        }
        is_top
    }
}

/// Pushes `n`; its undo pops it.
pub(crate) struct Push {
    spec: Arc<ToolSpec>,
    stack: Stack,
}

pub(crate) fn push(stack: &Stack) -> Push {
    Push { spec: Arc::new(spec("push").effect(once())), stack: stack.clone() }
}

fn n_of(call: &ToolCall) -> u64 {
    call.parse().unwrap()["n"].as_u64().unwrap()
}

impl Tool for Push {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.spec)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, _cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        self.stack.push(n_of(call));
        async { ToolOutcome::text("pushed") }.boxed()
    }

    fn undo(&self) -> Option<&dyn Undo> {
        Some(self)
    }
}

impl Undo for Push {
    fn check<'a>(
        &'a self,
        call: &'a PastCall,
        later: &'a [PastCall],
        _deps: &'a Deps,
    ) -> BoxFuture<'a, Result<Reach, CannotUndo>> {
        let n = n_of(&call.call);
        let mut left = self.stack.now();
        let begun = call.undo == UndoStatus::Begun && !left.contains(&n);
        for later in later.iter().filter(|later| later.call.name == call.call.name) {
            let n = n_of(&later.call);
            if left.last() == Some(&n) {
                left.pop();
            }
        }
        let can = begun || left.last() == Some(&n);
        let reach = Reach::whole(format!("pop {n}"));
        async move { if can { Ok(reach) } else { Err(CannotUndo(format!("{n} is not on top"))) } }
            .boxed()
    }

    fn undo<'a>(
        &'a self,
        call: &'a PastCall,
        _deps: &'a Deps,
    ) -> BoxFuture<'a, Result<String, CannotUndo>> {
        let n = n_of(&call.call);
        let gone = call.undo == UndoStatus::Begun && !self.stack.now().contains(&n);
        let done = gone || self.stack.pop(n);
        async move {
            if done { Ok(format!("popped {n}")) } else { Err(CannotUndo("it is buried".into())) }
        }
        .boxed()
    }
}

pub(crate) fn pushes(ns: &[u64]) -> Turn {
    Turn::calls(ns.iter().map(|n| ("push", json!({"n": n}))))
}

fn agent(store: &MemoryStore, stack: &Stack, turns: Vec<Turn>) -> Agent {
    agent_in(Arc::new(store.clone()), stack, turns)
}

pub(crate) fn agent_in(store: Arc<dyn Store>, stack: &Stack, turns: Vec<Turn>) -> Agent {
    Agent::builder(ScriptedModel::new(turns)).tool(push(stack)).store_in(store).build().unwrap()
}

pub(crate) async fn worked(turns: Vec<Turn>) -> (MemoryStore, Stack, Agent) {
    let (store, stack) = (MemoryStore::new(), Stack::default());
    let agent = agent(&store, &stack, turns);
    agent.run("go").in_session("s").await.unwrap();
    (store, stack, agent)
}

/// The events of undoing in the journal, in short.
async fn journaled(store: &MemoryStore) -> Vec<String> {
    let journal = store.read(&"s".into(), Range::ALL).await.unwrap().journal;
    let short = |event: &Event| match event {
        Event::UndoStarted(body) => Some(format!("begin {}", body.call.index)),
        Event::UndoFinished(body) => Some(match &body.outcome {
            UndoOutcome::Done(words) => format!("done: {words}"),
            UndoOutcome::Refused(words) => format!("refused: {words}"),
            other => panic!("{other:?}"),
        }),
        _ => None,
    };
    journal.entries().iter().filter_map(|entry| short(&entry.event)).collect()
}

pub(crate) fn undoes(plan: &UndoPlan) -> Vec<String> {
    plan.undoes().map(|(_, words)| words.to_owned()).collect()
}

#[tokio::test]
async fn s6_7_calls_are_taken_back_in_reverse_order_each_journaled_before_and_after() {
    let (store, stack, agent) =
        worked(vec![pushes(&[1, 2]), pushes(&[3]), Turn::text("done")]).await;
    let session = agent.session("s");
    let plan = session.undo(UndoFrom::Start).await.unwrap();
    assert_eq!(undoes(&plan), ["pop 3", "pop 2", "pop 1"]);
    assert_eq!(stack.now(), [1, 2, 3], "a plan does nothing");
    let undone = plan.run().await.unwrap();
    assert_eq!(stack.now(), [0; 0]);
    let did: Vec<_> = undone.calls.iter().map(|undone| &*undone.did).collect();
    assert_eq!(did, ["popped 3", "popped 2", "popped 1"]);
    let expected =
        ["begin 0", "done: popped 3", "begin 1", "done: popped 2", "begin 0", "done: popped 1"];
    assert_eq!(journaled(&store).await, expected);
    // It is taken back once.
    let again = session.undo(UndoFrom::Start).await.unwrap();
    assert!(again.calls().is_empty());
}

#[tokio::test]
async fn s6_7_the_model_reads_what_was_taken_back_at_its_next_inference() {
    let turns = vec![pushes(&[7]), Turn::text("done"), Turn::text("I see")];
    let model = ScriptedModel::new(turns);
    let (store, stack) = (MemoryStore::new(), Stack::default());
    let agent = Agent::builder(model.clone())
        .tool(push(&stack))
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    agent.run("go").in_session("s").await.unwrap();
    agent.session("s").undo(UndoFrom::Start).await.unwrap().run().await.unwrap();
    agent.session("s").run("and now?").await.unwrap();
    let heard = said(&agent.session("s").state().await.unwrap()).join("\n");
    assert!(heard.contains("popped 7"), "{heard}");
    let last = model.requests().last().unwrap().clone();
    let read: Vec<_> = last.messages().iter().map(|message| message.text()).collect();
    assert!(read.iter().any(|text| text.contains("popped 7")), "{read:?}");
}

#[tokio::test]
async fn s6_7_an_undo_that_dies_anywhere_goes_on_and_takes_each_call_back_once() {
    let turns = || vec![pushes(&[1, 2]), pushes(&[3]), Turn::text("done")];
    let mut appends = 0;
    for fault in [Fault::HangBefore, Fault::HangAfter] {
        for nth in 1.. {
            let (store, stack, _) = worked(turns()).await;
            let faulty = FaultyStore::over(Arc::new(store.clone()));
            let faulty = Arc::new(faulty.fault(Operation::Append, nth, fault));
            let agent = agent_in(faulty.clone(), &stack, turns());
            let session = agent.session("s");
            let plan = session.undo(UndoFrom::Start).await.unwrap();
            let died = {
                let hung = faulty.hung().clone();
                tokio::select! {
                    done = plan.run() => {
                        done.unwrap();
                        false
                    }
                    () = hung.cancelled() => true,
                }
            };
            appends = appends.max(nth);
            if !died {
                break;
            }
            drop((session, agent));
            // Another process goes on.
            let agent = agent_in(Arc::new(store.clone()), &stack, turns());
            let plan = agent.session("s").undo(UndoFrom::Start).await.unwrap();
            assert_eq!(plan.refused().count(), 0, "after {fault:?} {nth}: {plan:?}");
            plan.run().await.unwrap();
            assert_eq!(stack.now(), [0; 0], "after {fault:?} {nth}");
            let state = agent.session("s").state().await.unwrap();
            let done = journaled(&store).await;
            for n in 1..=3 {
                let words = format!("done: popped {n}");
                assert_eq!(done.iter().filter(|note| **note == words).count(), 1, "{done:?}");
            }
            assert!(state.pending().is_empty());
        }
    }
    assert!(appends > 4, "it was killed {appends} times");
}

#[tokio::test]
async fn s6_7_what_was_changed_since_is_refused_and_nothing_is_taken_back() {
    let (store, stack, agent) = worked(vec![pushes(&[1, 2]), Turn::text("done")]).await;
    stack.push(99);
    let session = agent.session("s");
    let plan = session.undo(UndoFrom::Start).await.unwrap();
    let refused: Vec<_> = plan.refused().map(|(_, why)| why.to_string()).collect();
    assert_eq!(refused, ["2 is not on top", "1 is not on top"]);
    let undone = plan.run().await.unwrap();
    assert_eq!((undone.calls.len(), undone.stopped.is_some()), (0, true));
    assert_eq!(journaled(&store).await, [""; 0]);
    // What is changed between the plan and its run is found by the undo itself.
    stack.pop(99);
    let plan = session.undo(UndoFrom::Start).await.unwrap();
    stack.push(98);
    let undone = plan.run().await.unwrap();
    assert_eq!(undone.stopped.unwrap().1.to_string(), "it is buried");
    assert_eq!(journaled(&store).await, ["begin 1", "refused: it is buried"]);
    assert_eq!(stack.now(), [1, 2, 98]);
    let left = session.undo(UndoFrom::Start).await.unwrap().without_refused();
    assert!(left.calls().is_empty());
}

#[tokio::test]
async fn s6_7_what_has_no_undo_is_named_before_anything_is_done() {
    let (store, stack) = (MemoryStore::new(), Stack::default());
    let send = crate::tools::noting("send", once(), &Default::default());
    let look = crate::tools::noting("look", EffectClass::ReadOnly, &Default::default());
    let call = |name, n| (name, json!({"n": n}));
    let turn = Turn::calls([call("push", 1), call("send", 2), call("look", 3)]);
    let agent = Agent::builder(ScriptedModel::new([turn, Turn::text("done")]))
        .tool(push(&stack))
        .tools([send, look])
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    agent.run("go").in_session("s").await.unwrap();
    let plan = agent.session("s").undo(UndoFrom::Start).await.unwrap();
    let left: Vec<_> = plan.left().map(|(past, stays)| (&*past.call.name, stays)).collect();
    assert_eq!(left, [("send", None)]);
    assert_eq!(plan.refused().count(), 0);
    let prospects: Vec<_> = plan.calls().iter().map(|planned| planned.prospect.clone()).collect();
    assert_eq!(prospects, [Prospect::NoUndo, Prospect::Can(Reach::whole("pop 1"))]);
    assert_eq!(plan.run().await.unwrap().calls.len(), 1);
    assert_eq!(stack.now(), [0; 0]);
}

#[tokio::test]
async fn s6_7_a_step_an_execution_or_an_entry_says_where_to_begin() {
    let turns = vec![
        pushes(&[1]),
        pushes(&[2]),
        Turn::text("done"),
        pushes(&[3]),
        Turn::text("done again"),
    ];
    let (_store, stack, agent) = worked(turns).await;
    let session = agent.session("s");
    session.run("more").await.unwrap();
    let planned = async |from| undoes(&session.undo(from).await.unwrap());
    assert_eq!(planned(UndoFrom::Step(1)).await, ["pop 3", "pop 2", "pop 1"]);
    assert_eq!(planned(UndoFrom::Step(2)).await, ["pop 3", "pop 2"]);
    assert_eq!(planned(UndoFrom::Step(3)).await, ["pop 3"]);
    assert_eq!(planned(UndoFrom::Step(5)).await, [""; 0]);
    assert_eq!(planned(UndoFrom::LastExecution).await, ["pop 3"]);
    let journal = session.journal().await.unwrap();
    let responded = |entry: &&Arc<legwork_core::Entry>| matches!(entry.event, Event::Responded(_));
    let first = journal.entries().iter().find(responded).unwrap().seq;
    assert_eq!(planned(UndoFrom::Entry(first)).await, ["pop 3", "pop 2"]);
    let refusal = session.undo(UndoFrom::Step(6)).await.unwrap_err();
    assert!(
        matches!(refusal, Error::Refused(Refusal::UnknownStep { step: 6, steps: 5 })),
        "{refusal}"
    );
    assert!(session.undo(UndoFrom::Step(0)).await.is_err());
    session.undo(UndoFrom::Step(2)).await.unwrap().run().await.unwrap();
    assert_eq!(stack.now(), [1]);
}

#[tokio::test]
async fn s6_7_moving_the_head_takes_nothing_back_and_undo_reaches_all_branches() {
    let (_store, stack, agent) = worked(vec![pushes(&[1]), Turn::text("done")]).await;
    let session = agent.session("s");
    let journal = session.journal().await.unwrap();
    let began = |entry: &&Arc<legwork_core::Entry>| matches!(entry.event, Event::Defined(_));
    let root = journal.entries().iter().find(began).unwrap().seq;
    session.move_head(root).await.unwrap();
    session.run("again").await.unwrap();
    assert_eq!(stack.now(), [1, 1]);
    let plan = session.undo(UndoFrom::Start).await.unwrap();
    assert_eq!(undoes(&plan), ["pop 1", "pop 1"]);
    plan.run().await.unwrap();
    assert_eq!(stack.now(), [0; 0]);
}

#[tokio::test]
async fn s6_7_what_subagents_did_is_taken_back_too_by_their_tools() {
    let (store, stack) = (MemoryStore::new(), Stack::default());
    let child = ScriptedModel::new([pushes(&[2]), Turn::text("all well")]);
    let spawn = (subagent::TOOL, json!({"agent": "helper", "prompt": "help"}));
    let root =
        ScriptedModel::new([pushes(&[1]), Turn::calls([spawn]), pushes(&[3]), Turn::text("done")]);
    let agent = Agent::builder(root)
        .tool(push(&stack))
        .subagent(Subagent::new("helper", "Helps.", "You help.").model(child))
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    agent.run("go").in_session("s").await.unwrap();
    assert_eq!(stack.now(), [1, 2, 3]);
    let session = agent.session("s");
    let plan = session.undo(UndoFrom::Step(2)).await.unwrap();
    assert_eq!(undoes(&plan), ["pop 3", "pop 2"]);
    plan.run().await.unwrap();
    assert_eq!(stack.now(), [1]);
    // The journal that was asked has it all; that of the subagent knows from there.
    assert_eq!(journaled(&store).await.len(), 4);
    let tools = |call: &PastCall| {
        let undo: Arc<dyn Undo> = Arc::new(push(&stack));
        (&*call.call.name == "push").then_some(undo)
    };
    let child = store.sessions(&store::Query::all()).await.unwrap().sessions;
    let child = child.into_iter().map(|info| info.session).find(|id| id.as_str() != "s").unwrap();
    let below = legwork_agent::StoredSession::new(Arc::new(store.clone()), child);
    assert!(below.undo_by(UndoFrom::Start, tools).await.unwrap().calls().is_empty());
}

#[tokio::test]
async fn s6_7_a_tool_under_another_name_takes_its_calls_back_and_the_session_is_held() {
    let (store, stack) = (MemoryStore::new(), Stack::default());
    let turn = Turn::calls([("my_push", json!({"n": 1}))]);
    let set = Tools::new("stack", [Arc::new(push(&stack)) as Arc<dyn Tool>]);
    let agent = Agent::builder(ScriptedModel::new([turn, Turn::text("done")]))
        .toolset(set.prefixed("my_").retrying(1))
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    agent.run("go").in_session("s").await.unwrap();
    let plan = agent.session("s").undo(UndoFrom::Start).await.unwrap();
    assert_eq!(undoes(&plan), ["pop 1"]);
    // Nobody works in the session between the plan and its run.
    let held = agent.session("s").run("more").await.unwrap_err();
    assert!(matches!(held, Error::Store(store::Error::Held { .. })), "{held}");
    plan.run().await.unwrap();
    assert_eq!(stack.now(), [0; 0]);
    let plan = agent.session("s").undo(UndoFrom::Start).await.unwrap();
    drop(plan);
    assert!(agent.session("s").undo(UndoFrom::Start).await.is_ok());
}
