//! What an inference may cost, what is held for it, and its price.

use legwork_account::{Account, Affordable};
use legwork_core::budget::{Exhausted, Ledger, Price};
use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::message::Author;
use legwork_core::{ModelRequest, Response};
use legwork_port::Model;

/// Whether limits on money, here or above, can be kept with a model.
///
/// # Errors
/// The error that says what to do.
pub fn check_price(
    account: &Account,
    ledger: &Ledger,
    model: &dyn Model,
) -> Result<(), ErrorRecord> {
    if model.profile().prices.is_some() || account.limits(ledger).cost.is_none() {
        return Ok(());
    }
    let message = price_unknown(model.name());
    Err(ErrorRecord::new(ErrorSource::Driver, ErrorKind::Configuration, message))
}

/// What to do where money is limited and the price of a model is not known.
pub fn price_unknown(model: &str) -> String {
    format!(
        "the budget limits cost, but the price of `{model}` is not known: give the model a price, \
         or limit tokens instead"
    )
}

/// What a call may cost at most and how much it may answer, by the agent's own limits and by those
/// of all agents above; it is held there when this returns.
///
/// # Errors
/// The limit that leaves too little; nothing is held then.
pub fn hold(
    account: &Account,
    ledger: &Ledger,
    request: &ModelRequest,
    model: &dyn Model,
) -> Result<Affordable, Exhausted> {
    let input = request.estimated_tokens();
    let profile = model.profile();
    let limits = account.limits(ledger);
    let limited =
        limits.cost.is_some() || limits.total_tokens.is_some() || limits.output_tokens.is_some();
    let asked = request.max_output.or(profile.max_output.filter(|_| limited));
    account.hold(ledger, input, asked, profile.price_at(input).as_ref())
}

/// The price that a response is charged at: that of the model that answered, where the model that
/// was asked passes requests to others, for an input of this length.
///
/// Without a usage the input is the one that was `held`.
pub fn price_of(response: &Response, model: &dyn Model, held: u64) -> Option<Price> {
    let input = response.usage.as_ref().map_or(held, |usage| usage.input);
    let answered = match &response.message.author {
        Some(Author::Model(name)) => model.profile_of(name),
        _ => None,
    };
    answered.unwrap_or_else(|| model.profile()).price_at(input)
}
