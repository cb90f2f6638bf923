//! What `--verbose` adds: each event in a line.

use legwork::core::budget::{Amounts, Budget};

use super::summary::tokens;
use super::text::{count, grouped, one_line, time, visible};
use super::{At, Event, Usage};

/// The line of an event that is not shown otherwise.
pub(super) fn line(at: At<'_>, event: &Event<'_>) -> Option<String> {
    let step = at.step.map_or_else(String::new, |step| format!("step {step}: "));
    let who = at.below.map_or_else(String::new, |below| format!("{} ", one_line(below.name)));
    let step = format!("{who}{step}");
    let said = match event {
        Event::Started(_) => format!("{who}session {}", at.session?),
        Event::StepStarted => format!("{step}begins"),
        Event::InferenceStarted(model) => format!("{step}asking {}", visible(model)),
        Event::Responded(responded) => {
            let finish = &responded.response.finish;
            let used = match &responded.response.usage {
                Some(usage) => Amounts::of_usage(usage, None),
                None => responded.charged,
            };
            let used = tokens(&Usage::of_amounts(&used));
            format!("{step}answered with {used}, finished by {}", visible(finish.as_str()))
        }
        Event::ToolStarted { call, .. } => {
            format!("{step}calls {} {}", one_line(&call.name), one_line(&call.arguments))
        }
        Event::ToolProgress { message, .. } => format!("{step}{}", one_line(message)),
        Event::StepFinished { body, spent, budget, .. } => {
            let explained = one_line(&body.outcome.explain());
            format!("{step}{explained}\n{step}used so far: {}", so_far(spent, budget))
        }
        _ => return None,
    };
    Some(said)
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
