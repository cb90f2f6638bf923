//! Limits that are set for a session raise none that the user's own settings have (S13.9).

use std::future::ready;

use legwork::agent::{Hook, hook};
use legwork::core::Budget;
use legwork::port::Trigger;

use crate::settings::Settings;

/// The limits that nothing set for a session exceeds; none if the user's settings have none. A flag,
/// or an agent of the user, may have higher ones.
pub(crate) fn of(settings: &Settings) -> Option<Budget> {
    fn most<T: Ord>(own: Option<T>, now: Option<T>) -> Option<T> {
        // None is less than any limit.
        own.is_some().then(|| own.max(now)).flatten()
    }
    let (own, now) = (&settings.ceiling, settings.budget());
    let ceiling = Budget {
        steps: most(own.steps, now.steps),
        tool_calls: most(own.tool_calls, now.tool_calls),
        input_tokens: most(own.input_tokens, now.input_tokens),
        output_tokens: most(own.output_tokens, now.output_tokens),
        total_tokens: most(own.total_tokens, now.total_tokens),
        cost: most(own.cost, now.cost),
        active_time: most(own.active_time, now.active_time),
        ..Budget::unlimited()
    };
    (ceiling != Budget::unlimited()).then_some(ceiling)
}

/// Cuts the limits of a session, before each step, to those of the user: a process that reaches the store
/// may set higher ones.
pub(crate) fn hold(ceiling: Budget) -> Hook {
    hook("limits_of_the_user", [Trigger::StepStart], move |state, _cx| {
        let budget = &state.ledger().budget;
        let held = budget.within(&ceiling);
        let same = held == *budget;
        ready(Ok(if same { state } else { state.with_budget(held) }))
    })
}
