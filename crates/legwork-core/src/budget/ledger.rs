//! The ledger: what an execution used, has reserved and has left.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::budget::{Amounts, Budget, Dimension, MicroUsd, Price};
use crate::id::Seq;
use crate::inference::Usage;
use crate::time::{Micros, Timestamp};

/// The default of [`Budget::output_floor`]: fewer output tokens are not worth the input.
pub const OUTPUT_FLOOR: u64 = 1_024;

/// The output tokens reserved at most for an answer of unknown length.
///
/// Only if a limit applies. Most models allow as much, and long answers fit. Set
/// [`ModelSettings::max_output`](crate::ModelSettings::max_output) for longer ones.
pub const OUTPUT_UNKNOWN: u64 = 16_384;

/// A reservation for one inference or tool call, until its real usage is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reserve {
    /// The entry that reserved it.
    pub entry: Seq,
    /// The index of the tool call that it is for; none = an inference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<u32>,
    /// Whether it is for an inference that is no step.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub auxiliary: bool,
    /// How much is reserved.
    pub amounts: Amounts,
}

impl Reserve {
    fn is_for(&self, call: Option<u32>) -> bool {
        self.call == call && !self.auxiliary
    }
}

/// A limit that is reached, or would be exceeded, with its numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Exhausted {
    /// Which limit.
    pub dimension: Dimension,
    /// The limit, in the unit of the dimension.
    pub limit: u64,
    /// How much was used and is reserved.
    pub used: u64,
    /// How much more was requested.
    pub wanted: u64,
}

impl std::fmt::Display for Exhausted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [limit, used, wanted] = [self.limit, self.used, self.wanted];
        match &self.dimension {
            // A point in time: by how much it passed is of no use.
            Dimension::Deadline => f.write_str("the deadline has passed"),
            Dimension::Cost => {
                let [limit, used, wanted] = [limit, used, wanted].map(MicroUsd);
                write!(f, "the limit of {limit} leaves no room: {used} used, {wanted} wanted")
            }
            Dimension::ActiveTime => {
                let [limit, used] = [limit, used].map(|micros| Duration::from(Micros(micros)));
                write!(f, "the limit of {limit:.1?} of active time leaves no room: {used:.1?} used")
            }
            dimension => {
                let of = dimension.as_str().replace('_', " ");
                write!(
                    f,
                    "the limit of {limit} {of} leaves no room: {used} used, {wanted} wanted"
                )?;
                match dimension {
                    // No inference fits at all, whatever was used.
                    Dimension::OutputTokens | Dimension::TotalTokens if wanted > limit => {
                        f.write_str(", which includes the shortest answer allowed (`output_floor`)")
                    }
                    _ => Ok(()),
                }
            }
        }
    }
}

/// What one execution may use, has used and has reserved.
///
/// It is a fact of the session: moving the head changes nothing in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ledger {
    /// The limits of an execution.
    pub budget: Budget,
    /// What the current execution used.
    pub spent: Amounts,
    /// What all executions of the session used.
    pub lifetime: Amounts,
    /// The reservations for inferences and calls in progress.
    pub reserved: Vec<Reserve>,
}

/// Nothing used, and no limit.
impl Default for Ledger {
    fn default() -> Self {
        let (spent, lifetime) = (Amounts::default(), Amounts::default());
        Self { budget: Budget::unlimited(), spent, lifetime, reserved: Vec::new() }
    }
}

impl Ledger {
    /// The sum of what is used and reserved.
    pub fn used_and_reserved(&self) -> Amounts {
        self.reserved.iter().fold(self.spent, |sum, held| sum.plus(&held.amounts))
    }

    /// The reservation of the inference in progress.
    pub fn inference(&self) -> Option<&Reserve> {
        self.reserved.iter().find(|held| held.is_for(None))
    }

    /// The reservation of the inference in progress that is no step.
    pub fn auxiliary(&self) -> Option<&Reserve> {
        self.reserved.iter().find(|held| held.auxiliary)
    }

    /// What is left of each limit; none where there is no limit.
    ///
    /// Active time and the deadline are included, steps are not: each agent counts its own.
    pub fn left(&self) -> Budget {
        let used = self.used_and_reserved();
        let left = |limit: Option<u64>, used: u64| limit.map(|limit| limit.saturating_sub(used));
        Budget {
            steps: None,
            tool_calls: left(self.budget.tool_calls, used.tool_calls),
            input_tokens: left(self.budget.input_tokens, used.input),
            output_tokens: left(self.budget.output_tokens, used.output),
            total_tokens: left(self.budget.total_tokens, used.total_tokens()),
            cost: left(self.budget.cost.map(|cost| cost.0), used.cost.0).map(MicroUsd),
            active_time: left(self.budget.active_time.map(|time| time.0), used.active_time.0)
                .map(Micros),
            deadline: self.budget.deadline,
            output_floor: self.budget.output_floor,
        }
    }

    /// The output tokens that an inference may have, and what to reserve for it.
    ///
    /// `input` is the estimate of its input tokens, `max_output` the maximum of its output
    /// tokens (none = unknown). Output is clamped to what the limits leave; if its maximum is
    /// unknown, to [`OUTPUT_UNKNOWN`] and to half of what they leave, so that an inference that
    /// breaks off and is charged in full leaves room for another one.
    ///
    /// # Errors
    /// The limit that leaves fewer output tokens than [`Budget::output_floor`] or, if that is
    /// smaller, `max_output`.
    pub fn afford(
        &self,
        input: u64,
        max_output: Option<u64>,
        price: Option<&Price>,
    ) -> Result<(Option<u64>, Amounts), Exhausted> {
        let used = self.used_and_reserved();
        let floor = self.budget.output_floor.unwrap_or(OUTPUT_FLOOR);
        let floor = max_output.map_or(floor, |most| most.min(floor));
        let rooms = [
            self.room_for_input(&used, input)?.map(|()| u64::MAX),
            room(Dimension::OutputTokens, self.budget.output_tokens, used.output, 0, floor)?,
            room(
                Dimension::TotalTokens,
                self.budget.total_tokens,
                used.total_tokens(),
                input,
                floor,
            )?,
            self.room_for_cost(&used, input, floor, price)?,
        ];
        let left = rooms.into_iter().flatten().filter(|left| *left != u64::MAX).min();
        let output = match (max_output, left) {
            (most, None) => most,
            (Some(most), Some(left)) => Some(most.min(left)),
            (None, Some(left)) => Some((left / 2).min(OUTPUT_UNKNOWN).max(floor)),
        };
        let usage = Usage { input, output: output.unwrap_or(0), ..Usage::default() };
        Ok((output, Amounts::of_usage(&usage, price)))
    }

    fn room_for_input(&self, used: &Amounts, input: u64) -> Result<Option<()>, Exhausted> {
        let Some(limit) = self.budget.input_tokens else { return Ok(None) };
        if used.input.saturating_add(input) <= limit {
            return Ok(Some(()));
        }
        Err(Exhausted { dimension: Dimension::InputTokens, limit, used: used.input, wanted: input })
    }

    fn room_for_cost(
        &self,
        used: &Amounts,
        input: u64,
        floor: u64,
        price: Option<&Price>,
    ) -> Result<Option<u64>, Exhausted> {
        let (Some(limit), Some(price)) = (self.budget.cost, price) else { return Ok(None) };
        let at_least = price.cost(&Usage { input, output: floor, ..Usage::default() });
        let left = limit.0.saturating_sub(used.cost.0);
        if at_least.0 > left {
            let (used, wanted) = (used.cost.0, at_least.0);
            return Err(Exhausted { dimension: Dimension::Cost, limit: limit.0, used, wanted });
        }
        Ok(Some(price.output_for(MicroUsd(left), input)))
    }

    /// The first limit that forbids another step now, if any does.
    ///
    /// A limit on tool calls does not: a step need not call a tool.
    pub fn forbids_step(&self, now: Timestamp) -> Option<Exhausted> {
        let used = self.used_and_reserved();
        let checks = [
            (Dimension::Steps, used.steps),
            (Dimension::InputTokens, used.input),
            (Dimension::OutputTokens, used.output),
            (Dimension::TotalTokens, used.total_tokens()),
            (Dimension::Cost, used.cost.0),
            (Dimension::ActiveTime, used.active_time.0),
            (Dimension::Deadline, now.0),
        ];
        checks.into_iter().find_map(|(dimension, used)| {
            let limit = self.budget.limit(&dimension).filter(|limit| used >= *limit)?;
            Some(Exhausted { dimension, limit, used, wanted: 1 })
        })
    }

    /// The limit on tool calls, if this many more would exceed it.
    pub fn forbids_calls(&self, calls: u64) -> Option<Exhausted> {
        let limit = self.budget.tool_calls?;
        let used = self.spent.tool_calls;
        let over = used.saturating_add(calls) > limit;
        over.then_some(Exhausted { dimension: Dimension::ToolCalls, limit, used, wanted: calls })
    }

    pub(crate) fn begin(&mut self) {
        self.charge_reserved();
        self.spent = Amounts::default();
    }

    pub(crate) fn spend(&mut self, amounts: &Amounts) {
        self.spent = self.spent.plus(amounts);
        self.lifetime = self.lifetime.plus(amounts);
    }

    /// Reserves amounts for a call, replacing an earlier reservation for it.
    pub(crate) fn reserve(&mut self, entry: Seq, call: Option<u32>, amounts: Amounts) {
        self.release(call);
        self.reserved.push(Reserve { entry, call, auxiliary: false, amounts });
    }

    /// Reserves amounts for an inference that is no step. One that broke off before it is
    /// charged in full.
    pub(crate) fn reserve_auxiliary(&mut self, entry: Seq, amounts: Amounts) {
        if let Some(left) = self.auxiliary().map(|held| held.amounts.as_estimate()) {
            self.release_auxiliary();
            self.spend(&left);
        }
        let amounts = Amounts { steps: 0, ..amounts };
        self.reserved.push(Reserve { entry, call: None, auxiliary: true, amounts });
    }

    /// Releases the reservation of the inference that is no step.
    pub(crate) fn release_auxiliary(&mut self) {
        self.reserved.retain(|held| !held.auxiliary);
    }

    /// Charges all reservations in full: they belong to calls that broke off.
    pub(crate) fn charge_reserved(&mut self) {
        while let Some(held) = self.reserved.pop() {
            self.spend(&held.amounts.as_estimate());
        }
    }

    /// Releases the reservation of a call; none = of the inference.
    pub(crate) fn release(&mut self, call: Option<u32>) {
        self.reserved.retain(|held| !held.is_for(call));
    }
}

fn room(
    dimension: Dimension,
    limit: Option<u64>,
    used: u64,
    input: u64,
    floor: u64,
) -> Result<Option<u64>, Exhausted> {
    let Some(limit) = limit else { return Ok(None) };
    let wanted = input.saturating_add(floor);
    if used.saturating_add(wanted) > limit {
        return Err(Exhausted { dimension, limit, used, wanted });
    }
    Ok(Some(limit.saturating_sub(used).saturating_sub(input)))
}
