//! What an inference may cost, what is held for it, and what it is charged.

use std::ops::Range;

use legwork_core::budget::{Amounts, Budget, Dimension, Exhausted, Price};
use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::inference::Incomplete;
use legwork_core::{AgentState, ModelRequest, Response, Usage};
use legwork_port::{EventKind, Model, model};

use crate::account::Affordable;
use crate::context::StepContext;

/// Bytes that a token has at the least, on the average of a request or an answer: an
/// estimate by it errs on the safe side for prose and code in common languages.
const LEAST_BYTES_PER_TOKEN: u64 = 3;

/// Bytes that a token of output has at the most, on the average of an answer: a stream
/// is cut only when even so it passed its reserve.
pub(crate) const BYTES_PER_OUTPUT_TOKEN: u64 = 8;

/// Whether limits on money, here or above, can be kept with a model.
pub(crate) fn check_price(
    state: &AgentState,
    cx: &StepContext,
    model: &dyn Model,
) -> Result<(), ErrorRecord> {
    let above = || cx.share.as_ref().is_some_and(|share| share.left().cost.is_some());
    if model.profile().price.is_some() || (state.ledger().budget.cost.is_none() && !above()) {
        return Ok(());
    }
    let message = price_unknown(model.name());
    Err(ErrorRecord::new(ErrorSource::Driver, ErrorKind::Configuration, message))
}

/// What to do where money is limited and nobody knows what a model costs.
pub fn price_unknown(model: &str) -> String {
    format!(
        "the budget limits cost, but the price of `{model}` is not known: give the model a price, \
         or limit tokens instead"
    )
}

/// What the call may cost at most and how much it may answer, by the agent's own limits
/// and by those of all agents above; it is held there when this returns.
pub(crate) fn hold(
    state: &AgentState,
    cx: &StepContext,
    request: &ModelRequest,
    model: &dyn Model,
) -> Result<Affordable, Exhausted> {
    let input = request.weight().div_ceil(LEAST_BYTES_PER_TOKEN);
    let profile = model.profile();
    let mut budget = state.ledger().budget.clone();
    if let Some(share) = &cx.share {
        budget = budget.within(&share.left());
    }
    let limited =
        budget.cost.is_some() || budget.total_tokens.is_some() || budget.output_tokens.is_some();
    let asked = request.max_output.or(profile.max_output.filter(|_| limited));
    let price = profile.price.as_ref();
    match &cx.share {
        Some(share) => share.hold(state.ledger(), input, asked, price),
        None => state.ledger().afford(input, asked, price),
    }
}

/// What a response is charged: its usage, or what was counted if it does not say, and what
/// was held once more for each failed attempt that may have cost.
pub(crate) fn of_response(
    state: &AgentState,
    response: &Response,
    price: Option<&Price>,
) -> Amounts {
    let (held, bytes) = (held(state), response.message.weight().max(response.came));
    let real = match (&response.usage, &response.incomplete) {
        // What was said of a stream before we cut it is not all that it used; what is kept of
        // an answer that passed a bound is not all that came.
        (_, Some(Incomplete::OverReserve)) | (None, Some(Incomplete::OverBound)) => {
            let output = held.output.max(bytes / BYTES_PER_OUTPUT_TOKEN);
            estimate(held.input, output, price)
        }
        (Some(usage), _) => Amounts::of_usage(usage, price),
        (None, _) => counted(&held, bytes, price),
    };
    real.plus(&times(held, response.charged_attempts))
}

/// The attempt that was under way when a run left an inference.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Left {
    /// None: it was waiting for the next attempt.
    Nothing,
    /// One with so many bytes of its answer received.
    Streamed(u64),
    /// One whose answer is not streamed.
    Unheard,
}

/// What an inference is charged that a run left: what was received of the answer, or what
/// was held if it was not streamed, nothing between two attempts; and what was held once
/// more for each failed attempt that may have cost.
pub(crate) fn of_interrupted(
    state: &AgentState,
    left: Left,
    charged_attempts: u32,
    price: Option<&Price>,
) -> Amounts {
    let held = held(state);
    let left = match left {
        Left::Nothing => Amounts::default(),
        Left::Streamed(bytes) => counted(&held, bytes, price),
        Left::Unheard => held.as_estimate(),
    };
    left.plus(&times(held, charged_attempts))
}

/// The input as estimated, and so many bytes of an answer in tokens: no more than it may
/// have, where it was told how much that is.
fn counted(held: &Amounts, bytes: u64, price: Option<&Price>) -> Amounts {
    let output = bytes.div_ceil(LEAST_BYTES_PER_TOKEN);
    let most = Some(held.output).filter(|most| *most > 0);
    estimate(held.input, most.map_or(output, |most| output.min(most)), price)
}

fn estimate(input: u64, output: u64, price: Option<&Price>) -> Amounts {
    Amounts::of_usage(&Usage { input, output, ..Usage::default() }, price).as_estimate()
}

/// What was held, for each of some attempts.
fn times(held: Amounts, attempts: u32) -> Amounts {
    (0..attempts).fold(Amounts::default(), |sum, _| sum.plus(&held.as_estimate()))
}

/// What a failed call is charged: what was held, for each attempt that may have cost.
pub(crate) fn of_failure(state: &AgentState, error: &model::Error) -> Amounts {
    times(held(state), error.charged_attempts)
}

/// The limit that forbids another attempt at the inference under way, where one that failed
/// may have cost. If there is none, as much is held again above for each of the new ones.
///
/// `charged` are the failed attempts that may have cost: how many were known, and how many
/// there are now.
pub(crate) fn forbids_attempt(
    left: &Budget,
    held: Amounts,
    cx: &StepContext,
    charged: Range<u32>,
) -> Option<Dimension> {
    if let Some(limit) = left.exceeded_by(&times(held, charged.end)) {
        return Some(limit);
    }
    let share = cx.share.as_ref()?;
    let more = times(held, charged.end.saturating_sub(charged.start));
    if let Err(limit) = share.hold_again(&more) {
        return Some(limit);
    }
    // Released with the rest, when it is known what all attempts are charged.
    cx.unsettled.note(more, Amounts::default());
    None
}

/// What the agent's own limits leave, here and as they were granted.
pub(crate) fn left(state: &AgentState, cx: &StepContext) -> Budget {
    match &cx.share {
        Some(share) => share.bound(state.ledger()).left(),
        None => state.ledger().left(),
    }
}

/// Settles, with the agents above as soon as it is durable, and tells.
pub(crate) fn settle(state: &AgentState, cx: &StepContext, charged: &Amounts) {
    if cx.share.is_some() {
        cx.unsettled.note(held(state), *charged);
    }
    if let Some(id) = state.ledger().inference().map(|held| held.entry) {
        cx.emit(|| EventKind::BudgetSettled { id, charged: *charged });
    }
}

/// What is held for the inference under way; nothing if none is.
pub(crate) fn held(state: &AgentState) -> Amounts {
    state.ledger().inference().map_or_else(Amounts::default, |held| held.amounts)
}
