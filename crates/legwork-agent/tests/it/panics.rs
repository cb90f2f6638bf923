//! Code that an agent was given and that panics: it costs what it was asked for, no more.

use std::sync::Arc;

use legwork_agent::driver::Source;
use legwork_agent::memory::MemoryStore;
use legwork_agent::toolset::{SharedToolset, StepTools};
use legwork_agent::{
    Agent, Builder, Driver, Error, EventKind, Halt, HaltReason, RunEvent, StepContext, Subagent,
    ToolCalling,
};
use legwork_core::continuation::{ErrorHandler, Failure};
use legwork_core::error::ErrorRecord;
use legwork_core::inference::Incomplete;
use legwork_core::orchestrate::ChatState;
use legwork_core::{
    AgentState, ErrorKind, ErrorSource, ExecutionStatus, ModelRequest, Progress as _, Response,
    Seq, SessionId,
};
use legwork_orchestrate::{Chat, Participant, StepByStep as _, ToolUse};
use legwork_port::store::Range;
use legwork_port::toolset::{self, OpenToolset, Scope, Toolset};
use legwork_port::{BoxFuture, Ids, Lifecycle, Observer, StepView, Store, Tool, Trigger};
use legwork_testkit::{RecordingObserver, ScriptedModel, Turn};
use serde_json::json;

use crate::claimed::Warnings;
use crate::subagents::{scripted, spawn};
use crate::tools::{World, journal, noting, once, outcomes};

/// A driver that panics in one of its methods.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Panics {
    Request,
    Source,
    Read,
    Heard,
    Steps,
    AfterTheStep,
}

impl Panics {
    fn at(self, here: Self) {
        assert_ne!(self, here, "no power");
    }
}

impl Driver for Panics {
    fn name(&self) -> &str {
        "panics"
    }

    fn request(
        &self,
        state: &AgentState,
        cx: &StepContext,
        shown: &StepTools,
    ) -> Result<ModelRequest, ErrorRecord> {
        self.at(Self::Request);
        ToolCalling.request(state, cx, shown)
    }

    fn source(&self, state: &AgentState, cx: &StepContext) -> Result<Source, ErrorRecord> {
        self.at(Self::Source);
        ToolCalling.source(state, cx)
    }

    fn read(&self, _: &AgentState, _: &Response) -> Option<Response> {
        self.at(Self::Read);
        None
    }

    fn recorded(&self, state: AgentState) -> AgentState {
        self.at(Self::Heard);
        state
    }

    fn use_tools<'a>(
        &'a self,
        state: AgentState,
        cx: &'a StepContext,
    ) -> BoxFuture<'a, Result<AgentState, Halt>> {
        self.at(Self::Steps);
        Box::pin(async move {
            match self {
                Self::AfterTheStep => {
                    ToolCalling.use_tools(state, cx).await?;
                    panic!("no power");
                }
                Self::Heard | Self::Read | Self::Request | Self::Source | Self::Steps => {
                    Inner(*self).use_tools(state, cx).await
                }
            }
        })
    }
}

/// The same with the steps that are provided.
struct Inner(Panics);

impl Driver for Inner {
    fn name(&self) -> &str {
        "inner"
    }

    fn request(
        &self,
        state: &AgentState,
        cx: &StepContext,
        shown: &StepTools,
    ) -> Result<ModelRequest, ErrorRecord> {
        self.0.request(state, cx, shown)
    }

    fn source(&self, state: &AgentState, cx: &StepContext) -> Result<Source, ErrorRecord> {
        self.0.source(state, cx)
    }

    fn read(&self, state: &AgentState, response: &Response) -> Option<Response> {
        self.0.read(state, response)
    }

    fn recorded(&self, state: AgentState) -> AgentState {
        self.0.recorded(state)
    }
}

fn driven(driver: Panics, world: &World) -> (ScriptedModel, Builder) {
    let model = ScriptedModel::new([Turn::call("send", json!({"n": 1})), Turn::text("done")]);
    let builder = Agent::builder(model.clone()).tools([noting("send", once(), world)]);
    (model, builder.driver(driver))
}

#[tokio::test]
async fn s1_6_a_driver_that_panics_fails_the_execution_and_nothing_more() {
    let all = [Panics::Request, Panics::Source, Panics::Read, Panics::Heard];
    for driver in all.into_iter().chain([Panics::Steps, Panics::AfterTheStep]) {
        let (world, store) = (World::default(), Arc::new(MemoryStore::new()));
        let (model, builder) = driven(driver, &world);
        let agent = builder.store_in(store.clone()).build().unwrap();
        // Something is journaled, so that a driver of its own steps can be recorded.
        let mut active = agent.run("go").in_session("s").open().await.unwrap();
        while active.next().await.unwrap().is_some() {}
        let run = active.into_run();
        assert_eq!(run.status(), ExecutionStatus::Failed, "{driver:?}");
        let errors = || run.state().errors();
        let error = errors().find(|error| error.kind == ErrorKind::Panicked).unwrap();
        assert_eq!(error.source, ErrorSource::Driver);
        assert!(error.message.contains("no power"), "{error}");
        let ran = driver == Panics::AfterTheStep;
        assert_eq!(world.notes().len(), usize::from(ran), "{driver:?}");
        let asked = matches!(driver, Panics::Read | Panics::Heard | Panics::AfterTheStep);
        assert_eq!(model.requests().len(), usize::from(asked), "{driver:?}");
        let kinds = journal(&store, "s").await;
        assert_eq!(kinds.last().unwrap(), "execution_finished", "{driver:?}");
        // What was paid is kept, whoever could not read it.
        assert_eq!(kinds.iter().any(|kind| kind == "responded"), asked, "{driver:?}");

        // Nothing is paid again by going on.
        let _ = agent.resume("s").await;
        let most = if asked { 2 } else { 0 };
        assert!(model.requests().len() <= most, "{driver:?}");
    }
}

#[tokio::test]
async fn s1_6_a_driver_that_panics_where_nothing_is_journaled_is_an_error() {
    let (_, builder) = driven(Panics::Steps, &World::default());
    let error = builder.build().unwrap().run("go").await.unwrap_err();
    assert!(matches!(error.halted(), Some(HaltReason::Panicked(_))), "{error:?}");
    let session = error.run().unwrap().session().clone();
    assert_eq!(
        error.to_string().strip_prefix(&format!("session {session}: ")).unwrap(),
        "the driver panicked: assertion `left != right` failed: no power\n  left: Steps\n right: Steps"
    );

    // Nor does one end that is over, or none where the head is before all that began.
    let store = Arc::new(MemoryStore::new());
    let model = ScriptedModel::new([Turn::text("done")]);
    let kept = Agent::builder(model).store_in(store.clone()).build().unwrap();
    kept.run("go").in_session("s").await.unwrap();
    let (_, builder) = driven(Panics::Steps, &World::default());
    let agent = builder.store_in(store.clone()).build().unwrap();
    for moved in [false, true] {
        if moved {
            kept.session("s").move_head(Seq(2)).await.unwrap();
        }
        let before = journal(&store, "s").await;
        let error = agent.run("more").in_session("s").await.unwrap_err();
        assert!(matches!(error.halted(), Some(HaltReason::Panicked(_))), "{error:?}");
        assert_eq!(journal(&store, "s").await, before);
    }

    // A task is kept by whoever holds it.
    let (_, builder) = driven(Panics::AfterTheStep, &World::default());
    let mut run = ToolUse::new(builder).unwrap().iterate("go").await.unwrap();
    while run.next().await.unwrap().is_some() {}
    assert_eq!(run.state().status(), Some(&ExecutionStatus::Failed));
}

#[tokio::test]
async fn s11_3_an_answer_that_its_driver_could_not_read_is_paid_once_and_kept() {
    let store = Arc::new(MemoryStore::new());
    let (model, builder) = driven(Panics::Read, &World::default());
    let agent = builder.store_in(store.clone()).build().unwrap();
    let run = agent.run("go").in_session("s").outcome().await.unwrap();
    let step = &run.state().step_results().next().unwrap().step;
    let response = step.response.as_ref().unwrap();
    assert_eq!(response.incomplete, Some(Incomplete::Unread));
    assert_eq!(response.message.tool_calls().count(), 1, "as it came");
    assert!(step.calls.is_empty(), "its calls never run");
    assert_eq!(step.errors.len(), 1);
    let used = response.usage.unwrap();
    assert_eq!((run.used().input, run.used().output), (used.input, used.output));
    assert_eq!(model.requests().len(), 1);
    let journaled = store.read(&SessionId::from("s"), Range::ALL).await.unwrap().journal;
    assert!(journaled.fold(&"s".into()).ledger().reserved.is_empty());
}

struct NoHandler;

impl ErrorHandler for NoHandler {
    fn handle(&self, _: &AgentState, _: &ErrorRecord) -> Failure {
        panic!("no power")
    }
}

#[tokio::test]
async fn s2_1_an_error_handler_that_panics_lets_the_execution_fail() {
    let seen = RecordingObserver::new();
    let model = ScriptedModel::new([Turn::status(401)]);
    let builder = Agent::builder(model).error_handler(NoHandler).observer(Arc::new(seen.clone()));
    let run = builder.build().unwrap().run("go").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Failed);
    assert_eq!(warnings(&seen).len(), 1, "{:?}", warnings(&seen));
    assert!(warnings(&seen)[0].contains("the error handler panicked"));
}

/// An observer that panics.
#[derive(Clone, Copy, Debug)]
enum Bad {
    Listening,
    Live,
    Committed,
}

impl Observer for Bad {
    fn listens(&self) -> bool {
        assert!(!matches!(self, Self::Listening), "no power");
        true
    }

    fn observe(&self, event: &RunEvent) {
        let panics = match &event.kind {
            EventKind::Committed(_) => matches!(self, Self::Committed),
            _ => matches!(self, Self::Live),
        };
        assert!(!panics, "no power");
    }
}

fn warnings(seen: &RecordingObserver) -> Vec<String> {
    let warning = |kind| match kind {
        EventKind::Warning { message } => Some(message),
        _ => None,
    };
    seen.kinds().into_iter().filter_map(warning).collect()
}

#[tokio::test]
async fn an_observer_that_panics_is_silenced_and_the_others_are_warned_once() {
    for (bad, warned) in [(Bad::Listening, 1), (Bad::Live, 1), (Bad::Committed, 1)] {
        let world = World::default();
        let model = ScriptedModel::new([Turn::call("send", json!({"n": 1})), Turn::text("done")]);
        let seen = RecordingObserver::new();
        let agent = Agent::builder(model)
            .tools([noting("send", once(), &world)])
            .observer(Arc::new(bad))
            .build()
            .unwrap();
        let run = agent.run("go").observer(Arc::new(seen.clone())).await.unwrap();
        assert_eq!((run.text().as_str(), world.notes().len()), ("done", 1), "{bad:?}");
        assert_eq!(warnings(&seen).len(), warned, "{bad:?}: {:?}", warnings(&seen));
        assert_eq!(seen.entries().len() as u64, run.state().version().0, "{bad:?}");

        // A stream beside it has all of its events.
        let mut stream = agent.run("go").observer(Arc::new(bad)).stream();
        let mut entries = 0;
        while let Some(event) = stream.next().await {
            if let EventKind::Committed(committed) = event.kind {
                entries += committed.entries.len() as u64;
            }
        }
        let run = stream.finish().await.unwrap();
        assert_eq!(entries, run.state().version().0, "{bad:?}");
    }
}

/// A toolset that panics in one of its methods.
#[derive(Clone, Copy, Debug, PartialEq)]
enum BadSet {
    Name,
    Key,
    Open,
    Revision,
    Tools,
    Instructions,
    Close,
    Drop,
}

impl Toolset for BadSet {
    fn name(&self) -> &str {
        assert_ne!(*self, Self::Name, "no power");
        "bad"
    }

    fn share_key(&self, _: &Scope) -> String {
        assert_ne!(*self, Self::Key, "no power");
        String::new()
    }

    fn open<'a>(
        &'a self,
        _: &'a Scope,
    ) -> BoxFuture<'a, Result<Box<dyn OpenToolset>, toolset::Error>> {
        assert_ne!(*self, Self::Open, "no power");
        Box::pin(std::future::ready(Ok(Box::new(BadOpen(*self)) as Box<dyn OpenToolset>)))
    }
}

struct BadOpen(BadSet);

impl OpenToolset for BadOpen {
    fn revision(&self) -> Option<u64> {
        assert_ne!(self.0, BadSet::Revision, "no power");
        None
    }

    fn tools<'a>(
        &'a self,
        _: &'a AgentState,
    ) -> BoxFuture<'a, Result<Vec<Arc<dyn Tool>>, toolset::Error>> {
        Box::pin(async {
            assert_ne!(self.0, BadSet::Tools, "no power");
            Ok(Vec::new())
        })
    }

    fn instructions(&self) -> Option<String> {
        assert_ne!(self.0, BadSet::Instructions, "no power");
        None
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async { assert_ne!(self.0, BadSet::Close, "no power") })
    }
}

impl Drop for BadOpen {
    fn drop(&mut self) {
        assert_ne!(self.0, BadSet::Drop, "no power");
    }
}

#[tokio::test]
async fn s6_11_a_toolset_that_panics_fails_as_one_that_says_why() {
    for set in [BadSet::Key, BadSet::Open, BadSet::Tools] {
        let (agent, warned) = (bad(SharedToolset::from(set)), Arc::new(Warnings::default()));
        let run = agent.run("go").observer(warned.clone()).await.unwrap();
        assert_eq!(run.text(), "done");
        let warned = warned.0.lock().unwrap().join("; ");
        assert!(warned.contains("it panicked: "), "{set:?}: {warned}");
        let required = bad(SharedToolset::from(set).required());
        let error = required.run("go").await.unwrap_err().to_string();
        assert!(error.contains("`bad`") && error.contains("it panicked: "), "{set:?}: {error}");
    }
    use BadSet::{Close, Drop, Instructions, Name, Revision};
    for set in [Name, Revision, Instructions, Close, Drop] {
        let required = bad(SharedToolset::from(set).required());
        assert_eq!(required.run("go").await.unwrap().text(), "done", "{set:?}");
    }
}

fn bad(set: SharedToolset) -> Agent {
    Agent::builder(ScriptedModel::new([Turn::text("done")])).toolset(set).build().unwrap()
}

/// A toolset that panics over its tools when an agent is built.
struct NoTools;

impl Toolset for NoTools {
    fn name(&self) -> &str {
        "bad"
    }

    fn tools(&self) -> Option<Vec<Arc<dyn Tool>>> {
        panic!("no power")
    }
}

#[test]
fn s6_11_a_toolset_that_panics_over_its_tools_is_an_error_of_building_the_agent() {
    let agent = Agent::builder(ScriptedModel::new([Turn::text("done")])).toolset(NoTools);
    let error = agent.build().unwrap_err().to_string();
    assert!(
        error.contains("the toolset `bad` cannot list its tools: it panicked: no power"),
        "{error}"
    );
}

struct BadIds;

impl Ids for BadIds {
    fn session(&self) -> SessionId {
        panic!("no power")
    }
}

#[tokio::test]
async fn a_source_of_ids_that_panics_is_an_error_of_what_needs_a_name() {
    let agent = || {
        let model = ScriptedModel::new([Turn::text("done")]);
        let agent = Agent::builder(model).ids(Arc::new(BadIds));
        agent.store_in(Arc::new(MemoryStore::new())).build().unwrap()
    };
    let named = |error: &Error| error.to_string() == "the source of ids panicked: no power";
    let error = agent().run("go").await.unwrap_err();
    assert!(named(&error), "{error}");
    assert_eq!(agent().run("go").in_session("s").await.unwrap().text(), "done");

    let chat = Chat::builder()
        .participant(Participant::scripted("Ann", ["Apples?"]))
        .ids(Arc::new(BadIds))
        .build()
        .unwrap();
    let mut run = chat.iterate("go");
    for _ in 0..2 {
        let error = run.next().await.unwrap_err();
        assert!(named(&error), "{error}");
    }
}

struct BadLifecycle;

impl Lifecycle for BadLifecycle {
    fn listens(&self, _: Trigger) -> bool {
        panic!("no power")
    }

    fn on<'a>(&'a self, _: Trigger, _: AgentState, _: &'a StepView) -> BoxFuture<'a, AgentState> {
        panic!("no power either")
    }
}

#[tokio::test]
async fn s2_4_a_lifecycle_that_panics_when_it_is_asked_costs_only_its_own_change() {
    let world = World::default();
    let model = ScriptedModel::new([Turn::call("send", json!({"n": 1})), Turn::text("done")]);
    let builder = Agent::builder(model).tools([noting("send", once(), &world)]);
    let run = builder.lifecycle(BadLifecycle).build().unwrap().run("go").await.unwrap();
    assert_eq!(run.text(), "done");
    assert_eq!(outcomes(run.state()).len(), 1);
    assert!(run.state().errors().any(|error| error.message.contains("no power either")));
}

struct BadSpeaker;

impl legwork_orchestrate::Speaker for BadSpeaker {
    fn speak<'a>(
        &'a self,
        _: &'a legwork_orchestrate::TurnContext,
    ) -> BoxFuture<'a, Result<legwork_orchestrate::Spoken, Error>> {
        panic!("no voice")
    }
}

#[tokio::test]
async fn s4_2_a_speaker_selector_or_observer_that_panics_fails_only_its_part() {
    let chat = Chat::builder().participant(Participant::speaker("Ann", BadSpeaker));
    let state = chat.build().unwrap().run("go").await.unwrap();
    assert_eq!(state.status(), Some(&ExecutionStatus::Failed));
    let told = |state: &ChatState, words: &str| state.errors().any(|e| e.message.contains(words));
    assert!(told(&state, "the speaker `Ann` panicked: no voice"));

    let ann = || Chat::builder().participant(Participant::scripted("Ann", ["DONE"]));
    let chat = ann().selector(|_: ChatState| async move {
        if true {
            panic!("no choice");
        }
        Ok("Ann")
    });
    let state = chat.build().unwrap().run("go").await.unwrap();
    assert_eq!(state.status(), Some(&ExecutionStatus::Failed));
    assert!(told(&state, "the selector panicked: no choice"));

    let chat = ann().until_said("DONE").on_step_end("watch", |state: ChatState| async move {
        assert!(state.ending_step().is_none(), "no eyes");
        Ok(state)
    });
    let state = chat.build().unwrap().run("go").await.unwrap();
    assert_eq!(state.status(), Some(&ExecutionStatus::Completed));
    assert!(told(&state, "it panicked: no eyes"));
}

#[tokio::test]
async fn s1_6_an_observer_that_panics_does_not_reach_whoever_speaks_to_a_session() {
    for bad in [Bad::Listening, Bad::Live, Bad::Committed] {
        let model = ScriptedModel::new([Turn::text("one")]);
        let agent = Agent::builder(model)
            .store_in(Arc::new(MemoryStore::new()))
            .observer(Arc::new(bad))
            .build()
            .unwrap();
        let session = agent.session("s");
        session.run("go").await.unwrap();
        let end = session.state().await.unwrap().head();
        for _ in 0..2 {
            let moved = session.move_head(end).await.unwrap().into_state().unwrap();
            assert_eq!(moved.head(), end, "{bad:?}");
        }
    }
}

/// A driver that panics in the steps of subagents.
struct FailsBelow;

impl Driver for FailsBelow {
    fn name(&self) -> &str {
        "fails_below"
    }

    fn request(
        &self,
        state: &AgentState,
        cx: &StepContext,
        shown: &StepTools,
    ) -> Result<ModelRequest, ErrorRecord> {
        ToolCalling.request(state, cx, shown)
    }

    fn use_tools<'a>(
        &'a self,
        state: AgentState,
        cx: &'a StepContext,
    ) -> BoxFuture<'a, Result<AgentState, Halt>> {
        assert!(state.facts().parent.is_none(), "no power below");
        ToolCalling.use_tools(state, cx)
    }
}

#[tokio::test]
async fn s1_6_a_subagent_whose_driver_panics_is_given_up() {
    let root = scripted("x:root", [Turn::calls([spawn("scout", "look")]), Turn::text("done")]);
    let scout = Subagent::new("scout", "Looks.", "Look.");
    let store = Arc::new(MemoryStore::new());
    let agent = Agent::builder(root).driver(FailsBelow).subagent(scout).store_in(store);
    let run = agent.build().unwrap().run("go").await.unwrap();
    assert_eq!(run.text(), "done");
    let outcome = format!("{:?}", outcomes(run.state())[0]);
    assert!(outcome.contains("the driver panicked: no power below"), "{outcome}");
}
