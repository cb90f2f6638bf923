//! The invariants find what is broken, and nothing else.

use std::sync::Arc;

use legwork_agent::context::Context;
use legwork_agent::context::compaction::Policy;
use legwork_agent::memory::MemoryStore;
use legwork_agent::toolset::{Ask, Tools, ToolsetExt as _};
use legwork_agent::{Agent, Subagent, subagent};
use legwork_core::event::{Event, ExecutionStarted};
use legwork_core::inbox::{Answer, Cursor, Item};
use legwork_core::journal::Journal;
use legwork_core::message::ToolResult;
use legwork_core::state::PendingReason;
use legwork_core::{
    AgentState, Budget, EffectClass, Entry, Message, ModelRequest, Part, Role, Seq, SessionId,
    ToolCall, ToolOutcome, ToolSpec, Usage,
};
use legwork_port::model::{Ability, Profile};
use legwork_port::{BoxFuture, Store, Tool, ToolContext};
use legwork_testkit::invariants::{Journals, of_journal, of_state, of_tree, well_formed};
use legwork_testkit::{Script, ScriptedModel, Turn, crash};
use serde_json::json;

struct Look(Arc<ToolSpec>);

impl Tool for Look {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.0)
    }

    fn call<'a>(&'a self, _: &'a ToolCall, _: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(std::future::ready(ToolOutcome::text("seen")))
    }
}

fn look() -> Look {
    let spec = ToolSpec::new("look", "Looks.", json!({"type": "object"}));
    Look(Arc::new(spec.effect(EffectClass::ReadOnly)))
}

/// The journals of a run with a call, a subagent and a steering message.
async fn journals() -> Journals {
    let child = ScriptedModel::new([Turn::call("look", json!({})), Turn::text("ok")]);
    let spawn = json!({"agent": "helper", "prompt": "help"});
    let root = ScriptedModel::new([
        Turn::calls([("look", json!({})), (subagent::TOOL, spawn)]),
        Turn::text("done"),
    ]);
    let store = Arc::new(MemoryStore::new());
    let agent = Agent::builder(root.named("x:root"))
        .tool(look())
        .budget(Budget::guards().tokens(90_000).tool_calls(9))
        .subagent(Subagent::new("helper", "Helps.", "").model(child.named("x:child")))
        .store_in(Arc::<MemoryStore>::clone(&store))
        .build()
        .unwrap();
    let steer = Item::Steer(Arc::new(Message::user("and mind the step")));
    store.post(&"s".into(), "k", &steer).await.unwrap();
    agent.run("go").in_session("s").await.unwrap();
    crash::journals(&*store).await.unwrap()
}

#[tokio::test]
async fn s7_3_s8_1_a_run_that_waited_for_approval_holds_and_so_does_its_fork() {
    let child = ScriptedModel::new([Turn::text("ok")]);
    let spawn = json!({"agent": "helper", "prompt": "help"});
    let root = ScriptedModel::new([
        Turn::calls([("look", json!({})), (subagent::TOOL, spawn)]),
        Turn::text("done"),
    ]);
    let store = Arc::new(MemoryStore::new());
    let asking = Tools::new("shelves", [Arc::new(look()) as Arc<dyn Tool>]);
    let agent = Agent::builder(root.named("x:root"))
        .toolset(asking.approval_required(Ask::always()))
        .subagent(Subagent::new("helper", "Helps.", "").model(child.named("x:child")))
        .store_in(Arc::<MemoryStore>::clone(&store))
        .build()
        .unwrap();
    agent.run("go").in_session("s").outcome().await.unwrap();
    let session = agent.session("s");
    for waiting in session.pending().await.unwrap() {
        session.answer(Answer::approve(&waiting.pending)).await.unwrap();
    }
    let run = session.resume().await.unwrap();
    session.fork_into(run.state().head(), "fork").await.unwrap();
    let journals = crash::journals(&*store).await.unwrap();
    assert_eq!(journals.len(), 3);
    of_tree(&journals).unwrap();
}

#[tokio::test]
async fn s9_3_a_run_that_was_compacted_holds() {
    let usage = Usage { input: 90_000, output: 5, ..Usage::default() };
    let script = Script::from_fn(move |asked| match asked.last() {
        "go" => Turn::call("look", json!({})).with_usage(usage),
        "seen" => Turn::text("done"),
        text if text.contains("summarised to save room") => Turn::text("done"),
        _ => Turn::text("Something was looked at."),
    });
    let profile = Profile::new().with(Ability::Tools).with_context_window(100_000);
    let store = Arc::new(MemoryStore::new());
    let agent = Agent::builder(ScriptedModel::new(script).with_profile(profile))
        .tool(look())
        .context(Context::new().compaction(Policy::new().keep(1)))
        .store_in(Arc::<MemoryStore>::clone(&store))
        .build()
        .unwrap();
    for _ in 0..2 {
        agent.run("go").in_session("s").await.unwrap();
    }
    let journals = crash::journals(&*store).await.unwrap();
    let entries = journals[&SessionId::new("s")].entries();
    at(entries, "auxiliary_finished");
    of_tree(&journals).unwrap();
}

/// What is found in a run's journals after a change of the root's entries.
async fn found(change: impl FnOnce(&mut Vec<Arc<Entry>>)) -> String {
    let mut journals = journals().await;
    of_tree(&journals).unwrap();
    let root = SessionId::new("s");
    let mut entries = journals[&root].entries().to_vec();
    change(&mut entries);
    journals.insert(root, Journal::new(entries));
    of_tree(&journals).unwrap_err().to_string()
}

fn at(entries: &[Arc<Entry>], kind: &str) -> usize {
    entries.iter().position(|entry| entry.event.kind() == kind).unwrap()
}

fn event<'e>(entries: &'e mut [Arc<Entry>], kind: &str) -> &'e mut Event {
    let at = at(entries, kind);
    &mut Arc::make_mut(&mut entries[at]).event
}

/// Puts a copy of an entry behind it and numbers all that follow anew.
fn double(entries: &mut Vec<Arc<Entry>>, kind: &str) {
    let at = at(entries, kind);
    entries.insert(at, Arc::clone(&entries[at]));
    renumber(entries);
}

fn renumber(entries: &mut [Arc<Entry>]) {
    for (number, entry) in (1..).zip(entries) {
        let entry = Arc::make_mut(entry);
        (entry.seq, entry.parent) = (Seq(number), Seq(number - 1));
    }
}

fn says(found: &str, expected: &str) {
    assert!(found.contains(expected), "{found}");
}

#[tokio::test]
async fn s1_3_s8_2_entries_out_of_their_order_are_found() {
    says(&found(|entries| drop(entries.remove(3))).await, "has the number 5");
    let astray = found(|entries| Arc::make_mut(&mut entries[4]).parent = Seq(2)).await;
    says(&astray, "is 2, the head is 4");
    says(&found(|entries| double(entries, "session_started")).await, "begins it again");
    says(&found(|entries| double(entries, "inbox_taken")).await, "takes item 1, the next is 2");
}

#[tokio::test]
async fn s6_10_s10_2_calls_answered_twice_or_never_are_found() {
    says(&found(|entries| double(entries, "tool_finished")).await, "a second time");
    says(&found(|entries| double(entries, "tool_started")).await, "begins call 0 a second time");
    says(&found(|entries| double(entries, "responded")).await, "that nothing was held for");
    let open = found(|entries| {
        entries.remove(at(entries, "tool_finished"));
        renumber(entries);
    });
    says(&open.await, "with 1 calls unanswered");
    let again = found(|entries| {
        let asked = Arc::clone(&entries[at(entries, "inference_started")]);
        entries.insert(at(entries, "tool_started"), asked);
        renumber(entries);
    });
    says(&again.await, "asks, and a response is there");
}

#[tokio::test]
async fn s5_2_s5_4_money_that_does_not_add_up_is_found() {
    let charged = found(|entries| {
        for entry in entries {
            if let Event::ToolFinished(finished) = &mut Arc::make_mut(entry).event {
                finished.used.input = 0;
            }
        }
    });
    says(&charged.await, "what a session used is its own use and that of its subagents");
    let reserved = found(|entries| {
        if let Event::InferenceStarted(started) = event(entries, "inference_started") {
            started.reserved.input = 90_001;
        }
    });
    says(&reserved.await, "tokens of Some(90000)");
    let beyond = found(|entries| {
        if let Event::Defined(defined) = event(entries, "defined") {
            Arc::make_mut(&mut defined.definition).budget.tool_calls = Some(2);
        }
    });
    says(&beyond.await, "used 3 calls of Some(2), 0 by estimates");
}

#[tokio::test]
async fn s7_7_s10_5_subagents_without_their_parent_are_found() {
    let mut without = journals().await;
    without.remove(&SessionId::new("s"));
    says(&of_tree(&without).unwrap_err().to_string(), "which is not there");
    let unknown = found(|entries| {
        for entry in entries {
            if let Event::ToolStarted(started) = &mut Arc::make_mut(entry).event {
                started.child = None;
            }
        }
    });
    says(&unknown.await, "whose journal does not know it");
    let mut works = journals().await;
    let child = works.keys().find(|session| session.as_str() != "s").unwrap().clone();
    let half = works[&child].entries()[..6].to_vec();
    works.insert(child, Journal::new(half));
    says(&of_tree(&works).unwrap_err().to_string(), "its call is answered");
}

#[tokio::test]
async fn s1_7_every_prefix_of_a_journal_holds() {
    for (session, journal) in journals().await {
        for count in 0..=journal.entries().len() {
            let prefix = Journal::new(journal.entries()[..count].to_vec());
            of_journal(&session, &prefix).unwrap();
        }
    }
}

fn started() -> AgentState {
    let input = vec![Arc::new(Message::user("hi"))];
    let state = AgentState::new(SessionId::new("s"));
    state.with(Event::ExecutionStarted(ExecutionStarted { input }))
}

#[test]
fn s3_8_a_status_that_does_not_fit_is_found() {
    let state = started();
    of_state(&state).unwrap();
    let call = ToolCall::new("c", "look", "{}");
    let key = legwork_core::EffectKey { session: "s".into(), entry: Seq(1), index: 0 };
    let at = legwork_core::Timestamp::default();
    let arguments = Arc::clone(&call.arguments);
    let doubt = PendingReason::Doubt;
    let pending =
        legwork_core::state::Pending::new(&key, &call, &arguments, None, doubt, Seq(1), at);
    let found = of_state(&state.with_pending([pending])).unwrap_err().to_string();
    says(&found, "its call is not open");
    let cursor = Cursor::default();
    assert_eq!(started().facts().inbox_cursor, cursor);
}

fn request(messages: impl IntoIterator<Item = Message>) -> ModelRequest {
    let state = started();
    let settings = Arc::new(state.settings().clone());
    let request = ModelRequest::blank(settings);
    messages.into_iter().fold(request, ModelRequest::with_message)
}

fn calls(ids: &[&str]) -> Message {
    let call = |id: &&str| Part::ToolCall(Arc::new(ToolCall::new(*id, "look", "{}")));
    Message::assistant(ids.iter().map(call).collect())
}

fn result(id: &str) -> Message {
    Message::tool_result(ToolResult::new(id, "look", "seen"))
}

#[test]
fn s11_1_requests_that_a_provider_refuses_are_found() {
    let check = |messages: Vec<Message>, expected: &str| match well_formed(&request(messages)) {
        Ok(()) => assert_eq!(expected, "", "nothing was found"),
        Err(found) => says(&found.to_string(), expected),
    };
    check(vec!["hi".into(), calls(&["a", "b"]), result("a"), result("b")], "");
    check(vec!["hi".into(), calls(&["", ""]), result(""), result(""), "and?".into()], "");
    check(vec![], "no message");
    check(vec!["hi".into(), calls(&["a", "b"]), result("a")], "1 calls of the last turn");
    check(vec!["hi".into(), calls(&["a", "b"]), result("b"), result("a")], "message 2 answers");
    check(vec!["hi".into(), calls(&["a"]), "wait".into(), result("a")], "message 2 is before");
    check(vec!["hi".into(), result("a")], "message 1 answers");
    check(vec!["hi".into(), Message::new(Role::User, calls(&["a"]).parts)], "calls as user");
    let mut nothing = request(["hi".into()]);
    nothing.max_output = Some(0);
    says(&well_formed(&nothing).unwrap_err().to_string(), "no token");
}
