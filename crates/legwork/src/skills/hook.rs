//! The hook that applies the tools and the model of the loaded skill.

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_agent::hooks::{Cx, priority};
use legwork_agent::{Handler, hook};
use legwork_core::state::CurrentToolExecution;
use legwork_core::tool::ToolSelection;
use legwork_core::{AgentState, ModelSettings};
use legwork_definitions::{AllowedTool, Skill};
use legwork_port::{BoxFuture, Trigger};

use super::active::{Active, base_model};
use super::load::Request;
use super::rule::{Judgement, Rule};
use super::{KEY, NAME, NONE, TOOL};

/// Records which skill was loaded, and applies its tools and its model.
///
/// All of it follows from what is journaled: the call that loaded the skill, and the skill in the
/// metadata. So it may run twice, as it does after a crash.
pub(super) struct SkillHook {
    known: Arc<BTreeMap<String, Skill>>,
}

impl SkillHook {
    pub(super) fn new(known: Arc<BTreeMap<String, Skill>>) -> Self {
        Self { known }
    }

    /// After a call: if it loaded a skill, records that skill as the loaded one.
    fn note(&self, state: AgentState) -> Result<AgentState, hook::Error> {
        let Some(asked) = loaded(&state)? else { return Ok(state) };
        let before = active(&state)?.unwrap_or_default();
        let own = || state.settings().model.to_string();
        if asked == NONE {
            let next = Active { model_before: before.model_before, ..Active::default() };
            return Ok(next.keep(state));
        }
        let Some(skill) = self.known.get(&asked) else {
            let message = format!("the skill `{asked}` was loaded and does not exist any more");
            return Err(hook::Error::new(message));
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

/// Before a step: sets the model of the skill, and hides the tools that it does not allow.
fn prepare(state: AgentState, cx: &Cx) -> Result<AgentState, hook::Error> {
    let Some(active) = active(&state)? else { return Ok(state) };
    let state = match (&active.model, &active.model_before) {
        (Some(model), _) => with_model(state, model),
        (None, Some(_)) => with_own_model(state),
        (None, None) => state,
    };
    let state = match active.model {
        Some(_) => state,
        // The model is reset, so it need not be stored any more.
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

/// Before a call: blocks it unless the skill allows it.
fn judge(state: AgentState) -> Result<AgentState, hook::Error> {
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

/// At the end of the execution: unloads the skill.
fn end(state: AgentState) -> Result<AgentState, hook::Error> {
    // An invalid value is removed, too.
    let state = match Active::of(&state) {
        Ok(Some(Active { model_before: Some(_), .. })) => with_own_model(state),
        _ => state,
    };
    match state.context().metadata.get(KEY) {
        Some(_) => Ok(state.with_metadata(KEY, None)),
        None => Ok(state),
    }
}

fn active(state: &AgentState) -> Result<Option<Active>, hook::Error> {
    Active::of(state).map_err(hook::Error::new)
}

/// The rules of the loaded skill; none = everything is allowed.
fn rules(active: &Active) -> Result<Option<Vec<Rule>>, hook::Error> {
    let Some(allowed) = &active.allowed_tools else { return Ok(None) };
    let rule = |entry: &String| entry.parse::<AllowedTool>().and_then(|entry| Rule::of(&entry));
    let rules: Result<Vec<_>, _> = allowed.iter().map(rule).collect();
    rules.map(Some).map_err(|problem| hook::Error::new(problem.to_string()))
}

fn with_own_model(state: AgentState) -> AgentState {
    let model = base_model(&state);
    with_model(state, &model)
}

fn with_model(state: AgentState, model: &str) -> AgentState {
    if &*state.settings().model == model {
        return state;
    }
    let settings = ModelSettings { model: model.into(), ..state.settings().clone() };
    state.with_settings(settings)
}

/// The name of the skill that the current call loaded; none if it loaded none.
fn loaded(state: &AgentState) -> Result<Option<String>, hook::Error> {
    let Some(CurrentToolExecution { index, execution }) = state.current_tool_execution() else {
        return Ok(None);
    };
    let ran = execution.effect.is_some() && execution.outcome.is_ok();
    if &*execution.call.name != TOOL || !ran {
        return Ok(None);
    }
    let slot = state.current_step().and_then(|step| step.calls.get(*index as usize));
    let arguments = slot.map_or(&execution.call.arguments, |slot| slot.arguments());
    let request = Request::of(arguments).map_err(|error| hook::Error::new(error.to_string()))?;
    Ok(Some(request.name))
}

impl Handler for SkillHook {
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

    fn handle(&self, state: AgentState, cx: Cx) -> BoxFuture<'_, Result<AgentState, hook::Error>> {
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
