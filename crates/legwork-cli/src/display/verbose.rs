//! What `--verbose` adds: each event in a line.

use legwork::core::Event;
use legwork::core::budget::{Amounts, Budget};
use legwork::core::event::RequestSent;
use legwork::port::{EventKind, RunEvent};

use super::summary::{cost, tokens};
use super::text::{count, grouped, one_line, time, visible};
use super::{At, Usage};

/// The line of an event that is not shown otherwise.
pub(super) fn line(at: At<'_>, event: &RunEvent) -> Option<String> {
    let step = event.step.map_or_else(String::new, |step| format!("step {step}: "));
    let who = at.below.map_or_else(String::new, |name| format!("{} ", one_line(name)));
    let step = format!("{who}{step}");
    let said = match &event.kind {
        EventKind::ExecutionStarted(_) => format!("{who}session {}", event.session.as_ref()?),
        EventKind::StepStarted => format!("{step}begins"),
        EventKind::InferenceStarted { model, request, .. } => {
            let with = request.as_ref().map(|sent| format!(" with {}", messages(sent)));
            format!("{step}asking {}{}", visible(model), with.unwrap_or_default())
        }
        EventKind::Committed(committed) => {
            let responded = committed.entries.iter().find_map(|entry| match &entry.event {
                Event::Responded(responded) => Some(responded),
                _ => None,
            })?;
            let used = match &responded.response.usage {
                Some(usage) => Amounts::of_usage(usage, None),
                None => responded.charged,
            };
            let finish = visible(responded.response.finish.as_str());
            let used = tokens(&Usage::of_amounts(&used));
            format!("{step}answered with {used}, finished by {finish}")
        }
        EventKind::ToolStarted { call, .. } => {
            format!("{step}calls {} {}", one_line(&call.name), one_line(&call.arguments))
        }
        EventKind::ToolProgress { message, .. } => format!("{step}{}", one_line(message)),
        EventKind::StepFinished { explain, used, .. } => {
            let used = Usage::of_amounts(used);
            let parts: Vec<_> = [tokens(&used)].into_iter().chain(cost(&used)).collect();
            let used = format!("\n{step}used {}", parts.join(", "));
            let so_far = at.ledger.map_or_else(String::new, |ledger| {
                // The next step may have begun in the same commit.
                let steps = event.step.map_or(ledger.spent.steps, u64::from);
                let spent = Amounts { steps, ..ledger.spent };
                format!("\n{step}used so far: {}", so_far(&spent, &ledger.budget))
            });
            format!("{step}{}{used}{so_far}", one_line(explain))
        }
        _ => return None,
    };
    Some(said)
}

/// How many messages a request has, and how many of them a prompt cache may have.
fn messages(sent: &RequestSent) -> String {
    let messages = count(sent.messages, "message");
    match sent.kept {
        Some(kept) => format!("{messages}, the first {} as before", grouped(kept)),
        None => messages,
    }
}

/// What was used, each beside its limit where there is one.
fn so_far(spent: &Amounts, budget: &Budget) -> String {
    let of = |limit: Option<u64>| {
        limit.map_or_else(String::new, |limit| format!(" of {}", grouped(limit)))
    };
    let tokens = spent.total_tokens();
    let about = if spent.estimated { "about " } else { "" };
    let least = if spent.unpriced { "at least " } else { "" };
    let mut parts = vec![
        format!("{}{}", count(spent.steps, "step"), of(budget.steps)),
        format!("{}{}", count(spent.tool_calls, "tool call"), of(budget.tool_calls)),
        format!("{about}{}{}", count(tokens, "token"), of(budget.total_tokens)),
    ];
    let limit = budget.cost.map(|limit| format!(" of {limit}")).unwrap_or_default();
    if spent.cost.0 > 0 || budget.cost.is_some() {
        parts.push(format!("{least}{}{limit}", spent.cost));
    }
    if let Some(limit) = budget.active_time {
        parts.push(format!("at most {} of active time", time(limit.into())));
    }
    parts.join(", ")
}
