//! Models that fail for minutes, over virtual time: the execution finishes what it started.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Builder, Control, EventKind, Run, RunEvent, Subagent};
use legwork_core::inference::Incomplete;
use legwork_core::{
    Budget, EffectClass, ExecutionStatus, Micros, ModelRequest, ModelSettings, Response, Stamp,
};
use legwork_models::retry::{Policy, Retrying};
use legwork_port::model::{Ability, Error, Kind, Profile};
use legwork_port::{BoxFuture, Clock, Deltas, Model};
use legwork_testkit::{Gate, RecordingObserver, Script, ScriptedModel, Turn, VirtualClock};
use serde_json::json;

use crate::subagents::spawn;
use crate::tools::{World, noting};

/// A model whose failures are retried for ten minutes of the clock, otherwise as by default.
fn persistent(model: &ScriptedModel, clock: &VirtualClock) -> Retrying<ScriptedModel> {
    let policy = Policy::default().with_time_limit(Duration::from_secs(600));
    Retrying::new(model.clone(), policy, Arc::new(clock.clone()))
}

fn agent(model: &ScriptedModel, clock: &VirtualClock) -> Builder {
    let look = noting("look", EffectClass::ReadOnly, &World::default());
    Agent::builder(persistent(model, clock)).tools([look]).clock(Arc::new(clock.clone()))
}

/// A call of a tool, then the end.
fn two_steps(asked: usize) -> Turn {
    match asked {
        0 => Turn::call("look", json!({})).with_text("I look."),
        _ => Turn::text("All is done."),
    }
}

/// A model that fails in this way until a time has passed.
fn failing(until: Duration, failure: Turn, clock: &VirtualClock) -> ScriptedModel {
    let (clock, start) = (clock.clone(), clock.now().mono);
    ScriptedModel::new(Script::from_fn(move |asked| {
        match Duration::from(clock.now().mono.since(start)) < until {
            true => failure.clone(),
            false => two_steps(asked.turn()),
        }
    }))
}

/// Who said what, all messages in order.
fn said(run: &Run) -> Vec<String> {
    let messages = run.state().context().transcript.messages();
    messages.iter().map(|message| format!("{:?}: {}", message.role, message.text())).collect()
}

async fn finishes_after(until: u64, failure: Turn) {
    let clock = VirtualClock::auto();
    let model = failing(Duration::from_secs(until), failure, &clock);
    let run = agent(&model, &clock).build().unwrap().run("go").await.unwrap();
    assert_eq!((run.status(), &*run.text()), (ExecutionStatus::Completed, "All is done."));
    assert_eq!(run.state().errors().count(), 0);
    let said = said(&run);
    assert_eq!(said.len(), 4, "{said:?}");
    let took = Duration::from(clock.now().mono).as_secs();
    assert!(took >= until && took <= until + 30, "{took}");
}

#[tokio::test]
async fn s11_5_a_server_that_is_full_for_three_minutes_is_waited_for() {
    finishes_after(180, Turn::status(503)).await;
}

#[tokio::test]
async fn s11_5_a_server_that_is_gone_for_a_minute_is_waited_for() {
    finishes_after(60, Turn::disconnect()).await;
}

#[tokio::test]
async fn s11_5_a_limit_on_the_rate_is_waited_for() {
    finishes_after(120, Turn::status(429)).await;
}

/// A model that breaks off each second answer.
fn dropping() -> ScriptedModel {
    let requests = AtomicUsize::new(0);
    ScriptedModel::new(Script::from_fn(move |asked| {
        let number = requests.fetch_add(1, Ordering::SeqCst);
        match number % 2 {
            0 => two_steps(asked.turn()).incomplete(Incomplete::Cut),
            _ => two_steps(asked.turn()),
        }
    }))
}

#[tokio::test]
async fn s11_3_a_server_that_drops_every_second_stream_is_asked_again() {
    let (clock, model, seen) = (VirtualClock::auto(), dropping(), RecordingObserver::new());
    let agent = agent(&model, &clock).observer(Arc::new(seen.clone())).build().unwrap();
    let run = agent.run("go").await.unwrap();
    assert_eq!((run.status(), &*run.text()), (ExecutionStatus::Completed, "All is done."));
    assert_eq!((model.requests().len(), run.state().errors().count()), (4, 0));
    let incomplete = run.state().step_results().filter(|result| {
        result.step.response.as_ref().is_some_and(|response| response.incomplete.is_some())
    });
    assert_eq!(incomplete.count(), 0, "nothing incomplete is journaled");
    let void = |kind: &EventKind| {
        matches!(kind, EventKind::InferenceRetried { attempt: 1, discarded: true, .. })
    };
    assert_eq!(seen.kinds().iter().filter(|live| void(live)).count(), 2);
    assert_eq!(said(&run).len(), 4, "{:?}", said(&run));
}

#[tokio::test]
async fn s11_3_an_answer_that_always_breaks_off_is_journaled_once_as_incomplete() {
    let clock = VirtualClock::auto();
    let model =
        ScriptedModel::new(Script::from_fn(|_| Turn::text("Half").incomplete(Incomplete::Cut)));
    let seen = RecordingObserver::new();
    let agent = agent(&model, &clock).observer(Arc::new(seen.clone())).build().unwrap();
    let run = agent.run("go").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Failed);
    assert_eq!(model.requests().len(), 6);
    let responses = seen.entries().iter().filter(|entry| entry.event.kind() == "responded").count();
    assert_eq!(responses, 1);
    let step = &run.state().step_results().next().unwrap().step;
    assert_eq!(step.response.as_ref().unwrap().incomplete, Some(Incomplete::Cut));
}

#[tokio::test]
async fn s11_5_an_agent_that_nobody_observes_asks_in_one_piece_and_retries_all_the_same() {
    let clock = VirtualClock::auto();
    let model = failing(Duration::from_secs(60), Turn::status(500), &clock);
    let run = agent(&model, &clock).build().unwrap().run("go").await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Completed);
    assert!(model.asked().iter().all(|asked| !asked.stream));
}

/// An agent whose inferences reserve the estimate of their input and 300 tokens of output.
fn limited(model: &ScriptedModel, clock: &VirtualClock, budget: Budget) -> Builder {
    let settings = ModelSettings { max_output: Some(300), ..ModelSettings::default() };
    agent(model, clock).settings(settings).budget(budget)
}

/// A failure that may have cost what was reserved.
fn costly() -> Turn {
    let mut error = Error::new(Kind::Server, "it fell over");
    error.charged_attempts = 1;
    Turn::error(error)
}

#[tokio::test]
async fn s5_3_retries_end_when_the_budget_allows_no_further_attempt() {
    let clock = VirtualClock::auto();
    let model = ScriptedModel::new(Script::from_fn(|_| costly()));
    let budget = Budget { output_tokens: Some(1_000), ..Budget::unlimited() };
    let run = limited(&model, &clock, budget).build().unwrap().run("go").outcome().await.unwrap();
    assert_eq!((run.status(), model.requests().len()), (ExecutionStatus::Failed, 3));
    assert_eq!(run.used().output, 900, "three attempts of 300 each");
    let error = run.state().errors().next().unwrap();
    assert!(error.message.contains("the limit of output tokens does not allow it"), "{error:?}");
}

#[tokio::test]
async fn s5_3_attempts_that_cost_nothing_are_made_whatever_the_budget() {
    let clock = VirtualClock::auto();
    let model = failing(Duration::from_secs(60), Turn::status(503), &clock);
    let budget = Budget { output_tokens: Some(305), ..Budget::unlimited() };
    let run = limited(&model, &clock, budget).build().unwrap().run("go").await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Completed);
    assert_eq!(run.used().output, 10);
}

#[tokio::test]
async fn s5_3_failed_attempts_of_a_subagent_are_held_in_every_account_above() {
    let clock = VirtualClock::auto();
    let profile = Profile::new().with_max_output(300).with(Ability::Tools);
    let child = ScriptedModel::new(Script::from_fn(|_| costly())).named("x:child");
    let child = child.with_profile(profile);
    let root = ScriptedModel::new([Turn::calls([spawn("worker", "work")]), Turn::text("done")]);
    let budget = Budget { output_tokens: Some(2_000), ..Budget::unlimited() };
    let settings = ModelSettings { max_output: Some(300), ..ModelSettings::default() };
    let worker = Subagent::new("worker", "Works.", "").model(persistent(&child, &clock));
    let run = Agent::builder(root)
        .settings(settings)
        .budget(budget)
        .subagent(worker)
        .clock(Arc::new(clock))
        .build()
        .unwrap()
        .run("go")
        .outcome()
        .await
        .unwrap();
    // 5 were used by the root: six attempts of 300 fit into the rest, and no answer of it.
    assert_eq!(child.requests().len(), 6);
    assert_eq!((run.used().output, run.status()), (5 + 6 * 300, ExecutionStatus::Stopped));
}

#[tokio::test]
async fn s5_3_an_interrupt_in_a_wait_keeps_what_failed_attempts_may_have_cost() {
    let (clock, store) = (VirtualClock::new(), Arc::new(MemoryStore::new()));
    let model = ScriptedModel::new([Turn::text("done").after([costly(), costly()])]);
    let seen = RecordingObserver::new();
    let agent = limited(&model, &clock, Budget::unlimited()).store_in(store);
    let agent = agent.observer(Arc::new(seen.clone())).build().unwrap();
    let control = Control::default();
    let interrupt = async {
        clock.until_asleep(1).await;
        clock.advance(Duration::from_secs(1));
        let second =
            |event: &RunEvent| matches!(event.kind, EventKind::InferenceRetried { attempt: 2, .. });
        seen.until(second).await;
        control.interrupt.cancel();
    };
    let run = agent.run("go").in_session("s").control(control.clone());
    let run = tokio::join!(run.outcome(), interrupt).0.unwrap();
    assert_eq!(run.status(), ExecutionStatus::InProgress);
    let run = agent.resume("s").await.unwrap();
    assert_eq!((run.status(), &*run.text()), (ExecutionStatus::Completed, "done"));
    assert_eq!((run.used().output, run.used().steps), (2 * 300 + 5, 1));
}

#[tokio::test]
async fn s5_3_a_wait_between_attempts_costs_nothing() {
    for observed in [true, false] {
        let clock = VirtualClock::new();
        let model = ScriptedModel::new([Turn::text("done").after([Turn::status(503)])]);
        let agent = limited(&model, &clock, Budget::unlimited());
        let agent = match observed {
            true => agent.observer(Arc::new(RecordingObserver::new())),
            false => agent,
        };
        let (agent, control) = (agent.build().unwrap(), Control::default());
        let interrupt = async {
            clock.until_asleep(1).await;
            control.interrupt.cancel();
        };
        let run = agent.run("go").control(control.clone());
        let run = tokio::join!(run.outcome(), interrupt).0.unwrap();
        assert_eq!(run.status(), ExecutionStatus::InProgress);
        assert_eq!((run.used().input, run.used().output), (0, 0), "observed: {observed}");
    }
}

#[tokio::test]
async fn s1_8_s11_5_waits_between_attempts_are_no_time_at_work() {
    // The guard of a library is five minutes at work, and retries last for ten.
    for limit in [Budget::guards(), Budget::unlimited().time(Duration::from_secs(1))] {
        let clock = VirtualClock::auto();
        let model = failing(Duration::from_secs(400), Turn::status(503), &clock);
        let run = agent(&model, &clock).budget(limit).build().unwrap().run("go").await.unwrap();
        assert_eq!((run.status(), &*run.text()), (ExecutionStatus::Completed, "All is done."));
        assert_eq!(run.state().ledger().spent.active_time, Micros::ZERO);
        assert!(Duration::from(clock.now().mono) >= Duration::from_secs(400));
    }
}

/// Lets time pass from one sleeper to the next: whoever waits for a model watches the time.
async fn pass(clock: &VirtualClock) -> ! {
    loop {
        clock.until_asleep(2).await;
        clock.skip();
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn s1_8_s11_5_an_attempt_between_two_waits_is_time_at_work() {
    let clock = VirtualClock::new();
    let slowly = Slowly::new(&clock, Duration::from_secs(5));
    let persistent = Retrying::new(slowly, Policy::default(), Arc::new(clock.clone()));
    let budget = Budget::unlimited().time(Duration::from_secs(24));
    let agent = Agent::builder(persistent).clock(Arc::new(clock.clone())).budget(budget);
    let run = tokio::select! {
        run = agent.build().unwrap().run("go").outcome() => run.unwrap(),
        never = pass(&clock) => never,
    };
    assert_eq!(run.status(), ExecutionStatus::Stopped, "each attempt takes five seconds");
    let active = run.state().ledger().spent.active_time;
    assert!(active.since(Micros(24_000_000)) <= Micros(1_000), "{active}");
    assert!(Duration::from(clock.now().mono) > Duration::from_secs(26), "it waited between");
}

/// A model that fails after a time, each time.
struct Slowly {
    model: ScriptedModel,
    clock: VirtualClock,
    takes: Duration,
}

impl Slowly {
    fn new(clock: &VirtualClock, takes: Duration) -> Self {
        Self { model: ScriptedModel::new([Turn::text("done")]), clock: clock.clone(), takes }
    }
}

impl Model for Slowly {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn profile(&self) -> &Profile {
        self.model.profile()
    }

    fn infer<'a>(
        &'a self,
        _: ModelRequest,
        _: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        Box::pin(async {
            self.clock.sleep(self.takes).await;
            Err(Error::new(Kind::Server, "it is full"))
        })
    }
}

/// A clock that counts who sleeps by it.
struct Counting(VirtualClock, Arc<AtomicUsize>);

impl Clock for Counting {
    fn now(&self) -> Stamp {
        self.0.now()
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        self.1.fetch_add(1, Ordering::SeqCst);
        self.0.sleep(time)
    }
}

#[tokio::test]
async fn s1_8_whoever_waits_for_the_next_attempt_sleeps_until_then() {
    let (clock, naps) = (VirtualClock::new(), Arc::new(AtomicUsize::new(0)));
    // Shortly before time at work is charged, once more.
    let slowly = Slowly::new(&clock, Duration::from_micros(9_999_500));
    let persistent = Retrying::new(slowly, Policy::default(), Arc::new(clock.clone()));
    let deadline = legwork_core::Timestamp(clock.now().wall.0 + 60_000);
    let agent = Agent::builder(persistent)
        .clock(Arc::new(Counting(clock.clone(), Arc::clone(&naps))))
        .budget(Budget::unlimited().deadline(deadline));
    tokio::select! {
        run = agent.build().unwrap().run("go").outcome() => run.unwrap(),
        never = pass(&clock) => never,
    };
    let naps = naps.load(Ordering::SeqCst);
    assert!(naps < 50, "{naps}");
}

#[tokio::test]
async fn s5_3_an_attempt_after_a_wait_is_charged_when_it_is_left() {
    let (clock, gate, control) = (VirtualClock::new(), Gate::new(), Control::default());
    let turn = Turn::text("done").after([Turn::status(503)]).halting(&gate);
    let model = ScriptedModel::new([turn]);
    let agent = limited(&model, &clock, Budget::unlimited()).build().unwrap();
    let interrupt = async {
        tokio::select! {
            () = gate.arrived(1) => {}
            never = pass(&clock) => never,
        }
        control.interrupt.cancel();
    };
    let run = agent.run("go").control(control.clone());
    let run = tokio::join!(run.outcome(), interrupt).0.unwrap();
    assert_eq!(run.status(), ExecutionStatus::InProgress);
    // What it may have cost: nothing of it was streamed to anybody.
    assert_eq!(run.used().output, 300);
}

#[tokio::test]
async fn s5_1_s11_5_the_deadline_ends_a_wait_between_attempts() {
    let clock = VirtualClock::new();
    let model = failing(Duration::from_secs(400), Turn::status(503), &clock);
    let deadline = legwork_core::Timestamp(clock.now().wall.0 + 100_000);
    let budget = Budget::unlimited().deadline(deadline);
    let agent = agent(&model, &clock).budget(budget).build().unwrap();
    let run = tokio::select! {
        run = agent.run("go").outcome() => run.unwrap(),
        never = pass(&clock) => never,
    };
    assert_eq!((run.status(), clock.now().wall), (ExecutionStatus::Stopped, deadline));
}
