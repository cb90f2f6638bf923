//! How to go on with a session, as a command.

use std::fmt;

use legwork::capability::ask_user::Question;
use legwork::core::budget::{Dimension, Exhausted};
use legwork::core::state::{Pending, PendingReason};
use legwork::core::{AgentState, SessionId};
use legwork::port::event::{Action, ExecutionEnd, Next};

use crate::shell::quoted;
use crate::short_id::of_call;

/// The flags that another command needs to go on with a session. Each is empty, or has a space
/// before it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Again {
    /// Where the session is.
    pub(crate) store: String,
    /// What is not taken from its journal.
    pub(crate) settings: String,
}

impl fmt::Display for Again {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.store, self.settings)
    }
}

/// The command that goes on with the session of a state; none if its execution completed.
pub(crate) fn to_go_on(state: &AgentState, flags: &Again) -> Option<String> {
    let end = ExecutionEnd::of(state);
    let next = end.next.as_ref()?;
    Some(command(next, &end, state.session(), flags))
}

/// The command that goes on with a session that came to this end.
pub(super) fn command(
    next: &Next,
    end: &ExecutionEnd,
    session: &SessionId,
    flags: &Again,
) -> String {
    let id = quoted(session.as_str());
    let in_doubt = || end.pending.iter().all(|call| call.reason == PendingReason::Doubt);
    let timed = |call: &Pending| matches!(call.reason, PendingReason::Until(_));
    let flag = match next.action {
        Action::Answer if end.pending.iter().all(timed) => Some(String::new()),
        Action::Answer if in_doubt() => Some("--on-doubt tell".to_owned()),
        Action::Answer => {
            let [only] = &end.pending[..] else {
                return format!("legwork pending {id}{}", flags.store);
            };
            if Question::of(only).is_some() || only.reason == PendingReason::Input {
                return format!("legwork answer {id}{} --result \"..\"", flags.store);
            }
            return match only.reason {
                PendingReason::Approval => {
                    format!("legwork approve {id}{} {}", flags.store, of_call(only))
                }
                _ => format!("legwork pending {id}{}", flags.store),
            };
        }
        Action::Raise => next.limit.as_ref().and_then(raised),
        Action::Resume => Some(String::new()),
        _ => None,
    };
    match flag.as_deref() {
        Some("") => format!("legwork resume {id}{flags}"),
        Some(flag) => format!("legwork resume {id}{flags} {flag}"),
        None => format!("legwork run --session {id}{flags} \"go on\""),
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
