//! Active time: it is charged whatever ends a run, and cuts off what would go on for ever.

use std::sync::Arc;
use std::time::Duration;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Builder, Control, Run, Subagent};
use legwork_core::continuation::{CumulativeTimeLimit, TimeLimit};
use legwork_core::tool::ExecutionMode;
use legwork_core::{
    AgentState, Budget, Criterion, Decision, EffectClass, ExecutionStatus, Micros, StopReason,
    Timestamp, ToolOutcome,
};
use legwork_port::Clock as _;
use legwork_testkit::{Gate, ScriptedModel, Turn, VirtualClock};
use serde_json::json;

use crate::subagents::{child_of, spawn, state_of};
use crate::tools::{World, guarded, noting, once, outcomes, said, spec};

const SECOND: Duration = Duration::from_secs(1);

fn builder(model: &ScriptedModel, clock: &VirtualClock, store: &MemoryStore) -> Builder {
    Agent::builder(model.clone()).clock(Arc::new(clock.clone())).store_in(Arc::new(store.clone()))
}

fn active(run: &Run) -> Duration {
    run.state().ledger().spent.active_time.into()
}

fn stopped_in_time(run: &Run) {
    assert_eq!(run.status(), ExecutionStatus::Stopped);
    assert_eq!(run.continuation().unwrap().stop_reason(), Some(&StopReason::TimeLimit));
}

#[tokio::test]
async fn s3_2_a_tool_without_a_limit_ends_when_the_time_is_up_and_what_was_finished_stays() {
    let (clock, never) = (VirtualClock::new(), Gate::new());
    let two = [("look", json!({"n": 1})), ("hang", json!({"n": 2})), ("late", json!({"n": 3}))];
    let model = ScriptedModel::new([Turn::calls(two), Turn::text("never")]);
    let world = World::default();
    let agent = builder(&model, &clock, &MemoryStore::new())
        .tools([
            noting("look", EffectClass::ReadOnly, &world),
            guarded(spec("hang").effect(EffectClass::ReadOnly), &world, &never),
            guarded(spec("late").mode(ExecutionMode::Sequential), &world, &never),
        ])
        .budget(Budget::unlimited().time(30 * SECOND))
        .build()
        .unwrap();
    let pass = async {
        never.arrived(1).await;
        for _ in 0..3 {
            clock.until_asleep(1).await;
            clock.advance(10 * SECOND);
        }
    };
    let run = tokio::join!(agent.run("go").outcome(), pass).0.unwrap();
    stopped_in_time(&run);
    let all = outcomes(run.state());
    assert_eq!(all[..2], [ToolOutcome::value(json!(1)), ToolOutcome::Interrupted]);
    assert!(matches!(&all[2], ToolOutcome::Skipped(why) if why.contains("time_limit")), "{all:?}");
    assert_eq!(world.notes(), ["look 1", "hang 2 began", "hang 2 dropped"]);
    assert_eq!(active(&run), 30 * SECOND);
    assert_eq!(model.requests().len(), 1);
}

#[tokio::test]
async fn s3_2_a_model_that_never_comes_to_an_end_is_left_when_the_time_is_up() {
    let limits = [(Budget::unlimited().time(25 * SECOND), None), (Budget::unlimited(), Some(25))];
    for (budget, own) in limits {
        let clock = VirtualClock::auto();
        let model = ScriptedModel::new([Turn::stall()]);
        let mut agent = builder(&model, &clock, &MemoryStore::new()).budget(budget);
        if let Some(own) = own {
            agent = agent.criterion(CumulativeTimeLimit::at(own * SECOND));
        }
        let run = agent.build().unwrap().run("go").outcome().await.unwrap();
        stopped_in_time(&run);
        assert_eq!((active(&run), said(run.state())), (25 * SECOND, vec!["go".to_owned()]));
        assert!(run.state().ledger().reserved.is_empty());
    }
}

#[tokio::test]
async fn s5_1_the_deadline_cuts_off_what_is_under_way() {
    let (clock, gate) = (VirtualClock::auto(), Gate::new());
    let model = ScriptedModel::new([Turn::text("slowly, very slowly").halting(&gate)]);
    let deadline = Timestamp(clock.now().wall.0 + 12_345);
    let agent = builder(&model, &clock, &MemoryStore::new())
        .budget(Budget::unlimited().deadline(deadline))
        .build()
        .unwrap();
    let run = agent.run("go").outcome().await.unwrap();
    stopped_in_time(&run);
    assert_eq!(clock.now().wall, deadline);
    assert!(run.continuation().unwrap().explain().contains("the deadline has passed"));
}

#[tokio::test]
async fn s3_6_without_the_criterion_time_at_work_cuts_nothing_off() {
    let (clock, gate) = (VirtualClock::new(), Gate::new());
    let model = ScriptedModel::new([Turn::text("done").behind(&gate)]);
    let agent = builder(&model, &clock, &MemoryStore::new())
        .criterion(TimeLimit::at(10_000 * SECOND))
        .build()
        .unwrap();
    let pass = async {
        gate.arrived(1).await;
        for _ in 0..50 {
            clock.until_asleep(1).await;
            clock.advance(10 * SECOND);
        }
        gate.open();
    };
    let run = tokio::join!(agent.run("go"), pass).0.unwrap();
    assert_eq!((run.status(), active(&run)), (ExecutionStatus::Completed, 500 * SECOND));
    assert_eq!(run.state().last_step_result().unwrap().took, Micros(500_000_000));
}

/// A call that waits for ever, in a session with a limit of active time.
struct Long {
    clock: VirtualClock,
    store: MemoryStore,
    gate: Gate,
    effect: EffectClass,
}

impl Long {
    const LIMIT: Duration = Duration::from_secs(100);

    fn agent(&self) -> Agent {
        let model = ScriptedModel::new([Turn::call("hang", json!({"n": 1})), Turn::text("done")]);
        builder(&model, &self.clock, &self.store)
            .tools([guarded(spec("hang").effect(self.effect), &World::default(), &self.gate)])
            .budget(Budget::unlimited().time(Self::LIMIT))
            .build()
            .unwrap()
    }

    /// Runs or resumes it for so long, and kills it then; gives the run if it came to an end
    /// by itself.
    async fn work(&self, turn: usize, time: Duration) -> Option<Run> {
        let agent = self.agent();
        let run = match turn {
            0 => agent.run("go").in_session("s"),
            _ => agent.resume("s"),
        };
        let pass = async {
            self.gate.arrived(turn + 1).await;
            let mut left = time;
            while !left.is_zero() {
                let part = left.min(10 * SECOND);
                self.clock.until_asleep(1).await;
                self.clock.advance(part);
                // What was woken has its turn.
                tokio::task::yield_now().await;
                left -= part;
            }
        };
        tokio::select! {
            biased;
            run = run.outcome() => Some(run.unwrap()),
            () = pass => None,
        }
    }
}

#[tokio::test]
async fn s1_8_runs_that_are_killed_in_one_long_step_do_not_stretch_a_limit_of_time() {
    for time in [3, 7, 10, 25, 42] {
        let (clock, store) = (VirtualClock::new(), MemoryStore::new());
        let effect = EffectClass::Idempotent;
        let long = Long { clock, store, gate: Gate::new(), effect };
        let mut worked = Duration::ZERO;
        for turn in 0..60 {
            let before = long.clock.now().mono;
            let ended = long.work(turn, time * SECOND).await;
            worked += Duration::from(long.clock.now().mono.since(before));
            if let Some(run) = ended {
                stopped_in_time(&run);
                break;
            }
            assert!(worked < 2 * Long::LIMIT, "killed each {time} s it works for ever");
        }
        // What is not charged is at most one stretch that was not committed.
        assert!(worked <= Long::LIMIT + 10 * SECOND, "each {time} s: {worked:?}");
    }
}

#[tokio::test]
async fn s1_8_each_interrupt_charges_what_its_run_worked() {
    let (clock, store) = (VirtualClock::new(), MemoryStore::new());
    let gate = Gate::new();
    let long = Long { clock, store, gate, effect: EffectClass::Idempotent };
    for turn in 0..10 {
        let (agent, control) = (long.agent(), Control::default());
        let request = match turn {
            0 => agent.run("go").in_session("s"),
            _ => agent.resume("s"),
        };
        let pass = async {
            long.gate.arrived(turn + 1).await;
            long.clock.until_asleep(1).await;
            long.clock.advance(4 * SECOND);
            control.interrupt.cancel();
        };
        let run = request.control(control.clone());
        let run = tokio::join!(run.outcome(), pass).0.unwrap();
        assert_eq!(run.status(), ExecutionStatus::InProgress);
        let expected = (u32::try_from(turn).unwrap() + 1) * 4 * SECOND;
        assert_eq!(active(&run), expected, "turn {turn}");
        // Nobody works meanwhile.
        long.clock.advance(1_000 * SECOND);
    }
    long.gate.open();
    let run = long.agent().resume("s").await.unwrap();
    assert_eq!((run.status(), active(&run)), (ExecutionStatus::Completed, 40 * SECOND));
    let took: Vec<_> = run.state().step_results().map(|result| result.took).collect();
    assert_eq!(took, [Micros(40_000_000), Micros::ZERO], "a step knows all of its time");
}

#[tokio::test]
async fn s1_8_a_pause_charges_what_was_worked_before_it_and_nothing_of_the_wait() {
    let (clock, store) = (VirtualClock::new(), MemoryStore::new());
    let (gate, world) = (Gate::new(), World::default());
    let two = [("hang", json!({"n": 1})), ("send", json!({"n": 2}))];
    let model = ScriptedModel::new([Turn::calls(two), Turn::text("done")]);
    let agent = builder(&model, &clock, &store)
        .tools([
            guarded(spec("hang").effect(EffectClass::Idempotent), &world, &gate),
            guarded(spec("send").effect(once()), &world, &gate),
        ])
        .budget(Budget::unlimited().time(Long::LIMIT))
        .build()
        .unwrap();
    let pass = async {
        gate.arrived(2).await;
        clock.until_asleep(1).await;
        clock.advance(5 * SECOND);
    };
    tokio::select! {
        biased;
        _ = agent.run("go").in_session("s") => unreachable!("it waits at the gate"),
        () = pass => {}
    }
    // It was killed five seconds after its last commit, and found so twenty later.
    clock.advance(20 * SECOND);
    let run = agent.resume("s").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::AwaitingApproval);
    assert_eq!(active(&run), 10 * SECOND, "at most what may pass without a commit");
    clock.advance(5_000 * SECOND);
    let run = agent.resume("s").outcome().await.unwrap();
    assert_eq!((run.status(), active(&run)), (ExecutionStatus::AwaitingApproval, 10 * SECOND));
    let entries = agent.session("s").journal().await.unwrap().entries().len();
    agent.resume("s").outcome().await.unwrap();
    assert_eq!(agent.session("s").journal().await.unwrap().entries().len(), entries);
}

#[tokio::test]
async fn s1_8_s5_4_a_subagent_that_goes_on_has_the_time_that_is_left_above() {
    let (clock, store, gate) = (VirtualClock::new(), MemoryStore::new(), Gate::new());
    let work = Turn::call("hang", json!({"n": 1}));
    let worker = ScriptedModel::new([work, Turn::text("ok")]).named("x:worker");
    let root = ScriptedModel::new([Turn::calls([spawn("a", "work")]), Turn::text("done")]);
    let hang = guarded(spec("hang").effect(EffectClass::ReadOnly), &World::default(), &gate);
    let agent = builder(&root, &clock, &store)
        .subagent(Subagent::new("a", "Works.", "").model(worker).tools([hang]))
        .budget(Budget::unlimited().time(25 * SECOND))
        .build()
        .unwrap();
    let control = Control::default();
    let first = agent.run("go").in_session("s").control(control.clone());
    let pass = async {
        gate.arrived(1).await;
        clock.advance(15 * SECOND);
        control.interrupt.cancel();
    };
    let run = tokio::join!(first.outcome(), pass).0.unwrap();
    assert_eq!((run.status(), active(&run)), (ExecutionStatus::InProgress, 15 * SECOND));
    // Both worked 15 seconds of the 25: ten are left to either, and it needs nine.
    let pass = async {
        gate.arrived(2).await;
        clock.advance(9 * SECOND);
        gate.open();
    };
    let run = tokio::join!(agent.resume("s"), pass).0.unwrap();
    let child = state_of(&store, &child_of(&store).await).await;
    assert_eq!(child.status(), Some(&ExecutionStatus::Completed), "{:?}", outcomes(run.state()));
    assert_eq!(child.ledger().spent.active_time, Micros::from(24 * SECOND));
    assert_eq!((run.status(), active(&run)), (ExecutionStatus::Completed, 24 * SECOND));
}

/// Says that no time is left, and forbids nothing.
struct Hurried;

impl Criterion for Hurried {
    fn name(&self) -> &'static str {
        "hurried"
    }

    fn decide(
        &self,
        _: &AgentState,
    ) -> Result<Option<Decision>, legwork_core::continuation::Error> {
        Ok(None)
    }

    fn time_left(&self, _: &AgentState) -> Option<Micros> {
        Some(Micros::ZERO)
    }
}

#[tokio::test]
async fn s3_2_time_that_is_up_cuts_nothing_off_where_no_criterion_forbids_to_go_on() {
    let (clock, store, gate) = (VirtualClock::new(), MemoryStore::new(), Gate::new());
    let model = ScriptedModel::new([Turn::call("hang", json!({"n": 1})), Turn::text("done")]);
    let hang = guarded(spec("hang").effect(EffectClass::ReadOnly), &World::default(), &gate);
    let agent = builder(&model, &clock, &store).criterion(Hurried).tools([hang]).build().unwrap();
    let pass = async {
        gate.arrived(1).await;
        clock.until_asleep(1).await;
        clock.advance(SECOND);
        gate.open();
    };
    let run = tokio::join!(agent.run("go"), pass).0.unwrap();
    assert_eq!((run.status(), &*run.text()), (ExecutionStatus::Completed, "done"));
    assert_eq!(outcomes(run.state()), [ToolOutcome::value(json!(1))]);
}
