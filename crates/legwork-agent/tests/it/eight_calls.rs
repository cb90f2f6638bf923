//! Eight calls in one turn that depend on each other in every way: killed, and steered, at each
//! boundary.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::FutureExt as _;
use legwork_agent::memory::MemoryStore;
use legwork_agent::toolset::{Ask, Tools, ToolsetExt as _};
use legwork_agent::{Agent, Error};
use legwork_core::inbox::{Answer, Item, Verdict};
use legwork_core::state::{Pending, PendingReason};
use legwork_core::tool::{ExecutionMode, FailureKind};
use legwork_core::{
    AgentState, EffectClass, Entry, Event, ExecutionStatus, Message, Seq, SessionId, ToolOutcome,
};
use legwork_port::{Store, Tool};
use legwork_testkit::{ScriptedModel, Turn, VirtualClock, crash};
use serde_json::json;

use crate::meddled::{Meddled, Meddler};
use crate::tools::{World, keyed, made, noting, said, spec};

const NAMES: [&str; 8] = ["look", "fail", "stamp", "slow", "send", "render", "stamp", "look"];

/// Notes its key once, alone among the calls of its turn.
fn stamp(world: &World) -> Arc<dyn Tool> {
    let world = world.clone();
    let spec = spec("stamp").effect(EffectClass::Idempotent).mode(ExecutionMode::Sequential);
    made(spec, move |arguments, cx| {
        let note = format!("stamp {}", cx.key);
        if world.count(&note) == 0 {
            world.note(note);
        }
        Box::pin(std::future::ready(ToolOutcome::value(arguments["n"].clone())))
    })
}

/// Answers for a person and for a service.
async fn answers(pending: Pending, _: AgentState) -> Option<Answer> {
    match pending.reason {
        PendingReason::Approval => Some(Answer::approve(&pending)),
        PendingReason::External => Some(Answer::supply(&pending, json!("a picture"))),
        _ => None,
    }
}

fn agent(world: &World, store: Arc<dyn Store>) -> Result<Agent, Error> {
    let calls = (1..).zip(NAMES).map(|(n, name)| (name, json!({"n": n})));
    let fail = made(spec("fail").effect(EffectClass::ReadOnly), |_, _| {
        Box::pin(std::future::ready(ToolOutcome::failed("no such file")))
    });
    let slow = spec("slow").effect(EffectClass::ReadOnly).timeout(Duration::from_secs(5));
    let slow = made(slow, |_, _| Box::pin(std::future::pending()));
    let render = made(spec("render").effect(EffectClass::Idempotent), |_, _| {
        Box::pin(std::future::ready(ToolOutcome::deferred()))
    });
    let asked = Tools::new("asked", [keyed("send", world)]).approval_required(Ask::always());
    // Who steers at the end is answered once more.
    let turns = [Turn::calls(calls), Turn::text("done"), Turn::text("done")];
    Agent::builder(ScriptedModel::new(turns))
        .tools([noting("look", EffectClass::ReadOnly, world), fail, stamp(world), slow, render])
        .toolset(asked)
        .approver(answers)
        .clock(Arc::new(VirtualClock::auto()))
        .store_in(store)
        .build()
}

/// Each call has one result, in call order, and what may not happen twice did not.
fn sound(ended: &crash::Ended<World>) -> Result<(), String> {
    if ended.state.status() != Some(&ExecutionStatus::Completed) {
        return Err(format!("status {:?}", ended.state.status()));
    }
    let step = &ended.state.step_results().next().ok_or("no step")?.step;
    let names: Vec<_> = step.tool_executions().map(|it| it.call.name.to_string()).collect();
    if names != NAMES {
        return Err(format!("answered {names:?}"));
    }
    let notes = ended.world.notes();
    once_each(&notes)?;
    for journal in ended.journals.values() {
        answered_once(journal.entries())?;
    }
    Ok(())
}

/// What may not happen twice did not.
fn once_each(notes: &[String]) -> Result<(), String> {
    for name in ["stamp", "send"] {
        let mut keys: Vec<_> = notes.iter().filter(|note| note.starts_with(name)).collect();
        let all = keys.len();
        keys.sort();
        keys.dedup();
        if keys.len() != all {
            return Err(format!("twice: {notes:?}"));
        }
    }
    Ok(())
}

/// No call has two answers in a journal: an outcome, a result from outside, or a denial.
fn answered_once(entries: &[Arc<Entry>]) -> Result<(), String> {
    let mut answered = BTreeSet::new();
    for entry in entries {
        let index = match &entry.event {
            Event::ToolFinished(finished) => finished.index,
            Event::Answered(answered) => match &answered.answer.verdict {
                // The body of a call that was approved has its own outcome.
                Verdict::Approve(_) | Verdict::RunAgain => continue,
                _ => answered.answer.id.rsplit('/').next().unwrap().parse().unwrap(),
            },
            _ => continue,
        };
        if !answered.insert(index) {
            return Err(format!("call {index} was answered twice"));
        }
    }
    Ok(())
}

#[tokio::test]
async fn s7_2_eight_calls_end_the_same_wherever_the_process_dies() {
    let report = crash::simulate("go", agent).crash_everywhere().await.unwrap();
    let plain = said(&report.plain.state);
    sound(&report.plain).unwrap();
    let timeout =
        report.plain.state.step_results().next().unwrap().step.calls.get(3).unwrap().clone();
    assert!(matches!(&*timeout.execution().unwrap().outcome,
        ToolOutcome::Failed(kind, _) if *kind == FailureKind::Timeout));
    assert_eq!((&*plain[5], &*plain[6]), ("5", "a picture"));
    assert!(report.crashed.len() >= 12, "{} crashes", report.crashed.len());
    report.check(|_, crashed| {
        sound(crashed)?;
        match said(&crashed.state) == plain {
            true => Ok(()),
            false => Err(format!("{:?} instead of {plain:?}", said(&crashed.state))),
        }
    });
}

/// Steers the session as its n-th batch is appended.
struct Steers {
    store: Arc<dyn Store>,
    at: usize,
    appended: AtomicUsize,
}

impl Meddler for Steers {
    fn hangs(&self, session: &SessionId, _: Seq, _: &[Arc<Entry>]) -> bool {
        if self.appended.fetch_add(1, Ordering::SeqCst) + 1 == self.at {
            let item = Item::Steer(Arc::new(Message::user("be brief")));
            self.store.post(session, "steer", &item).now_or_never().unwrap().unwrap();
        }
        false
    }
}

/// An agent which somebody steers as its n-th batch is appended, in each process anew.
fn steered(world: &World, store: Arc<dyn Store>, at: usize) -> Result<Agent, Error> {
    let steers = Steers { store: Arc::clone(&store), at, appended: AtomicUsize::new(0) };
    agent(world, Arc::new(Meddled::of(Arc::new(steers), store)))
}

#[tokio::test]
async fn s7_2_s7_5_eight_calls_are_each_answered_once_wherever_somebody_steers_and_it_dies() {
    for at in 1..=14 {
        let simulated = crash::simulate("go", move |world, store| steered(world, store, at));
        let report = simulated.crash_everywhere().await.unwrap();
        report.check(|_, crashed| {
            once_each(&crashed.world.notes())?;
            for journal in crashed.journals.values() {
                answered_once(journal.entries())?;
            }
            let all = said(&crashed.state);
            let heard = all.iter().filter(|text| *text == "be brief").count();
            let step = &crashed.state.step_results().next().ok_or("no step")?.step;
            let answers = step.tool_executions().count();
            match (heard, answers) {
                (0 | 1, 8) => Ok(()),
                _ => Err(format!("{answers} answers, steered {heard} times: {all:?}")),
            }
        });
    }
}

#[tokio::test]
async fn s7_5_eight_calls_are_each_answered_once_wherever_somebody_steers() {
    let mut skipped = 0;
    for at in 1.. {
        let (world, store) = (World::default(), MemoryStore::new());
        let steers =
            Arc::new(Steers { store: Arc::new(store.clone()), at, appended: AtomicUsize::new(0) });
        let meddled = Meddled::by(Arc::clone(&steers) as Arc<dyn Meddler>, &store);
        let agent = agent(&world, Arc::new(meddled)).unwrap();
        let run = agent.run("go").in_session("s").await.unwrap();
        if steers.appended.load(Ordering::SeqCst) < at {
            break;
        }
        assert_eq!(run.text(), "done", "steered at {at}");
        let all = said(run.state());
        assert_eq!(all.iter().filter(|text| *text == "be brief").count(), 1, "at {at}: {all:?}");
        once_each(&world.notes()).unwrap();
        answered_once(agent.session("s").journal().await.unwrap().entries()).unwrap();
        let step = &run.state().step_results().next().unwrap().step;
        assert_eq!(step.tool_executions().count(), 8);
        for (index, it) in (0..).zip(step.tool_executions()) {
            // A call that was skipped did not run, and one that has a result did.
            let (name, end) = (&*it.call.name, format!("/{index}"));
            let notes = world.notes();
            let noted = notes.iter().filter(|note| note.starts_with(name) && note.ends_with(&end));
            let noted = noted.count();
            let ran = matches!(&*it.outcome, ToolOutcome::Ok(_));
            if ["stamp", "send"].contains(&name) {
                assert_eq!(noted, usize::from(ran), "{name} {index} at {at}: {:?}", it.outcome);
            }
        }
        let skips = step
            .tool_executions()
            .filter(|it| matches!(&*it.outcome, ToolOutcome::Skipped(why) if why.contains("said")));
        let skips = skips.count();
        skipped += skips;
        if skips > 0 {
            // What was said is what the next inference hears, behind the results.
            assert_eq!(all.iter().position(|text| text == "be brief"), Some(9), "{all:?}");
        }
    }
    assert!(skipped > 8, "only {skipped} calls were skipped in all");
}
