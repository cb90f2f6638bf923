//! The capability that sets limits and switches guards off, by name.

mod settings;

use std::sync::Arc;
use std::time::Duration;

use legwork_core::budget::MicroUsd;
use legwork_core::continuation::{Criterion, CumulativeTimeLimit, ErrorPolicy, RetryLimit};
use legwork_core::{Budget, Timestamp};

use crate::agent::builder::Builder;
use crate::capability::Capability;

/// Sets limits of an execution, and changes guards or switches them off by name.
///
/// What is not named stays as it is: 20 steps and 5 minutes of active time by default. A limit that
/// the builder is given later wins.
///
/// From settings: `steps`, `tool_calls`, `input_tokens`, `output_tokens`, `tokens`, `usd`,
/// `time` (active time of one execution, such as "5m"), `session_time` (of all of a session),
/// `deadline` (milliseconds since 1970), `retries` (in a row), `errors` (`stop`, `ignore`, or
/// how often they are retried), and `without`, names of criteria. Null takes a limit away.
///
/// ```
/// # use legwork_testkit::{ScriptedModel, Turn};
/// use legwork_agent::{Agent, capability::Guards};
///
/// # fn main() -> Result<(), legwork_agent::Error> {
/// # let model = ScriptedModel::new([Turn::text("hello")]);
/// let guards = Guards::new().steps(50).retries(3).without("time_limit");
/// let agent = Agent::builder(model).capability(guards).build()?;
/// assert_eq!(agent.definition().budget.steps, Some(50));
/// assert_eq!(agent.definition().budget.active_time, None);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Guards {
    changes: Vec<Change>,
    criteria: Vec<Arc<dyn Criterion>>,
    without: Vec<String>,
}

/// One dimension of a budget with its limit; none takes it away.
#[derive(Debug, Clone, Copy)]
enum Change {
    Steps(Option<u64>),
    ToolCalls(Option<u64>),
    InputTokens(Option<u64>),
    OutputTokens(Option<u64>),
    Tokens(Option<u64>),
    Cost(Option<MicroUsd>),
    ActiveTime(Option<Duration>),
    Deadline(Option<Timestamp>),
}

impl Change {
    fn apply(self, budget: Budget) -> Budget {
        match self {
            Self::Steps(steps) => Budget { steps, ..budget },
            Self::ToolCalls(tool_calls) => Budget { tool_calls, ..budget },
            Self::InputTokens(input_tokens) => Budget { input_tokens, ..budget },
            Self::OutputTokens(output_tokens) => Budget { output_tokens, ..budget },
            Self::Tokens(total_tokens) => Budget { total_tokens, ..budget },
            Self::Cost(cost) => Budget { cost, ..budget },
            Self::ActiveTime(time) => Budget { active_time: time.map(Into::into), ..budget },
            Self::Deadline(deadline) => Budget { deadline, ..budget },
        }
    }
}

/// The limits of a budget that a criterion asks about.
fn asked_by(criterion: &str) -> &'static [Change] {
    match criterion {
        "steps_limit" => &[Change::Steps(None)],
        "tool_calls_limit" => &[Change::ToolCalls(None)],
        "token_limit" => {
            &[Change::InputTokens(None), Change::OutputTokens(None), Change::Tokens(None)]
        }
        "cost_limit" => &[Change::Cost(None)],
        "time_limit" => &[Change::ActiveTime(None)],
        "deadline" => &[Change::Deadline(None)],
        _ => &[],
    }
}

impl Guards {
    /// Changes nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// At most this many steps.
    #[must_use]
    pub fn steps(self, most: u64) -> Self {
        self.change(Change::Steps(Some(most)))
    }

    /// At most this many tool calls.
    #[must_use]
    pub fn tool_calls(self, most: u64) -> Self {
        self.change(Change::ToolCalls(Some(most)))
    }

    /// At most this many input tokens.
    #[must_use]
    pub fn input_tokens(self, most: u64) -> Self {
        self.change(Change::InputTokens(Some(most)))
    }

    /// At most this many output tokens.
    #[must_use]
    pub fn output_tokens(self, most: u64) -> Self {
        self.change(Change::OutputTokens(Some(most)))
    }

    /// At most this many input and output tokens together.
    #[must_use]
    pub fn tokens(self, most: u64) -> Self {
        self.change(Change::Tokens(Some(most)))
    }

    /// At most this much money, in US dollars.
    #[must_use]
    pub fn usd(self, most: f64) -> Self {
        self.change(Change::Cost(Some(MicroUsd::from_usd(most))))
    }

    /// At most this much active time in one execution.
    #[must_use]
    pub fn time(self, most: Duration) -> Self {
        self.change(Change::ActiveTime(Some(most)))
    }

    /// At most this much active time in all executions of a session.
    #[must_use]
    pub fn time_in_session(self, most: Duration) -> Self {
        self.criterion(CumulativeTimeLimit::at(most))
    }

    /// No step begins after this point in time.
    #[must_use]
    pub fn deadline(self, at: Timestamp) -> Self {
        self.change(Change::Deadline(Some(at)))
    }

    /// At most this many retries in a row.
    #[must_use]
    pub fn retries(self, most: u32) -> Self {
        self.criterion(RetryLimit::at(most))
    }

    /// What errors of a step mean for going on.
    #[must_use]
    pub fn errors(self, policy: ErrorPolicy) -> Self {
        self.criterion(policy)
    }

    /// A criterion, in the place of the one of its name.
    #[must_use]
    pub fn criterion(mut self, criterion: impl Criterion + 'static) -> Self {
        self.criteria.push(Arc::new(criterion));
        self
    }

    /// Switches a criterion off by its name, with the limit of the budget that it asks about.
    #[must_use]
    pub fn without(mut self, criterion: impl Into<String>) -> Self {
        self.without.push(criterion.into());
        self
    }

    fn change(mut self, change: Change) -> Self {
        self.changes.push(change);
        self
    }
}

impl Capability for Guards {
    fn name(&self) -> &str {
        "guards"
    }

    fn about(&self) -> &str {
        ABOUT
    }

    fn install(&self, mut builder: Builder) -> Builder {
        for criterion in &self.criteria {
            builder = builder.criterion_shared(Arc::clone(criterion));
        }
        for name in &self.without {
            builder = builder.without_criterion(name);
        }
        let off = self.without.iter().flat_map(|name| asked_by(name));
        let changes = self.changes.iter().chain(off);
        let budget = changes.fold(builder.definition.budget.clone(), |b, change| change.apply(b));
        builder.budget(budget)
    }
}

/// What it gives an agent.
pub(super) const ABOUT: &str =
    "Limits on steps, tool calls, tokens, money, time and errors; changes guards by name.";
