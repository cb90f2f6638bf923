//! What holds of the world when a program was played.

use std::collections::BTreeMap;

use futures_util::future::FutureExt as _;
use legwork_core::event::Event;
use legwork_core::inbox::{Cursor, Verdict};
use legwork_core::{Micros, SessionId};
use legwork_port::Store as _;

use super::play::ROOT;
use super::program::{CriterionPlan, Goes, HookDoes, HookPlan, PartPlan, Program};
use super::world::World;
use crate::invariants::{Checked, Journals, hold, of_tree};

const ONCE: &str = "no call of class `Once` runs twice, unless a person says so (S6.7, S10.2)";
const SAME: &str = "a call that is run again has the same arguments (S10.2)";
const POSTED: &str = "what was left for a session is in its inbox, each by itself (S7.6)";
const STEPS: &str = "no step begins beyond the limit on steps (S3.2)";
const WORKED: &str = "time at work is charged, all of it and once (S1.8)";
const LIMIT: &str =
    "a limit of time is passed by one stretch without a commit at most (S1.8, S3.2)";
const PAID: &str = "what models used is in the root's ledger (S5.3, S5.4)";

/// The longest time at work that passes without a commit.
const STRETCH: Micros = Micros(10_000_000);

/// Holds journals, bodies and money against each other.
pub(super) fn of_world(world: &World) -> Checked {
    let journals = world.journals();
    of_tree(&journals)?;
    let again = run_again(&journals);
    let facts = world.facts();
    for (key, bodies) in &facts.bodies {
        let count = bodies.arguments.len();
        let allowed = 1 + again.get(key).copied().unwrap_or(0);
        hold!(ONCE, !bodies.once || count <= allowed, "{key} ran {count} times of {allowed}");
        let first = bodies.arguments.first();
        let same = bodies.arguments.iter().all(|arguments| Some(arguments) == first);
        hold!(SAME, same, "{key} ran with {:?}", bodies.arguments);
    }
    for (session, posted) in &facts.posted {
        let inbox = world.store().inbox(session, Cursor::default()).now_or_never();
        let there = inbox.and_then(Result::ok).map_or(0, |items| items.len());
        hold!(POSTED, there >= *posted, "{posted} were left for {session}, {there} are there");
    }
    let root = SessionId::new(ROOT);
    let ledger = journals.get(&root).map(|journal| journal.fold(&root).ledger().lifetime);
    let counted = ledger.map_or(0, |lifetime| lifetime.total_tokens());
    let used = facts.used;
    hold!(PAID, counted >= used, "{used} tokens were used, the ledger has {counted}");
    Ok(())
}

/// Holds the steps of the root against its limit; the number of a criterion replaces
/// that of the budget.
pub(super) fn of_steps(program: &Program, world: &World) -> Checked {
    let own = program.criteria.iter().rev().find_map(|criterion| match criterion {
        CriterionPlan::Steps(most) => Some(*most),
        _ => None,
    });
    let budget = program.agents.first().and_then(|agent| agent.budget.as_ref());
    let Some(most) = own.or_else(|| budget.map_or(Some(12), |budget| budget.steps)) else {
        return Ok(());
    };
    let mut steps = 0;
    for entry in world.journal(&SessionId::new(ROOT)).entries() {
        match &entry.event {
            Event::ExecutionStarted(_) => steps = 0,
            Event::InferenceStarted(started) => steps += started.reserved.steps,
            _ => {}
        }
        hold!(STEPS, steps <= most, "entry {} begins step {steps} of {most}", entry.seq);
    }
    Ok(())
}

/// Holds time at work against the time that passed: all of it is charged, once. Where no
/// process lived for a time, one stretch is charged for it at most. What passes while an
/// append takes its time may be lost with its process. A limit of time cuts no hook and no
/// toolset (S3.2): one that hangs below a parent, whose clock goes on, passes any limit.
pub(super) fn of_time(program: &Program, world: &World) -> Checked {
    let facts = world.facts();
    let time = &facts.time;
    let gaps = Micros(STRETCH.0 * time.gaps);
    for (session, journal) in world.journals() {
        let ledger = journal.fold(&session).ledger().clone();
        let uncut = session.as_str() != ROOT && hangs(program);
        let Some(limit) = ledger.budget.active_time.filter(|_| !uncut) else { continue };
        let (used, most) =
            (ledger.spent.active_time, limit.plus(STRETCH).plus(time.leaps).plus(gaps));
        hold!(LIMIT, used <= most, "{session} worked {used} of {limit}");
    }
    let root = SessionId::new(ROOT);
    let charged = world.journal(&root).fold(&root).ledger().lifetime.active_time;
    // A journal has milliseconds.
    let blur = Micros(1_000 * time.lives);
    let slow = program.pace.iter().any(|turns| *turns > 0);
    let lost = if slow { Micros(STRETCH.0 * time.lives.saturating_sub(1)) } else { Micros::ZERO };
    let least = time.alive.since(time.leaps).since(lost);
    hold!(WORKED, charged.plus(blur) >= least, "{charged} of {} are charged", time.alive);
    let most = time.alive.plus(gaps).plus(blur);
    hold!(WORKED, charged <= most, "{charged} are charged of {}", time.alive);
    Ok(())
}

/// Whether a hook or a toolset of a subagent may never return.
fn hangs(program: &Program) -> bool {
    let part = |plan: &PartPlan| plan.goes == Goes::Hangs;
    let hook = |plan: &HookPlan| plan.inherited && plan.does == HookDoes::Stall;
    program.parts.iter().any(part) || program.hooks.iter().any(hook)
}

/// How often people said that a call shall run again, by its key.
fn run_again(journals: &Journals) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for journal in journals.values() {
        for entry in journal.entries() {
            if let Event::Answered(answered) = &entry.event
                && answered.answer.verdict == Verdict::RunAgain
            {
                *counts.entry(answered.answer.id.clone()).or_default() += 1;
            }
        }
    }
    counts
}
