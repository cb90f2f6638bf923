//! The hook that holds what a loaded skill says of tools and model.

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_agent::hooks::{Cx, priority};
use legwork_agent::{Handler, HookError};
use legwork_core::state::CurrentToolExecution;
use legwork_core::tool::ToolSelection;
use legwork_core::{AgentState, ModelSettings};
use legwork_definitions::{AllowedTool, Skill};
use legwork_port::{BoxFuture, Trigger};

use super::active::Active;
use super::load::Request;
use super::rule::{Judgement, Rule};
use super::{KEY, NAME, NONE, TOOL};

/// Notes which skill was loaded, and holds it.
///
/// All that it does follows from what is journaled: the call that loaded a skill, and the
/// skill that the metadata has. So it may be done twice, and after a crash it is.
pub(super) struct Keeper {
    known: Arc<BTreeMap<String, Skill>>,
}

impl Keeper {
    pub(super) fn new(known: Arc<BTreeMap<String, Skill>>) -> Self {
        Self { known }
    }

    /// A call of the turn was answered: if it loaded a skill, that one holds from here on.
    fn note(&self, state: AgentState) -> Result<AgentState, HookError> {
        let Some(asked) = loaded(&state)? else { return Ok(state) };
        let before = active(&state)?.unwrap_or_default();
        let own = || state.settings().model.to_string();
        if asked == NONE {
            let next = Active { model_before: before.model_before, ..Active::default() };
            return Ok(next.keep(state));
        }
        let Some(skill) = self.known.get(&asked) else {
            let message = format!("the skill `{asked}` was loaded and is not there any more");
            return Err(HookError::new(message));
        };
        let changes = before.model_before.is_some() || skill.model.is_some();
        let model_before = before.model_before.or_else(|| changes.then(own));
        let allowed = skill.allowed_tools.as_ref();
        let next = Active {
            name: Some(asked),
            allowed_tools: allowed.map(|all| all.iter().map(ToString::to_string).collect()),
            model: skill.model.clone(),
            model_before,
        };
        Ok(next.keep(state))
    }
}

/// Before a step: the model is the skill's, and only its tools are shown.
fn prepare(state: AgentState, cx: &Cx) -> Result<AgentState, HookError> {
    let Some(active) = active(&state)? else { return Ok(state) };
    let state = match active.model.as_ref().or(active.model_before.as_ref()) {
        Some(model) => with_model(state, model),
        None => state,
    };
    let state = match active.model {
        Some(_) => state,
        // It is set back, so nothing is left to remember of it.
        None => Active { model_before: None, ..active.clone() }.keep(state),
    };
    let Some(rules) = rules(&active)? else { return Ok(state) };
    let hidden = |name: &str| name != TOOL && !rules.iter().any(|rule| rule.is_for(name));
    let mut selection =
        state.tool_selection().map(|shown| ToolSelection::clone(shown)).unwrap_or_default();
    for spec in cx.view.tools.iter().filter(|spec| hidden(&spec.name)) {
        selection = selection.hide(Arc::clone(&spec.name));
    }
    Ok(state.with_tool_selection(Some(selection)))
}

/// Before a call runs: it is blocked unless the skill allows it.
fn judge(state: AgentState) -> Result<AgentState, HookError> {
    let Some(active) = active(&state)? else { return Ok(state) };
    let Some(rules) = rules(&active)? else { return Ok(state) };
    let Some(pending) = state.current_tool_call().cloned() else { return Ok(state) };
    let tool = &*pending.call.name;
    let judged = rules.iter().map(|rule| rule.judge(tool, &pending.arguments));
    let (mut allowed, mut beyond) = (tool == TOOL, false);
    for judgement in judged {
        allowed |= judgement == Judgement::Allowed;
        beyond |= judgement == Judgement::Beyond;
    }
    if allowed {
        return Ok(state);
    }
    let what = if beyond { "this use of" } else { "the tool" };
    let skill = active.name.as_deref().unwrap_or_default();
    let may = active.allowed_tools.unwrap_or_default().join(", ");
    let may = if may.is_empty() { "no tool".to_owned() } else { may };
    Ok(state.with_tool_call_blocked(
        NAME,
        format!(
            "The skill `{skill}` does not allow {what} `{tool}`: it allows {may}, each command by \
             itself. Load another skill, or `{NONE}`, if the work needs it."
        ),
    ))
}

/// The execution is over, and the skill with it.
fn end(state: AgentState) -> Result<AgentState, HookError> {
    // What is no skill is taken away, too.
    let state = match Active::of(&state) {
        Ok(Some(Active { model_before: Some(model), .. })) => with_model(state, &model),
        _ => state,
    };
    match state.context().metadata.get(KEY) {
        Some(_) => Ok(state.with_metadata(KEY, None)),
        None => Ok(state),
    }
}

fn active(state: &AgentState) -> Result<Option<Active>, HookError> {
    Active::of(state).map_err(HookError::new)
}

/// What the active skill allows; none = everything.
fn rules(active: &Active) -> Result<Option<Vec<Rule>>, HookError> {
    let Some(allowed) = &active.allowed_tools else { return Ok(None) };
    let rule = |entry: &String| entry.parse::<AllowedTool>().and_then(|entry| Rule::of(&entry));
    let rules: Result<Vec<_>, _> = allowed.iter().map(rule).collect();
    rules.map(Some).map_err(|problem| HookError::new(problem.to_string()))
}

fn with_model(state: AgentState, model: &str) -> AgentState {
    if &*state.settings().model == model {
        return state;
    }
    let settings = ModelSettings { model: model.into(), ..state.settings().clone() };
    state.with_settings(settings)
}

/// The skill that the call which was just answered loaded, if it did.
fn loaded(state: &AgentState) -> Result<Option<String>, HookError> {
    let Some(CurrentToolExecution { index, execution }) = state.current_tool_execution() else {
        return Ok(None);
    };
    let ran = execution.effect.is_some() && execution.outcome.is_ok();
    if &*execution.call.name != TOOL || !ran {
        return Ok(None);
    }
    let slot = state.current_step().and_then(|step| step.calls.get(*index as usize));
    let arguments = slot.map_or(&execution.call.arguments, |slot| slot.arguments());
    let request = Request::of(arguments).map_err(|error| HookError::new(error.to_string()))?;
    Ok(Some(request.name))
}

impl Handler for Keeper {
    fn name(&self) -> &str {
        NAME
    }

    fn triggers(&self) -> Vec<Trigger> {
        use Trigger::{AfterToolUse, BeforeToolUse, ExecutionEnd, StepStart};
        vec![StepStart, BeforeToolUse, AfterToolUse, ExecutionEnd]
    }

    fn priority(&self) -> i32 {
        priority::GUARDS
    }

    fn handle(&self, state: AgentState, cx: Cx) -> BoxFuture<'_, Result<AgentState, HookError>> {
        Box::pin(async move {
            match cx.trigger {
                Trigger::StepStart => prepare(state, &cx),
                Trigger::BeforeToolUse => judge(state),
                Trigger::AfterToolUse => self.note(state),
                Trigger::ExecutionEnd => end(state),
                _ => Ok(state),
            }
        })
    }
}
