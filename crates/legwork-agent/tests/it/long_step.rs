//! One long step that is left and taken up again and again: time at work is counted once.

use std::sync::Arc;
use std::time::Duration;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Control, Delivery, Driver as _, Run, Subagent, ToolCalling};
use legwork_core::inbox::{Answer, Verdict};
use legwork_core::{Budget, EffectClass, ExecutionStatus, Micros, OnDoubt, SessionId, StopReason};
use legwork_port::store::Range;
use legwork_port::{Clock as _, Store as _};
use legwork_testkit::{Gate, ScriptedModel, Turn, VirtualClock};
use serde_json::json;

use crate::stepping::stepping;
use crate::subagents::{scripted, spawn};
use crate::tools::{World, guarded, once, spec};

const SECOND: Duration = Duration::from_secs(1);

/// The limit of time at work.
const LIMIT: Duration = Duration::from_secs(100);

/// A step of two calls that wait for ever: one that may run again, one that may not.
struct Long {
    clock: VirtualClock,
    store: MemoryStore,
    gate: Gate,
    /// Calls that came to the gate.
    arrived: usize,
    worked: Duration,
}

/// How a run is left.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Leave {
    Kill,
    Interrupt,
}

impl Long {
    fn new() -> Self {
        let (clock, store) = (VirtualClock::new(), MemoryStore::new());
        Self { clock, store, gate: Gate::new(), arrived: 0, worked: Duration::ZERO }
    }

    fn agent(&self) -> Agent {
        let calls = [("hang", json!({"n": 1})), ("send", json!({"n": 2}))];
        let model = ScriptedModel::new([Turn::calls(calls), Turn::text("done")]);
        let world = World::default();
        Agent::builder(model)
            .clock(Arc::new(self.clock.clone()))
            .store_in(Arc::new(self.store.clone()))
            .tools([
                guarded(spec("hang").effect(EffectClass::Idempotent), &world, &self.gate),
                guarded(spec("send").effect(once()), &world, &self.gate),
            ])
            .budget(Budget::unlimited().time(LIMIT))
            .build()
            .unwrap()
    }

    /// Lets time pass in parts that a clock wakes the run for.
    async fn pass(&self, time: Duration) {
        let mut left = time;
        while !left.is_zero() {
            let part = left.min(10 * SECOND);
            self.clock.until_asleep(1).await;
            self.clock.advance(part);
            // What was woken has its turn.
            tokio::task::yield_now().await;
            left -= part;
        }
    }

    /// Runs or resumes it for so long, and leaves it; gives the run that came to rest.
    async fn work(&mut self, calls: usize, time: Duration, leave: Leave) -> Option<Run> {
        let (agent, control) = (self.agent(), Control::default());
        let request = match self.arrived {
            0 => agent.run("go").in_session("s"),
            _ => agent.resume("s"),
        };
        self.arrived += calls;
        let before = self.clock.now().mono;
        let pass = async {
            self.gate.arrived(self.arrived).await;
            self.pass(time).await;
            if leave == Leave::Interrupt {
                control.interrupt.cancel();
                std::future::pending().await
            }
        };
        let run = tokio::select! {
            biased;
            run = request.control(control.clone()).outcome() => Some(run.unwrap()),
            () = pass => None,
        };
        self.worked += Duration::from(self.clock.now().mono.since(before));
        run
    }

    /// The call that may not run twice is in doubt: the run pauses, and a person says that it
    /// shall run again, much later.
    async fn pause(&self) {
        let agent = self.agent();
        let run = agent.resume("s").outcome().await.unwrap();
        assert_eq!(run.status(), ExecutionStatus::AwaitingApproval);
        self.clock.advance(1_000 * SECOND);
        let id = run.state().pending()[0].id.clone();
        let answer = Answer::new(id, Verdict::RunAgain);
        let answered = agent.session("s").answer(answer).await.unwrap();
        assert!(matches!(answered, Delivery::TakenUp(_)), "{answered:?}");
    }

    /// Ten pauses, interrupts and kills in one step, each after so much work; gives the run
    /// that came to its end by itself.
    async fn ten(&mut self, time: Duration) -> Option<Run> {
        // Each pause follows the kill that leaves the call in doubt.
        for _ in 0..3 {
            if let Some(run) = self.work(2, time, Leave::Kill).await {
                return Some(run);
            }
            self.pause().await;
        }
        // An interrupt answers the call that may not run twice: from then on the other waits.
        let lefts = [Leave::Interrupt, Leave::Kill, Leave::Interrupt, Leave::Kill];
        for (at, leave) in lefts.into_iter().enumerate() {
            let run = self.work(if at == 0 { 2 } else { 1 }, time, leave).await;
            if let Some(run) = run.filter(|run| run.status() != ExecutionStatus::InProgress) {
                return Some(run);
            }
            if leave == Leave::Interrupt {
                self.clock.advance(1_000 * SECOND);
            }
        }
        None
    }
}

#[tokio::test]
async fn s1_8_ten_pauses_interrupts_and_kills_in_one_step_count_all_of_its_work_once() {
    for time in [1, 5, 9, 12] {
        let mut long = Long::new();
        assert!(long.ten(time * SECOND).await.is_none(), "{time} s");
        long.gate.open();
        let run = long.agent().resume("s").await.unwrap();
        assert_eq!((run.status(), &*run.text()), (ExecutionStatus::Completed, "done"));
        assert_eq!(run.state().ledger().spent.active_time, Micros::from(7 * time * SECOND));
        let took: Vec<_> = run.state().step_results().map(|result| result.took).collect();
        assert_eq!(took, [Micros::from(7 * time * SECOND), Micros::ZERO]);
        assert_eq!(long.worked, 7 * time * SECOND);
    }
}

#[tokio::test]
async fn s1_8_s3_2_ten_pauses_interrupts_and_kills_in_one_step_do_not_stretch_its_limit() {
    for time in [15, 18, 23, 40, 101] {
        let mut long = Long::new();
        let run = long.ten(time * SECOND).await.unwrap();
        assert_eq!(run.status(), ExecutionStatus::Stopped);
        assert_eq!(run.continuation().unwrap().stop_reason(), Some(&StopReason::TimeLimit));
        // One stretch at most was not committed when a run was killed.
        assert!(long.worked <= LIMIT + 10 * SECOND, "each {time} s: {:?}", long.worked);
        assert!(long.worked >= LIMIT - 10 * SECOND, "each {time} s: {:?}", long.worked);
    }
}

/// Makes steps by hand, and drops the first one after four seconds in its calls.
#[tokio::test]
async fn s1_8_s4_3_the_time_between_two_calls_of_next_is_no_time_at_work() {
    let long = Long::new();
    let mut run = long.agent().run("go").in_session("s").open().await.unwrap();
    long.clock.advance(1_000 * SECOND);
    let pass = async {
        long.gate.arrived(2).await;
        long.pass(4 * SECOND).await;
    };
    tokio::select! {
        biased;
        _ = run.next() => unreachable!("it waits at the gate"),
        () = pass => {}
    }
    long.clock.advance(1_000 * SECOND);
    let paused = run.next().await.unwrap();
    assert!(paused.is_none(), "a call is in doubt");
    assert_eq!(run.state().status(), Some(&ExecutionStatus::AwaitingApproval));
    assert_eq!(run.state().ledger().spent.active_time, Micros::from(4 * SECOND));
    drop(run);

    long.pause().await;
    let mut run = long.agent().resume("s").open().await.unwrap();
    long.clock.advance(1_000 * SECOND);
    long.gate.open();
    while run.next().await.unwrap().is_some() {
        long.clock.advance(1_000 * SECOND);
    }
    assert_eq!(run.state().status(), Some(&ExecutionStatus::Completed));
    assert_eq!(run.state().ledger().spent.active_time, Micros::from(4 * SECOND));
}

#[tokio::test]
async fn s1_8_what_was_worked_before_the_last_commit_of_a_killed_run_is_charged() {
    let (clock, asked, called) = (VirtualClock::new(), Gate::new(), Gate::new());
    let model = ScriptedModel::new([Turn::call("send", json!({"n": 1})).behind(&asked)]);
    let agent = Agent::builder(model)
        .clock(Arc::new(clock.clone()))
        .store_in(Arc::new(MemoryStore::new()))
        .tools([guarded(spec("send").effect(once()), &World::default(), &called)])
        .build()
        .unwrap();
    let pass = async {
        asked.arrived(1).await;
        // Too little to be charged with the commit of the intent.
        clock.advance(SECOND / 2);
        asked.open();
        called.arrived(1).await;
        clock.until_asleep(1).await;
        clock.advance(SECOND / 4);
    };
    tokio::select! {
        biased;
        _ = agent.run("go").in_session("s") => unreachable!("it waits at the gate"),
        () = pass => {}
    }
    let run = agent.resume("s").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::AwaitingApproval);
    assert_eq!(run.state().ledger().spent.active_time, Micros::from(SECOND * 3 / 4));
}

#[tokio::test]
async fn s1_8_work_beside_a_subagent_that_waits_is_charged_though_its_run_is_killed() {
    let (clock, store) = (VirtualClock::new(), MemoryStore::new());
    let (short, long) = (Gate::new(), Gate::new());
    let calls = [("short", json!({"n": 1})), spawn("a", "go"), ("long", json!({"n": 2}))];
    let child = scripted("x:child", [Turn::text("well")]);
    let tool = |name: &str, gate: &Gate| {
        guarded(spec(name).effect(EffectClass::Idempotent), &World::default(), gate)
    };
    let agent = Agent::builder(ScriptedModel::new([Turn::calls(calls), Turn::text("done")]))
        .clock(Arc::new(clock.clone()))
        .store_in(Arc::new(store.clone()))
        .tools([tool("short", &short), tool("long", &long)])
        .subagent(Subagent::new("a", "Works.", "").model(child))
        .build()
        .unwrap();
    // Another process has the subagent's session, so the call that spawned it waits.
    let held = store.claim(&"s.5-1".into()).await.unwrap();
    let session = SessionId::from("s");
    let pass = async {
        short.arrived(1).await;
        long.arrived(1).await;
        clock.until_asleep(1).await;
        // Too little to be charged with the commit of the short call.
        clock.advance(SECOND / 2);
        short.open();
        let is_paused = || async {
            let state = store.read(&session, Range::ALL).await.unwrap().journal.fold(&session);
            state.status() == Some(&ExecutionStatus::AwaitingApproval)
        };
        while !is_paused().await {
            tokio::task::yield_now().await;
        }
        clock.until_asleep(1).await;
        clock.advance(SECOND / 4);
    };
    tokio::select! {
        biased;
        _ = agent.run("go").in_session("s") => unreachable!("it waits at the gate"),
        () = pass => {}
    }
    drop(held);
    long.open();
    let run = agent.resume("s").await.unwrap();
    assert_eq!(run.text(), "done");
    assert_eq!(run.state().ledger().spent.active_time, Micros::from(SECOND * 3 / 4));
}

#[tokio::test]
async fn s1_8_what_was_worked_before_a_call_ended_is_charged_with_what_follows() {
    let (clock, short, long) = (VirtualClock::new(), Gate::new(), Gate::new());
    let store = MemoryStore::new();
    let calls = [("short", json!({"n": 1})), ("long", json!({"n": 2}))];
    let tool = |name: &str, gate: &Gate| {
        guarded(spec(name).effect(EffectClass::Idempotent), &World::default(), gate)
    };
    let agent = Agent::builder(ScriptedModel::new([Turn::calls(calls), Turn::text("done")]))
        .clock(Arc::new(clock.clone()))
        .store_in(Arc::new(store.clone()))
        .tools([tool("short", &short), tool("long", &long)])
        .build()
        .unwrap();
    let session = SessionId::from("s");
    let has = async |kind: &str| {
        let journal = store.read(&session, Range::ALL).await.unwrap().journal;
        journal.entries().iter().any(|entry| entry.event.kind() == kind)
    };
    let pass = async {
        long.arrived(1).await;
        clock.until_asleep(1).await;
        // Too little to be charged with the commit of the short call.
        clock.advance(SECOND * 9 / 10);
        short.open();
        while !has("tool_finished").await {
            tokio::task::yield_now().await;
        }
        clock.until_asleep(1).await;
        clock.advance(SECOND * 91 / 10);
        clock.until_asleep(1).await;
    };
    tokio::select! {
        biased;
        _ = agent.run("go").in_session("s") => unreachable!("it waits at the gate"),
        () = pass => {}
    }
    let charged =
        store.read(&session, Range::ALL).await.unwrap().journal.fold(&session).ledger().spent;
    assert_eq!(charged.active_time, Micros::from(10 * SECOND));
}

#[tokio::test]
async fn s1_8_a_run_that_is_killed_after_it_answered_what_was_in_doubt_is_charged() {
    let mut long = Long::new();
    assert!(long.work(2, SECOND, Leave::Kill).await.is_none());
    let agent = long.agent();
    assert_eq!(
        agent.resume("s").outcome().await.unwrap().status(),
        ExecutionStatus::AwaitingApproval
    );
    let pass = async {
        long.gate.arrived(3).await;
        long.pass(SECOND).await;
    };
    tokio::select! {
        biased;
        _ = agent.resume("s").on_doubt(OnDoubt::Tell) => unreachable!("it waits at the gate"),
        () = pass => {}
    }
    long.gate.open();
    let run = agent.resume("s").await.unwrap();
    assert_eq!(run.state().ledger().spent.active_time, Micros::from(2 * SECOND));
}

#[tokio::test]
async fn s1_6_s1_8_work_beside_a_subagent_that_waits_is_charged_though_the_driver_panics() {
    let (clock, store, gate) = (VirtualClock::new(), MemoryStore::new(), Gate::new());
    let calls = [spawn("a", "go"), ("wait", json!({"n": 1}))];
    let child = scripted("x:child", [Turn::text("well")]);
    let wait = spec("wait").effect(EffectClass::ReadOnly);
    let agent = Agent::builder(ScriptedModel::new([Turn::calls(calls)]))
        .driver(stepping(|state, cx| {
            Box::pin(async move {
                ToolCalling.use_tools(state, cx).await?;
                panic!("no power");
            })
        }))
        .clock(Arc::new(clock.clone()))
        .store_in(Arc::new(store.clone()))
        .tool(guarded(wait, &World::default(), &gate))
        .subagent(Subagent::new("a", "Works.", "").model(child))
        .build()
        .unwrap();
    // Another process has the subagent's session, so the call that spawned it waits.
    let _held = store.claim(&"s.5-0".into()).await.unwrap();
    let pass = async {
        gate.arrived(1).await;
        clock.until_asleep(1).await;
        // Too little to be charged with the commit of the call.
        clock.advance(SECOND / 2);
        gate.open();
    };
    let run =
        tokio::join!(async { agent.run("go").in_session("s").outcome().await }, pass).0.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Failed);
    assert_eq!(run.state().ledger().spent.active_time, Micros::from(SECOND / 2));
}
