//! Programs from seeds.

use fastrand::Rng;
use legwork_core::budget::MicroUsd;
use legwork_core::{Budget, Micros, OnDoubt};
use legwork_port::Trigger;

use super::program::{
    Act, AgentPart, AgentPlan, By, CallIds, CallPlan, CriterionPlan, Does, Go, Goes, HookDoes,
    HookPlan, Meanwhile, PartPlan, PostPlan, Program, Reply, Start, Stuck, To, ToolPlan, Trouble,
    TurnPlan, UsagePlan,
};
use crate::fault::{Fault, Operation};

impl Program {
    /// The program of a seed: the same seed gives the same program.
    pub fn generate(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let rng = &mut rng;
        let count = rng.usize(1..=3);
        let agents = (0..count).map(|at| agent(rng, at, count)).collect();
        let max_output = rng.u64(10..400);
        let hooks = some(rng, 3, hook);
        let pace = some(rng, 4, |rng| rng.usize(0..4));
        let criteria = some(rng, 2, criterion);
        let parts = maybe(rng, 30, |rng| some(rng, 3, part)).unwrap_or_default();
        let watched = rng.bool();
        let acts = (0..rng.usize(1..=4)).map(|at| act(rng, at)).collect();
        Self { agents, max_output, hooks, pace, criteria, parts, watched, acts }
    }
}

/// At most so many, fewer more often.
fn some<T>(rng: &mut Rng, most: usize, mut make: impl FnMut(&mut Rng) -> T) -> Vec<T> {
    let count = rng.usize(0..=most).min(rng.usize(0..=most));
    (0..count).map(|_| make(rng)).collect()
}

/// One of several, by weight.
fn one_of<T: Copy>(rng: &mut Rng, all: &[(u32, T)], default: T) -> T {
    let sum = all.iter().map(|(weight, _)| weight).sum::<u32>().max(1);
    let mut at = rng.u32(0..sum);
    for (weight, one) in all {
        if at < *weight {
            return *one;
        }
        at -= weight;
    }
    default
}

fn maybe<T>(rng: &mut Rng, percent: u32, make: impl FnOnce(&mut Rng) -> T) -> Option<T> {
    (rng.u32(0..100) < percent).then(|| make(rng))
}

fn agent(rng: &mut Rng, at: usize, count: usize) -> AgentPlan {
    let own = at == 0 || rng.u32(0..100) < 40;
    let turns = some(rng, 4, |rng| turn(rng, at, count));
    AgentPlan { budget: own.then(|| budget(rng)), turns }
}

fn budget(rng: &mut Rng) -> Budget {
    Budget {
        steps: Some(maybe(rng, 20, |rng| rng.u64(1..4)).unwrap_or(12)),
        tool_calls: maybe(rng, 15, |rng| rng.u64(0..6)),
        total_tokens: maybe(rng, 15, |rng| rng.u64(200..6_000)),
        input_tokens: maybe(rng, 10, |rng| rng.u64(200..4_000)),
        output_tokens: maybe(rng, 10, |rng| rng.u64(20..1_500)),
        cost: maybe(rng, 15, |rng| MicroUsd(rng.u64(200..6_000))),
        active_time: Some(Micros(active_time(rng))),
        ..Budget::unlimited()
    }
}

/// Active time: more than is used, most often; else shorter than a call, or than a few.
fn active_time(rng: &mut Rng) -> u64 {
    match rng.u32(0..100) {
        0..15 => rng.u64(1..900_000),
        15..30 => rng.u64(900_000..60_000_000),
        _ => 300_000_000,
    }
}

/// How long something takes, in milliseconds: seconds now and then.
fn millis(rng: &mut Rng, most: u64) -> u64 {
    match rng.u32(0..4) {
        0 => rng.u64(1..25_000),
        _ => rng.u64(1..most),
    }
}

fn criterion(rng: &mut Rng) -> CriterionPlan {
    let all = [
        (1, CriterionPlan::Steps(rng.u64(0..5))),
        (1, CriterionPlan::Tokens(rng.u64(0..2_000))),
        (1, CriterionPlan::Retries(rng.u32(0..4))),
        (1, CriterionPlan::ToolErrors(rng.u32(0..3))),
        (1, CriterionPlan::StopOnAny),
    ];
    one_of(rng, &all, CriterionPlan::StopOnAny)
}

fn part(rng: &mut Rng) -> PartPlan {
    let parts = [
        (1, AgentPart::Live),
        (1, AgentPart::Committed),
        (1, AgentPart::Criterion),
        (1, AgentPart::ErrorHandler),
        (1, AgentPart::Open),
        (1, AgentPart::Specs),
        (1, AgentPart::Request),
        (1, AgentPart::Read),
        (1, AgentPart::Step),
    ];
    let goes = [(2, Goes::Panics), (1, Goes::Fails), (1, Goes::Hangs)];
    let (part, goes) = (one_of(rng, &parts, AgentPart::Live), one_of(rng, &goes, Goes::Panics));
    PartPlan { part, nth: rng.usize(0..8), goes }
}

fn turn(rng: &mut Rng, at: usize, count: usize) -> TurnPlan {
    let usage = match rng.u32(0..10) {
        0 => UsagePlan::Silent,
        1 => UsagePlan::Percent(0, 0),
        2 => UsagePlan::Percent(100, 100),
        _ => UsagePlan::Percent(rng.u64(0..100), rng.u64(0..100)),
    };
    let ids = [(8, CallIds::Own), (1, CallIds::Same), (1, CallIds::Empty)];
    TurnPlan {
        before: maybe(rng, 25, |rng| some(rng, 3, trouble)).unwrap_or_default(),
        text: one_of(rng, &[(4, 5), (2, 0), (1, 40), (1, 4_000)], 0),
        calls: some(rng, 4, |rng| call(rng, at, count)),
        ids: one_of(rng, &ids, CallIds::Own),
        answers: rng.u32(0..40) == 0,
        usage,
    }
}

fn trouble(rng: &mut Rng) -> Trouble {
    let all = [
        (3, Trouble::Status(503)),
        (1, Trouble::Status(401)),
        (1, Trouble::Status(429)),
        (2, Trouble::Charged),
        (2, Trouble::Cut),
        (1, Trouble::Stall),
        (1, Trouble::Slow(millis(rng, 400))),
        (1, Trouble::Panic),
    ];
    one_of(rng, &all, Trouble::Cut)
}

fn call(rng: &mut Rng, at: usize, count: usize) -> CallPlan {
    let spawn = (at + 1 < count).then(|| ToolPlan::Spawn(rng.usize(at + 1..count)));
    let tools = [
        (3, ToolPlan::Look),
        (1, ToolPlan::Slow),
        (3, ToolPlan::Put),
        (2, ToolPlan::File),
        (3, ToolPlan::Send),
        (2, ToolPlan::Tell),
        (1, ToolPlan::Alone),
        (1, ToolPlan::Unknown),
        (if spawn.is_some() { 6 } else { 0 }, spawn.unwrap_or(ToolPlan::Look)),
    ];
    let does = [
        (12, Does::Answer),
        (1, Does::Retry),
        (1, Does::Fail),
        (1, Does::FailHard),
        (1, Does::Panic),
        (1, Does::Stall),
        (2, Does::Sleep(millis(rng, 200))),
        (1, Does::Charge(rng.u64(1..50))),
        (1, Does::Deep),
        (2, Does::Prompt),
        (1, Does::Misfit),
        (1, Does::NoJson),
    ];
    let tool = one_of(rng, &tools, ToolPlan::Look);
    CallPlan { tool, does: one_of(rng, &does, Does::Answer) }
}

fn hook(rng: &mut Rng) -> HookPlan {
    let does = [
        (3, HookDoes::Wait),
        (1, HookDoes::Note),
        (1, HookDoes::Say),
        (1, HookDoes::SayCall),
        (1, HookDoes::Fail),
        (1, HookDoes::Panic),
        (1, HookDoes::Stall),
        (1, HookDoes::Forge),
        (1, HookDoes::Stop),
        (1, HookDoes::Request),
        (1, HookDoes::Prevent),
        (1, HookDoes::Block),
        (1, HookDoes::Supply),
        (1, HookDoes::Deep),
        (2, HookDoes::Rewrite),
        (2, HookDoes::Change),
        (1, HookDoes::Mend),
        (1, HookDoes::Hide),
    ];
    let does = one_of(rng, &does, HookDoes::Wait);
    // Most do what they do where it makes sense, some where it does not.
    let trigger = apt(does).filter(|_| rng.u32(0..10) > 0);
    let any = *rng.choice(&Trigger::ALL).unwrap_or(&Trigger::StepStart);
    let trigger = trigger.and_then(|apt| rng.choice(apt).copied()).unwrap_or(any);
    // What keeps an execution going does so once.
    let once = matches!(does, HookDoes::Request | HookDoes::Prevent) || rng.bool();
    HookPlan {
        on: trigger,
        after: once.then(|| rng.usize(0..3)),
        priority: one_of(rng, &[(6, 0), (1, 100), (1, 200), (1, -5)], 0),
        inherited: rng.bool(),
        does,
    }
}

/// Where a hook may do what it does.
fn apt(does: HookDoes) -> Option<&'static [Trigger]> {
    use Trigger as T;
    Some(match does {
        HookDoes::Say | HookDoes::SayCall => &[T::ExecutionStart, T::StepStart, T::StepEnd],
        HookDoes::Request => &[T::StepEnd, T::Error],
        HookDoes::Prevent => &[T::BeforeStop],
        HookDoes::Block | HookDoes::Supply | HookDoes::Deep | HookDoes::Rewrite => {
            &[T::BeforeToolUse]
        }
        HookDoes::Change => &[T::BeforeInference, T::AfterInference, T::AfterToolUse],
        HookDoes::Mend => &[T::AfterInference],
        HookDoes::Hide => &[T::StepStart],
        _ => return None,
    })
}

fn act(rng: &mut Rng, at: usize) -> Act {
    match rng.u32(0..20) {
        7 if at == 0 => Act::Squat(5, rng.u32(0..2)),
        _ if at == 0 => Act::Go(Go { start: Start::Task, ..go(rng) }),
        0..=3 => Act::Post(to(rng), post(rng)),
        4 => Act::MoveHead(rng.u64(0..=100)),
        5 => Act::TakeChild,
        6 => Act::Squat(rng.u64(4..12), rng.u32(0..2)),
        8 => Act::Pass(millis(rng, 400)),
        9 if rng.bool() => Act::Remove,
        _ => Act::Go(go(rng)),
    }
}

fn to(rng: &mut Rng) -> To {
    one_of(rng, &[(4, To::Root), (1, To::Child)], To::Root)
}

fn post(rng: &mut Rng) -> PostPlan {
    let all = [
        (4, PostPlan::Steer),
        (3, PostPlan::FollowUp),
        (1, PostPlan::Stop),
        (1, PostPlan::Answer(Reply::RunAgain)),
        (1, PostPlan::Answer(Reply::Tell)),
        (1, PostPlan::Answer(Reply::Supply)),
        (1, PostPlan::Bogus),
        (1, PostPlan::Label(rng.u64(0..=120))),
        (1, PostPlan::MoveHead(rng.u64(0..=120))),
    ];
    one_of(rng, &all, PostPlan::Steer)
}

fn go(rng: &mut Rng) -> Go {
    let starts =
        [(10, Start::Task), (30, Start::Resume), (1, Start::OpenCall), (1, Start::LoneResult)];
    let start = one_of(rng, &starts, Start::Resume);
    let by = one_of(rng, &[(2, By::Await), (2, By::Steps), (1, By::Stream)], By::Await);
    let doubt = [(3, None), (1, Some(OnDoubt::Ask)), (1, Some(OnDoubt::Tell))];
    let stuck = [(1, Stuck::Die), (1, Stuck::Cancel), (1, Stuck::Interrupt)];
    Go {
        start,
        by,
        on_doubt: one_of(rng, &doubt, None),
        meanwhile: some(rng, 3, meanwhile),
        faults: some(rng, 2, fault),
        stuck: one_of(rng, &stuck, Stuck::Die),
    }
}

fn meanwhile(rng: &mut Rng) -> (usize, Meanwhile) {
    let all = [
        (4, Meanwhile::Die),
        (2, Meanwhile::Cancel),
        (2, Meanwhile::Interrupt),
        (3, Meanwhile::DropNext),
        (4, Meanwhile::Post(to(rng), post(rng))),
        (1, Meanwhile::Rival),
        (1, Meanwhile::Pass(millis(rng, 400))),
    ];
    (rng.usize(1..60).min(rng.usize(1..60)), one_of(rng, &all, Meanwhile::Die))
}

fn fault(rng: &mut Rng) -> (Operation, usize, Fault) {
    let operations = [
        (12, Operation::Append),
        (1, Operation::Claim),
        (1, Operation::Read),
        (2, Operation::Inbox),
    ];
    let faults = [
        (5, Fault::HangBefore),
        (5, Fault::HangAfter),
        (1, Fault::FailBefore),
        (1, Fault::FailAfter),
        (1, Fault::Conflict),
        (1, Fault::Slow(rng.usize(1..20))),
    ];
    let operation = one_of(rng, &operations, Operation::Append);
    (operation, rng.usize(1..24).min(rng.usize(1..24)), one_of(rng, &faults, Fault::HangBefore))
}
