//! What an inference may cost, what is held for it, and what it is charged.

use std::ops::Range;

use legwork_account::Affordable;
use legwork_core::budget::{Amounts, Budget, Dimension, Exhausted, Price};
use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::message::Author;
use legwork_core::{AgentState, ModelRequest, Response};
use legwork_port::{EventKind, Model};

use crate::context::StepContext;

/// Whether limits on money, here or above, can be kept with a model.
pub(crate) fn check_price(
    state: &AgentState,
    cx: &StepContext,
    model: &dyn Model,
) -> Result<(), ErrorRecord> {
    let above = || cx.shared_budget.as_ref().is_some_and(|shared| shared.left().cost.is_some());
    if model.profile().prices.is_some() || (state.ledger().budget.cost.is_none() && !above()) {
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
    let input = request.estimated_tokens();
    let profile = model.profile();
    let mut budget = state.ledger().budget.clone();
    if let Some(shared) = &cx.shared_budget {
        budget = budget.within(&shared.left());
    }
    let limited =
        budget.cost.is_some() || budget.total_tokens.is_some() || budget.output_tokens.is_some();
    let asked = request.max_output.or(profile.max_output.filter(|_| limited));
    let price = profile.price_at(input);
    match &cx.shared_budget {
        Some(shared) => shared.hold(state.ledger(), input, asked, price.as_ref()),
        None => state.ledger().afford(input, asked, price.as_ref()),
    }
}

/// The price that a response is charged at: that of the model that answered, where the model that
/// was asked passes requests to others, for an input of this length.
///
/// Without a usage the input is the one that was `held`.
pub(crate) fn price_of(response: &Response, model: &dyn Model, held: u64) -> Option<Price> {
    let input = response.usage.as_ref().map_or(held, |usage| usage.input);
    let answered = match &response.message.author {
        Some(Author::Model(name)) => model.profile_of(name),
        _ => None,
    };
    answered.unwrap_or_else(|| model.profile()).price_at(input)
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
    if let Some(limit) = left.exceeded_by(&held.for_attempts(charged.end)) {
        return Some(limit);
    }
    let shared = cx.shared_budget.as_ref()?;
    let more = held.for_attempts(charged.end.saturating_sub(charged.start));
    if let Err(limit) = shared.hold_again(&more) {
        return Some(limit);
    }
    // Released with the rest, when it is known what all attempts are charged.
    cx.uncommitted_charges.note(more, Amounts::default());
    None
}

/// What the agent's own limits leave, here and as they were granted.
pub(crate) fn left(state: &AgentState, cx: &StepContext) -> Budget {
    match &cx.shared_budget {
        Some(shared) => shared.bound(state.ledger()).left(),
        None => state.ledger().left(),
    }
}

/// Settles an inference, with the agents above as soon as that is durable, and notifies
/// observers.
pub(crate) fn settle(state: &AgentState, cx: &StepContext, charged: &Amounts) {
    if cx.shared_budget.is_some() {
        cx.uncommitted_charges.note(state.ledger().held(), *charged);
    }
    if let Some(id) = state.ledger().inference().map(|held| held.entry) {
        cx.emit(|| EventKind::BudgetSettled { id, charged: *charged });
    }
}
