//! S5: the ledger over long sessions, compared with a model of it.

use std::sync::Arc;

use legwork_core::budget::{Amounts, Budget, Ledger, MicroUsd, Price};
use legwork_core::error::{ErrorKind, ErrorSource};
use legwork_core::event::{
    Defined, Definition, ExecutionStarted, HeadMoved, InferenceFailed, InferenceStarted, Responded,
    StepFinished, ToolStarted,
};
use legwork_core::journal::Journal;
use legwork_core::{
    AgentState, ContinuationOutcome, EffectClass, Entry, ErrorRecord, Event, Micros, Seq, Usage,
};
use proptest::prelude::*;

use crate::arbitrary;
use crate::story::{blank, says};

/// What happens to a session, as far as money is concerned.
#[derive(Debug, Clone)]
enum Deed {
    /// A call to the model: estimated input, most output, and whether it begins a step.
    Reserve { input: u64, max_output: Option<u64>, step: bool },
    /// It answered, having used this percentage of what was held, or of its estimate.
    Settle { percent: u64 },
    /// It failed, and this percentage is charged.
    Fail { percent: u64 },
    /// The process dies and another one reads the journal.
    Crash,
    /// So many calls of tools, if they are allowed as a whole.
    Calls(u64),
    /// The step ends after so long.
    End { took: u64 },
    /// Another execution.
    Execute,
    /// The head goes to an older entry.
    Move(prop::sample::Index),
    /// The limits are raised by so much of each.
    Raise(u64),
}

fn deed() -> impl Strategy<Value = Deed> {
    // Mostly as much as was held, now and then less, and now and then far more.
    let percent = || prop_oneof![2 => Just(100), 3 => 0u64..=100, 1 => 101u64..400];
    let max_output = prop::option::weighted(0.8, 0u64..3_000);
    prop_oneof![
        6 => (0u64..2_000, max_output, any::<bool>())
            .prop_map(|(input, max_output, step)| Deed::Reserve { input, max_output, step }),
        5 => percent().prop_map(|percent| Deed::Settle { percent }),
        1 => (0u64..=100).prop_map(|percent| Deed::Fail { percent }),
        1 => Just(Deed::Crash),
        2 => (0u64..4).prop_map(Deed::Calls),
        3 => (0u64..1_000).prop_map(|took| Deed::End { took }),
        1 => Just(Deed::Execute),
        1 => any::<prop::sample::Index>().prop_map(Deed::Move),
        1 => (0u64..5_000).prop_map(Deed::Raise),
    ]
}

fn budget() -> impl Strategy<Value = Budget> {
    let tokens = || prop::option::weighted(0.7, 0u64..20_000);
    let few = || prop::option::weighted(0.5, 0u64..12);
    (few(), few(), tokens(), tokens(), tokens(), tokens()).prop_map(|(steps, calls, i, o, t, c)| {
        Budget {
            steps,
            tool_calls: calls,
            input_tokens: i,
            output_tokens: o,
            total_tokens: t,
            cost: c.map(MicroUsd),
            ..Budget::unlimited()
        }
    })
}

const PRICE: Price = Price {
    input: MicroUsd(1_000_000),
    output: MicroUsd(3_000_000),
    cache_read: MicroUsd(0),
    cache_write: MicroUsd(0),
    cache_write_hour: None,
};

/// The dimensions of some amounts; numbers that cannot go round.
type Sums = [i128; 7];

fn sums(amounts: &Amounts) -> Sums {
    let Amounts { steps, tool_calls, input, output, tokens, cost, active_time, .. } = *amounts;
    [steps, tool_calls, input, output, input + output + tokens, cost.0, active_time.0]
        .map(i128::from)
}

fn plus(a: Sums, b: Sums) -> Sums {
    std::array::from_fn(|at| a[at] + b[at])
}

/// What was granted of each limited dimension; active time is measured, not granted.
fn granted(budget: &Budget) -> [Option<i128>; 7] {
    let cost = budget.cost.map(|cost| cost.0);
    let Budget { steps, tool_calls, input_tokens, output_tokens, total_tokens, .. } = *budget;
    [steps, tool_calls, input_tokens, output_tokens, total_tokens, cost, None]
        .map(|limit| limit.map(i128::from))
}

/// The account kept by hand.
#[derive(Debug, Default)]
struct Account {
    /// What each execution used, the current one last.
    executions: Vec<Sums>,
    held: Option<Amounts>,
    /// What the current execution used beyond what was held for it.
    overspent: Sums,
}

impl Account {
    fn charge(&mut self, amounts: Sums) {
        if self.executions.is_empty() {
            self.executions.push(Sums::default());
        }
        let last = self.executions.last_mut().unwrap();
        *last = plus(*last, amounts);
    }

    /// What is held and never settled is charged in full.
    fn cut_off(&mut self) {
        if let Some(held) = self.held.take() {
            self.charge(sums(&held));
        }
    }

    /// The hold is released, and what was really used is charged.
    fn settle(&mut self, charged: &Amounts) {
        let held = sums(&self.held.take().unwrap_or_default());
        let charged = sums(charged);
        self.charge(charged);
        let over = std::array::from_fn(|at| (charged[at] - held[at]).max(0));
        self.overspent = plus(self.overspent, over);
    }

    fn agrees(&self, ledger: &Ledger) -> Result<(), TestCaseError> {
        let spent = self.executions.last().copied().unwrap_or_default();
        let lifetime = self.executions.iter().copied().fold(Sums::default(), plus);
        prop_assert_eq!(sums(&ledger.spent), spent);
        prop_assert_eq!(sums(&ledger.lifetime), lifetime, "the sum of all executions");
        let held: Vec<_> = ledger.reserved.iter().map(|held| held.amounts).collect();
        prop_assert_eq!(held, self.held.into_iter().collect::<Vec<_>>());
        let committed = sums(&ledger.used_and_reserved());
        let limits = granted(&ledger.budget);
        for (at, limit) in limits.into_iter().enumerate() {
            let limit = limit.unwrap_or(i128::MAX / 2);
            prop_assert!(committed[at] <= limit + self.overspent[at], "{at} in {ledger:?}");
        }
        Ok(())
    }
}

fn percent_of(amounts: &Amounts, percent: u64) -> Amounts {
    let usage = Usage {
        input: amounts.input * percent / 100,
        output: amounts.output * percent / 100,
        ..Usage::default()
    };
    Amounts::of_usage(&usage, Some(&PRICE))
}

/// The state that another process folds from the journal's lines.
fn resumed(entries: &[Arc<Entry>]) -> AgentState {
    let line = |entry: &Arc<Entry>| Entry::decode(&entry.encode().unwrap()).unwrap();
    let entries = entries.iter().map(line).map(Arc::new).collect();
    Journal::new(entries).fold(&"s".into())
}

/// A session, its journal and the account.
struct Life {
    state: AgentState,
    journal: Vec<Arc<Entry>>,
    account: Account,
}

impl Life {
    fn new(budget: Budget) -> Self {
        let mut life = Self { state: blank(), journal: Vec::new(), account: Account::default() };
        let definition = Definition { budget, ..Definition::default() };
        life.record(Event::Defined(Defined { definition: definition.into(), digest: None }));
        life
    }

    fn record(&mut self, event: Event) {
        let state = self.state.clone().with(event);
        self.journal.extend(state.uncommitted().iter().cloned());
        self.state = state.committed();
    }

    fn live(&mut self, deed: &Deed) {
        match deed {
            Deed::Reserve { input, max_output, step } => self.reserve(*input, *max_output, *step),
            Deed::Settle { percent } => self.settle(*percent),
            Deed::Fail { percent } => self.fail(*percent),
            Deed::Crash => self.state = resumed(&self.journal),
            Deed::Calls(count) => self.call(*count),
            Deed::End { took } => {
                self.account.cut_off();
                let active_time = Amounts { active_time: Micros(*took), ..Amounts::default() };
                self.account.charge(sums(&active_time));
                let outcome = Arc::new(ContinuationOutcome::go_on("test"));
                self.record(Event::StepFinished(StepFinished { outcome, took: Micros(*took) }));
            }
            Deed::Execute => {
                self.account.cut_off();
                self.account.executions.push(Sums::default());
                self.account.overspent = Sums::default();
                self.record(Event::ExecutionStarted(ExecutionStarted { input: Vec::new() }));
            }
            Deed::Move(to) => {
                let to = Seq(to.index(self.journal.len()) as u64);
                self.record(Event::HeadMoved(HeadMoved { to }));
                let path = Journal::new(self.journal.clone()).path(to);
                self.state = self.state.clone().on_path(path);
            }
            Deed::Raise(more) => {
                let raised = |limit: Option<u64>| limit.map(|limit| limit + more);
                let old = self.state.ledger().budget.clone();
                let budget = Budget {
                    steps: raised(old.steps),
                    tool_calls: raised(old.tool_calls),
                    input_tokens: raised(old.input_tokens),
                    output_tokens: raised(old.output_tokens),
                    total_tokens: raised(old.total_tokens),
                    cost: raised(old.cost.map(|cost| cost.0)).map(MicroUsd),
                    ..old
                };
                let definition = Definition { budget, ..Definition::default() };
                self.record(Event::Defined(Defined {
                    definition: definition.into(),
                    digest: None,
                }));
            }
        }
    }

    /// As a driver does: limits are asked, then what is afforded is held.
    fn reserve(&mut self, input: u64, max_output: Option<u64>, step: bool) {
        if step && self.state.ledger().forbids_step(self.state.now().wall).is_some() {
            return;
        }
        let afforded = self.state.ledger().afford(input, max_output, Some(&PRICE));
        let Ok((_, amounts)) = afforded else { return };
        let reserved = Amounts { steps: u64::from(step), ..amounts };
        self.account.cut_off();
        self.account.charge(sums(&Amounts { steps: reserved.steps, ..Amounts::default() }));
        self.account.held = Some(amounts);
        self.record(Event::InferenceStarted(InferenceStarted {
            reserved,
            tools: None,
            request: None,
        }));
    }

    fn settle(&mut self, percent: u64) {
        let Some(held) = self.account.held else { return };
        let charged = percent_of(&held, percent);
        self.account.settle(&charged);
        let response = Arc::new(says("x"));
        self.record(Event::Responded(Responded { response, charged }));
    }

    fn fail(&mut self, percent: u64) {
        let Some(held) = self.account.held else { return };
        let charged = percent_of(&held, percent);
        self.account.settle(&charged);
        let error = ErrorRecord::new(ErrorSource::Model, ErrorKind::Model, "no answer");
        self.record(Event::InferenceFailed(InferenceFailed { error, charged }.into()));
    }

    fn call(&mut self, count: u64) {
        if self.state.ledger().forbids_calls(count).is_some() {
            return;
        }
        for index in 0..count {
            self.account.charge(sums(&Amounts { tool_calls: 1, ..Amounts::default() }));
            let (index, effect) = (u32::try_from(index).unwrap(), EffectClass::ReadOnly);
            self.record(Event::ToolStarted(ToolStarted {
                index,
                effect,
                arguments: None,
                child: None,
                reserved: Amounts::default(),
                again: false,
            }));
        }
    }
}

proptest! {
    #![proptest_config(arbitrary::cases(1_500))]

    #[test]
    fn s5_2_s5_3_the_ledger_agrees_with_an_account_kept_by_hand(
        budget in budget(),
        deeds in prop::collection::vec(deed(), 0..60),
    ) {
        let mut life = Life::new(budget);
        for deed in &deeds {
            life.live(deed);
            life.account.agrees(life.state.ledger())?;
        }
        // Whoever reads the journal later has the same ledger.
        let later = resumed(&life.journal);
        prop_assert_eq!(later.ledger(), life.state.ledger());
    }
}

proptest! {
    #![proptest_config(arbitrary::cases(256))]

    #[test]
    fn s5_3_amounts_of_any_size_are_held_at_the_largest_and_never_go_round(
        deeds in prop::collection::vec((any::<[u64; 7]>(), 0u8..5), 1..40),
    ) {
        let mut state = blank();
        for ([steps, tool_calls, input, output, tokens, cost, active_time], kind) in deeds {
            let (cost, active_time) = (MicroUsd(cost), Micros(active_time));
            let (estimated, unpriced) = (false, true);
            let amounts = Amounts {
                steps, tool_calls, input, output, tokens, cost, active_time, estimated, unpriced,
            };
            let before = state.ledger().clone();
            state = state.with(match kind {
                0 => Event::InferenceStarted(InferenceStarted { reserved: amounts, tools: None, request: None }),
                1 => Event::Responded(Responded { response: Arc::new(says("x")), charged: amounts }),
                2 => Event::InferenceFailed(InferenceFailed {
                    error: ErrorRecord::new(ErrorSource::Model, ErrorKind::Model, "no answer"),
                    charged: amounts,
                }.into()),
                3 => Event::StepFinished(StepFinished {
                    outcome: Arc::new(ContinuationOutcome::go_on("test")),
                    took: active_time,
                }),
                _ => Event::ExecutionStarted(ExecutionStarted { input: Vec::new() }),
            });
            let after = state.ledger();
            let least = |a: &Amounts, b: &Amounts| {
                a.steps <= b.steps && a.tool_calls <= b.tool_calls && a.input <= b.input
                    && a.output <= b.output && a.cost <= b.cost && a.active_time <= b.active_time
            };
            prop_assert!(least(&before.lifetime, &after.lifetime));
            prop_assert!(least(&after.spent, &after.lifetime));
            prop_assert!(least(&after.spent, &after.used_and_reserved()));
        }
    }
}
