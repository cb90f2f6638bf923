//! Smaller programs that fail in the same way.

use legwork_core::Budget;

use super::program::{
    Act, AgentPlan, By, CallIds, CallPlan, Does, Go, HookPlan, PartPlan, Program, Start, Stuck,
    ToolPlan, TurnPlan, UsagePlan,
};

/// Steps that shrinking takes at most.
const MOST: usize = 4_000;

impl Program {
    /// The smallest program that still fails, found by leaving out and simplifying one part
    /// after the other.
    #[must_use]
    pub fn shrink(self, mut fails: impl FnMut(&Self) -> bool) -> Self {
        let (mut smallest, mut tried) = (self, 0);
        'again: loop {
            for candidate in smallest.smaller() {
                tried += 1;
                if tried > MOST {
                    return smallest;
                }
                if fails(&candidate) {
                    smallest = candidate;
                    continue 'again;
                }
            }
            return smallest;
        }
    }

    /// All programs that are one step smaller.
    fn smaller(&self) -> Vec<Self> {
        let mut all = Vec::new();
        let mut put = |change: &dyn Fn(&mut Self)| {
            let mut smaller = self.clone();
            change(&mut smaller);
            if smaller != *self {
                all.push(smaller);
            }
        };
        for acts in lists(&self.acts, act) {
            put(&|program| program.acts.clone_from(&acts));
        }
        for hooks in lists(&self.hooks, hook) {
            put(&|program| program.hooks.clone_from(&hooks));
        }
        put(&|program| {
            program.agents.pop();
            program.agents.truncate(program.agents.len().max(1));
        });
        for (at, plan) in self.agents.iter().enumerate() {
            for smaller in agent(plan) {
                put(&|program| {
                    if let Some(place) = program.agents.get_mut(at) {
                        place.clone_from(&smaller);
                    }
                });
            }
        }
        put(&|program| program.pace.clear());
        for pace in lists(&self.pace, |turns| (0..*turns).collect()) {
            put(&|program| program.pace.clone_from(&pace));
        }
        for criteria in lists(&self.criteria, |_| Vec::new()) {
            put(&|program| program.criteria.clone_from(&criteria));
        }
        for parts in lists(&self.parts, part) {
            put(&|program| program.parts.clone_from(&parts));
        }
        put(&|program| program.watched = false);
        put(&|program| program.max_output = 100);
        // The last agent can be left out only if no other spawns it.
        all.retain(|program| !program.agents.is_empty());
        all
    }
}

/// Lists with one item less, and with one item made smaller.
fn lists<T: Clone>(all: &[T], smaller: impl Fn(&T) -> Vec<T>) -> Vec<Vec<T>> {
    let mut lists = Vec::new();
    for at in (0..all.len()).rev() {
        let mut without = all.to_vec();
        without.remove(at);
        lists.push(without);
    }
    for (at, item) in all.iter().enumerate() {
        for item in smaller(item) {
            let mut with = all.to_vec();
            with.splice(at..=at, [item]);
            lists.push(with);
        }
    }
    lists
}

/// Smaller numbers to try, the smallest first.
fn numbers(number: usize) -> Vec<usize> {
    let mut all = vec![1, number / 2, number.saturating_sub(1)];
    all.retain(|smaller| *smaller < number && *smaller > 0);
    all.dedup();
    all
}

fn act(act: &Act) -> Vec<Act> {
    match act {
        Act::Go(plan) => go(plan).into_iter().map(Act::Go).collect(),
        Act::MoveHead(_)
        | Act::Post(..)
        | Act::TakeChild
        | Act::Pass(_)
        | Act::Remove
        | Act::Squat(..) => vec![Act::Go(Go::default())],
    }
}

fn go(go: &Go) -> Vec<Go> {
    let simple = Go { start: go.start, ..Go::default() };
    let mut all = vec![
        simple,
        Go { by: By::Await, ..go.clone() },
        Go { by: By::Steps, ..go.clone() },
        Go { on_doubt: None, ..go.clone() },
        Go { stuck: Stuck::Die, ..go.clone() },
        Go { start: Start::Resume, ..go.clone() },
    ];
    let meanwhile = lists(&go.meanwhile, |(poll, what)| {
        numbers(*poll).into_iter().map(|poll| (poll, *what)).collect()
    });
    all.extend(meanwhile.into_iter().map(|meanwhile| Go { meanwhile, ..go.clone() }));
    let faults = lists(&go.faults, |(operation, nth, fault)| {
        numbers(*nth).into_iter().map(|nth| (*operation, nth, *fault)).collect()
    });
    all.extend(faults.into_iter().map(|faults| Go { faults, ..go.clone() }));
    // `Steps` is not smaller than `Await`: it must not go back and forth.
    all.retain(|smaller| {
        smaller != go && (go.by == By::Stream || smaller.by != By::Steps || smaller.by == go.by)
    });
    all
}

fn hook(hook: &HookPlan) -> Vec<HookPlan> {
    let mut all = vec![
        HookPlan { priority: 0, ..hook.clone() },
        HookPlan { inherited: false, ..hook.clone() },
        HookPlan { after: None, ..hook.clone() },
    ];
    all.extend(
        hook.after
            .filter(|after| *after > 0)
            .map(|after| HookPlan { after: Some(after - 1), ..hook.clone() }),
    );
    all.retain(|smaller| smaller != hook);
    all
}

fn part(part: &PartPlan) -> Vec<PartPlan> {
    (0..part.nth).map(|nth| PartPlan { nth, ..*part }).collect()
}

fn agent(agent: &AgentPlan) -> Vec<AgentPlan> {
    let mut all: Vec<_> = lists(&agent.turns, turn)
        .into_iter()
        .map(|turns| AgentPlan { turns, ..agent.clone() })
        .collect();
    if let Some(budget) = &agent.budget {
        all.extend(budgets(budget).into_iter().map(|budget| AgentPlan { budget, ..agent.clone() }));
    }
    all.retain(|smaller| smaller != agent);
    all
}

fn budgets(budget: &Budget) -> Vec<Option<Budget>> {
    let b = budget;
    vec![
        None,
        Some(Budget::unlimited().steps(12)),
        Some(Budget { steps: Some(12), ..b.clone() }),
        Some(Budget { tool_calls: None, ..b.clone() }),
        Some(Budget { total_tokens: None, ..b.clone() }),
        Some(Budget { input_tokens: None, ..b.clone() }),
        Some(Budget { output_tokens: None, ..b.clone() }),
        Some(Budget { cost: None, ..b.clone() }),
        Some(Budget { active_time: None, ..b.clone() }),
    ]
}

fn turn(turn: &TurnPlan) -> Vec<TurnPlan> {
    let mut all: Vec<_> = lists(&turn.calls, call)
        .into_iter()
        .map(|calls| TurnPlan { calls, ..turn.clone() })
        .collect();
    let before = lists(&turn.before, |_| Vec::new());
    all.extend(before.into_iter().map(|before| TurnPlan { before, ..turn.clone() }));
    all.push(TurnPlan { text: 5, ..turn.clone() });
    all.push(TurnPlan { ids: CallIds::Own, ..turn.clone() });
    all.push(TurnPlan { answers: false, ..turn.clone() });
    all.push(TurnPlan { usage: UsagePlan::default(), ..turn.clone() });
    all.retain(|smaller| smaller != turn);
    all
}

fn call(call: &CallPlan) -> Vec<CallPlan> {
    let mut all = vec![CallPlan { does: Does::Answer, ..call.clone() }];
    if !matches!(call.tool, ToolPlan::Spawn(_)) {
        all.push(CallPlan { tool: ToolPlan::Look, ..call.clone() });
    }
    all.retain(|smaller| smaller != call);
    all
}
