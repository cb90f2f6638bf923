//! S11.1, S11.3: nothing that is said, added or changed makes a session unusable.

use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Builder, Error, hook};
use legwork_core::inbox::Item;
use legwork_core::inference::Incomplete;
use legwork_core::message::{Malformed, ToolResult};
use legwork_core::state::Refusal;
use legwork_core::{
    AgentState, EffectClass, ErrorKind, Event, ExecutionStatus, FinishReason, Message,
    ModelRequest, Part, Response, ToolCall, ToolOutcome, Usage,
};
use legwork_port::model::{self, Profile};
use legwork_port::store::Range;
use legwork_port::{BoxFuture, Deltas, Model, Store, Trigger};
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::{Value, json};

use crate::tools::{World, noting, outcomes, said};

fn asked(id: &str) -> Message {
    Message::assistant(vec![Part::ToolCall(Arc::new(ToolCall::new(id, "look", "{}")))])
}

fn seen(id: &str) -> Message {
    Message::tool_result(ToolResult::new(id, "look", "seen"))
}

fn deep() -> Value {
    (0..110).fold(Value::Null, |inner, _| json!([inner]))
}

/// Whether a store that keeps lines could keep the session.
async fn can_be_written(store: &MemoryStore) {
    let journal = store.read(&"s".into(), Range::ALL).await.unwrap().journal;
    assert!(!journal.entries().is_empty());
    for entry in journal.entries() {
        let line = entry.encode().unwrap_or_else(|error| panic!("{}: {error}", entry.seq));
        assert_eq!(legwork_core::Entry::decode(&line).unwrap(), **entry);
    }
}

fn agent(model: &ScriptedModel) -> Builder {
    let look = noting("look", EffectClass::ReadOnly, &World::default());
    Agent::builder(model.clone()).tools([look]).store_in(Arc::new(MemoryStore::new()))
}

/// A hook that changes the state once, on a trigger.
fn once(
    on: Trigger,
    change: impl Fn(AgentState) -> AgentState + Send + Sync + 'static,
) -> legwork_agent::Hook {
    let done = std::sync::atomic::AtomicBool::new(false);
    hook("odd", [on], move |state: AgentState, _| {
        let first = !done.swap(true, std::sync::atomic::Ordering::SeqCst);
        std::future::ready(Ok(if first { change(state) } else { state }))
    })
}

#[tokio::test]
async fn s11_1_input_with_an_open_call_is_refused_and_a_whole_exchange_is_read() {
    // The turn of a script is the number of answers so far: one is in the history.
    let model = ScriptedModel::new([Turn::text("never"), Turn::text("done")]);
    let agent = agent(&model).build().unwrap();
    let go = || Message::user("go on");
    for input in [vec![asked("c0"), go()], vec![seen("c0"), go()]] {
        let refused = agent.run_messages(input).in_session("s").await.unwrap_err();
        assert!(matches!(refused, Error::Refused(Refusal::Malformed(_))), "{refused}");
    }
    let history = vec![Message::user("look"), asked("c0"), seen("c0"), go()];
    let run = agent.run_messages(history).in_session("s").await.unwrap();
    assert_eq!(run.text(), "done");
    assert_eq!(model.requests()[0].messages().len(), 4);
}

#[tokio::test]
async fn s11_1_what_is_posted_with_a_call_is_refused_at_once() {
    let agent = agent(&ScriptedModel::new([Turn::text("done")])).build().unwrap();
    let session = agent.session("s");
    for message in [asked("c0"), seen("c0")] {
        let message = Arc::new(message);
        for item in [Item::Steer(Arc::clone(&message)), Item::FollowUp(message)] {
            let refused = session.post("k", item).await.unwrap_err();
            assert!(matches!(refused, Error::Refused(Refusal::Malformed(_))), "{refused}");
        }
    }
    assert_eq!(session.run("go").await.unwrap().text(), "done");
}

#[tokio::test]
async fn s11_1_s2_3_a_hook_that_adds_an_open_call_costs_its_own_change_only() {
    for message in [asked("c7"), seen("call_0_0")] {
        let model = ScriptedModel::new([
            Turn::call("look", json!({"n": 1})),
            Turn::text("done"),
            Turn::text("again"),
        ]);
        let added = once(Trigger::StepEnd, move |state| state.with_message(message.clone()));
        let agent = agent(&model).hook(added).build().unwrap();
        let run = agent.run("go").in_session("s").await.unwrap();
        assert_eq!(run.text(), "done");
        let error = run.state().errors().find(|error| error.kind == ErrorKind::NotAllowed).unwrap();
        assert!(error.message.contains("`odd`"), "{}", error.message);
        assert_eq!(agent.session("s").run("more").await.unwrap().text(), "again");
    }
    // An exchange that is whole may be added.
    let model = ScriptedModel::new([Turn::text("never"), Turn::text("done")]);
    let added = once(Trigger::ExecutionStart, |state| {
        state.with_message(asked("c7")).with_message(seen("c7"))
    });
    let run = agent(&model).hook(added).build().unwrap().run("go").await.unwrap();
    assert_eq!(run.state().errors().count(), 0);
    assert_eq!(model.requests()[0].messages().len(), 3);
}

#[tokio::test]
async fn s11_1_a_state_fed_back_with_an_open_call_is_refused() {
    let model = ScriptedModel::new([Turn::call("look", json!({"n": 1})), Turn::text("done")]);
    let mut open = agent(&model).build().unwrap().iterate("go").await.unwrap();
    let state = open.next().await.unwrap().unwrap();
    let refused = open.set(state.clone().with_message(asked("c7"))).unwrap_err();
    assert!(matches!(refused, Error::Refused(Refusal::Malformed(Malformed::OpenCall { .. }))));
    open.set(state.with_message("note")).unwrap();
    while open.next().await.unwrap().is_some() {}
    assert_eq!(open.state().status(), Some(&ExecutionStatus::Completed));
}

#[tokio::test]
async fn s11_3_a_hook_cannot_make_an_incomplete_response_whole() {
    let world = World::default();
    let cut = Turn::call("look", json!({"n": 1})).incomplete(Incomplete::Cut);
    let rebuilt = once(Trigger::AfterInference, |state| {
        let call = ToolCall::new("c0", "look", "{\"n\": 1}");
        let message = Message::assistant(vec![Part::ToolCall(Arc::new(call))]);
        state.with_response(Response::new(message, FinishReason::ToolCalls))
    });
    let agent = Agent::builder(ScriptedModel::new([cut, Turn::text("never")])).hook(rebuilt);
    let agent = agent.tools([noting("look", EffectClass::ReadOnly, &world)]);
    let run = agent.build().unwrap().run("go").outcome().await.unwrap();
    assert!(world.notes().is_empty(), "a call of half an answer ran");
    assert_eq!(run.status(), ExecutionStatus::Failed);
    let refused = run.state().errors().find(|error| error.kind == ErrorKind::NotAllowed).unwrap();
    assert!(refused.message.contains("stays incomplete"), "{}", refused.message);
    let step = &run.state().last_step_result().unwrap().step;
    assert_eq!(step.response.as_ref().unwrap().incomplete, Some(Incomplete::Cut));
}

/// A model whose answers are made by hand.
struct Odd(Response, Profile);

impl Model for Odd {
    fn name(&self) -> &str {
        "odd:model"
    }

    fn profile(&self) -> &Profile {
        &self.1
    }

    fn infer<'a>(
        &'a self,
        _request: ModelRequest,
        _deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, model::Error>> {
        Box::pin(std::future::ready(Ok(self.0.clone())))
    }
}

fn odd(parts: Vec<Part>) -> Odd {
    let mut response = Response::new(Message::assistant(parts), FinishReason::Stop);
    response.usage = Some(Usage { input: 10, output: 5, ..Usage::default() });
    Odd(response, Profile::default())
}

#[tokio::test]
async fn s11_1_an_answer_that_holds_a_result_is_kept_and_charged_and_is_no_answer() {
    let answer = odd([Message::user("so").parts, seen("c0").parts].concat());
    let store = MemoryStore::new();
    let agent = Agent::builder(answer).store_in(Arc::new(store.clone())).build().unwrap();
    let run = agent.run("go").in_session("s").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Failed);
    let error = run.state().errors().last().unwrap();
    assert!(error.message.contains("tool result"), "{}", error.message);
    assert_eq!(said(run.state()), ["go"]);
    assert_eq!(run.used().total_tokens(), 15, "it was paid for");
    let journal = store.read(&"s".into(), Range::ALL).await.unwrap().journal;
    let kept = journal.entries().iter().find_map(|entry| match &entry.event {
        Event::Responded(responded) => Some(Arc::clone(&responded.response)),
        _ => None,
    });
    let kept = kept.unwrap();
    assert_eq!((kept.message.parts.len(), &kept.incomplete), (2, &Some(Incomplete::Malformed)));
}

#[tokio::test]
async fn s12_1_an_answer_that_is_nested_too_deeply_can_be_journaled() {
    let mut answer = odd([Message::user("so").parts, vec![Part::Other(deep())]].concat());
    answer.0.raw.insert("odd".to_owned(), deep());
    let store = MemoryStore::new();
    let run = Agent::builder(answer)
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap()
        .run("go")
        .in_session("s")
        .await
        .unwrap();
    assert_eq!((run.status(), run.text()), (ExecutionStatus::Completed, "so".to_owned()));
    can_be_written(&store).await;
}

#[tokio::test]
async fn s12_1_a_hook_whose_values_are_nested_too_deeply_keeps_the_session_writable() {
    // Given in the place of a call's outcome, it is text, as that of a tool is.
    for on in [Trigger::BeforeToolUse, Trigger::AfterToolUse] {
        let model = ScriptedModel::new([Turn::call("look", json!({"n": 1})), Turn::text("done")]);
        let answered = once(on, move |state| match on {
            Trigger::BeforeToolUse => state.with_tool_call_answered(deep()),
            _ => state.with_tool_outcome(0, ToolOutcome::value(deep())),
        });
        let store = MemoryStore::new();
        let agent = agent(&model).hook(answered).store_in(Arc::new(store.clone())).build().unwrap();
        let run = agent.run("go").in_session("s").await.unwrap();
        let text = ToolOutcome::value(Value::String(deep().to_string()));
        assert_eq!(outcomes(run.state()), [text], "{on:?}");
        assert_eq!(run.text(), "done");
        can_be_written(&store).await;
    }
    // Anywhere else it is refused.
    let changes: [fn(AgentState) -> AgentState; 3] = [
        |state| state.with_metadata("k", Some(deep())),
        |state| state.with_message(Message::assistant(vec![Part::Other(deep())])),
        |state| {
            let mut settings = state.settings().clone();
            settings.extra.insert("k".to_owned(), deep());
            state.with_settings(settings)
        },
    ];
    for change in changes {
        let model = ScriptedModel::new([Turn::text("done")]);
        let store = MemoryStore::new();
        let agent = agent(&model).hook(once(Trigger::StepStart, change));
        let agent = agent.store_in(Arc::new(store.clone())).build().unwrap();
        let run = agent.run("go").in_session("s").await.unwrap();
        assert_eq!(run.text(), "done");
        let refused = run.state().errors().next().unwrap();
        assert!(refused.message.contains("nested too deeply"), "{}", refused.message);
        can_be_written(&store).await;
    }
}

#[tokio::test]
async fn s12_1_changed_arguments_that_are_nested_too_deeply_do_not_fit() {
    let world = World::default();
    let model = ScriptedModel::new([Turn::call("look", json!({"n": 1})), Turn::text("done")]);
    let changed = once(Trigger::BeforeToolUse, |state| {
        state.with_tool_call_arguments(json!({"n": 1, "odd": deep()}))
    });
    let store = MemoryStore::new();
    let agent = Agent::builder(model).tools([noting("look", EffectClass::ReadOnly, &world)]);
    let run = agent
        .hook(changed)
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap()
        .run("go")
        .in_session("s")
        .await
        .unwrap();
    assert_eq!(run.text(), "done");
    can_be_written(&store).await;
}
