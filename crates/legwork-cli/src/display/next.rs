//! How to go on with a session, as a command.

use legwork::core::budget::{Dimension, Exhausted};
use legwork::core::{AgentState, SessionId};
use legwork::port::event::{Action, ExecutionEnd, Next};

use crate::shell::quoted;

/// The command that goes on with the session of a state; none if its execution completed.
pub(crate) fn to_go_on(state: &AgentState, store_flag: &str) -> Option<String> {
    let next = ExecutionEnd::of(state).next?;
    Some(command(&next, state.session(), store_flag))
}

/// The command that goes on with a session; `store_flag` is what it needs to find the store
/// again, empty or a flag.
pub(super) fn command(next: &Next, session: &SessionId, store_flag: &str) -> String {
    let (id, store) = (quoted(session.as_str()), store_flag);
    let flag = match next.action {
        Action::Answer => Some("--on-doubt tell".to_owned()),
        Action::Raise => next.limit.as_ref().and_then(raised),
        Action::Resume => Some(String::new()),
        _ => None,
    };
    match flag.as_deref() {
        Some("") => format!("legwork resume {id}{store}"),
        Some(flag) => format!("legwork resume {id}{store} {flag}"),
        None => format!("legwork run --session {id}{store} \"go on\""),
    }
}

/// The flag that raises the limit that stopped it: to twice as much, or to what it takes.
fn raised(exhausted: &Exhausted) -> Option<String> {
    let Exhausted { dimension, limit, used, wanted } = exhausted;
    let least = used.saturating_add(*wanted);
    let limit = limit.max(&1).saturating_mul(2).max(least);
    match dimension {
        Dimension::Steps => Some(format!("--max-steps {limit}")),
        Dimension::ToolCalls => Some(format!("--max-tool-calls {limit}")),
        Dimension::TotalTokens => Some(format!("--max-tokens {limit}")),
        Dimension::InputTokens => Some(format!("--max-input-tokens {limit}")),
        Dimension::OutputTokens => Some(format!("--max-output-tokens {limit}")),
        // In whole cents, for people.
        Dimension::Cost => {
            let cents = limit.div_ceil(10_000);
            Some(format!("--max-usd {}.{:02}", cents / 100, cents % 100))
        }
        Dimension::ActiveTime => Some(format!("--max-time {}m", limit.div_ceil(60_000_000))),
        _ => None,
    }
}
