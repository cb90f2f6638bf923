//! A Core of one's own: recording, failing, evaluating and telling are replaced with it.

use std::sync::Arc;

use legwork_agent::continuation::Failure;
use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, CoreLifecycle, EventKind, RunEvent};
use legwork_core::{
    AgentState, ContinuationOutcome, ErrorKind, ErrorRecord, ExecutionStatus, SessionId,
    StopReason, StopSignal,
};
use legwork_orchestrate::{Chat, Participant};
use legwork_port::{BoxFuture, Core, Lifecycle, StepView, Trigger};
use legwork_testkit::{RecordingObserver, ScriptedModel, Turn};

use crate::tools::{World, journal};

/// How a Core goes wrong when it is to record something.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Wrong {
    Nothing,
    Panic,
    Elsewhere,
}

/// Notes what it is asked for, and decides as what ships; goes wrong where it was told to.
struct Own {
    ships: CoreLifecycle,
    world: World,
    at: &'static str,
    wrong: Option<Wrong>,
}

impl Own {
    fn new(world: &World) -> Self {
        let (ships, world) = (CoreLifecycle::default(), world.clone());
        Self { ships, world, at: "", wrong: None }
    }

    fn asked(
        &self,
        what: &'static str,
        state: AgentState,
        right: impl FnOnce(AgentState) -> AgentState,
    ) -> AgentState {
        self.world.note(what);
        match self.wrong.filter(|_| self.at == what) {
            None => right(state),
            Some(Wrong::Nothing) => state,
            Some(Wrong::Panic) => panic!("no power"),
            Some(Wrong::Elsewhere) => AgentState::new(SessionId::new("another")),
        }
    }
}

impl Lifecycle for Own {
    fn listens(&self, trigger: Trigger) -> bool {
        self.ships.listens(trigger)
    }

    fn on_step_end<'a>(
        &'a self,
        state: AgentState,
        view: &'a StepView,
    ) -> BoxFuture<'a, AgentState> {
        self.world.note("evaluates");
        self.ships.on_step_end(state, view)
    }
}

impl Core for Own {
    fn record_step(
        &self,
        state: AgentState,
        outcome: Arc<ContinuationOutcome>,
        view: &StepView,
    ) -> AgentState {
        self.asked("records", state, |state| self.ships.record_step(state, outcome, view))
    }

    fn handle_error(&self, _: &AgentState, error: &ErrorRecord, _: &StepView) -> Failure {
        self.world.note("handles");
        let signal = StopSignal::new(StopReason::StopRequested, "own", &error.message);
        let outcome = ContinuationOutcome::stop(signal);
        Failure { status: ExecutionStatus::Stopped, outcome }
    }

    fn end_execution(
        &self,
        state: AgentState,
        outcome: Arc<ContinuationOutcome>,
        view: &StepView,
    ) -> AgentState {
        self.asked("ends", state, |state| {
            let failed = outcome.stop_reason() == Some(&StopReason::Error);
            match failed {
                true => EndsByHandler(self).end_execution(state, outcome, view),
                false => self.ships.end_execution(state, outcome, view),
            }
        })
    }
}

/// The end that ships, with the handler of another Core.
struct EndsByHandler<'a>(&'a Own);

impl Lifecycle for EndsByHandler<'_> {}

impl Core for EndsByHandler<'_> {
    fn handle_error(&self, state: &AgentState, error: &ErrorRecord, view: &StepView) -> Failure {
        self.0.handle_error(state, error, view)
    }
}

#[tokio::test]
async fn s2_1_a_core_evaluates_records_and_ends() {
    let (world, seen) = (World::default(), RecordingObserver::new());
    let model = ScriptedModel::new([Turn::text("done")]);
    let agent = Agent::builder(model).core_lifecycle(Own::new(&world)).build().unwrap();
    let run = agent.run("go").observer(Arc::new(seen.clone())).await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Completed);
    assert_eq!(world.notes(), ["evaluates", "records", "ends"]);
    let told = |name: &str| seen.names().iter().filter(|told| *told == name).count();
    assert_eq!((told("continuation_evaluated"), told("execution_failed")), (1, 0));
    let result = run.state().step_results().next().unwrap();
    assert_eq!(
        (result.should_continue(), result.stop_reason()),
        (false, Some(&StopReason::Completed))
    );
}

#[tokio::test]
async fn s2_1_a_core_says_how_an_execution_ends_that_an_error_ended() {
    let (world, seen) = (World::default(), RecordingObserver::new());
    let model = ScriptedModel::new([Turn::status(500).with_message("overheated")]);
    let agent = Agent::builder(model).core_lifecycle(Own::new(&world)).build().unwrap();
    let run = agent.run("go").observer(Arc::new(seen.clone())).outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Stopped);
    assert_eq!(run.continuation().unwrap().stop_reason(), Some(&StopReason::StopRequested));
    assert_eq!(world.notes(), ["evaluates", "records", "ends", "handles"]);
    assert!(seen.names().contains(&"execution_failed".to_owned()));
    // The step is recorded with its error, like any other.
    let result = run.state().step_results().next().unwrap();
    assert_eq!(result.step.errors.len(), 1);
}

#[tokio::test]
async fn s2_1_a_core_that_does_not_record_costs_only_its_own_change() {
    for at in ["records", "ends"] {
        for wrong in [Wrong::Nothing, Wrong::Panic, Wrong::Elsewhere] {
            let (world, store) = (World::default(), MemoryStore::new());
            let core = Own { at, wrong: Some(wrong), ..Own::new(&world) };
            let model = ScriptedModel::new([Turn::text("done")]);
            let agent =
                Agent::builder(model).core_lifecycle(core).store_in(Arc::new(store.clone()));
            let run = agent.build().unwrap().run("go").in_session("s").outcome().await.unwrap();
            assert_eq!(run.text(), "done", "{at} {wrong:?}");
            assert_eq!(run.status(), ExecutionStatus::Completed, "{at} {wrong:?}");
            let errors: Vec<_> = run.state().errors().collect();
            let kind = match wrong {
                Wrong::Elsewhere => ErrorKind::Lineage,
                _ => ErrorKind::Hook,
            };
            assert_eq!((errors.len(), &errors[0].kind), (1, &kind), "{at} {wrong:?}: {errors:?}");
            let kept = journal(&store, "s").await;
            let count = |kind: &str| kept.iter().filter(|entry| *entry == kind).count();
            assert_eq!((count("step_finished"), count("execution_finished")), (1, 1));
        }
    }
}

#[tokio::test]
async fn s2_1_a_chat_emits_what_was_decided() {
    let seen = RecordingObserver::new();
    let chat = Chat::builder()
        .participant(Participant::scripted("Ann", ["Apples?", "DONE"]))
        .participant(Participant::scripted("Bob", ["Pears."]))
        .until_said("DONE")
        .observer(Arc::new(seen.clone()));
    let state = chat.build().unwrap().run("Which fruit is best?").await.unwrap();
    let decided: Vec<_> = seen
        .events()
        .into_iter()
        .map(|event| {
            assert_eq!(event.session.as_ref(), Some(state.id()));
            let EventKind::ContinuationEvaluated { outcome } = event.kind else { panic!() };
            (event.step.unwrap(), outcome.should_continue())
        })
        .collect();
    assert_eq!(decided, [(1, true), (2, true), (3, false)]);

    // One that panics is silenced, and costs nothing else.
    let panics = |_: &RunEvent| panic!("no power");
    let chat = Chat::builder().participant(Participant::scripted("Ann", ["DONE"]));
    let chat = chat.until_said("DONE").observer(Arc::new(panics)).build().unwrap();
    assert_eq!(chat.run("Well?").await.unwrap().text(), "DONE");
}
