//! Programs as people read them.

use std::fmt;

use super::program::{
    Act, AgentPlan, CallIds, CallPlan, Go, HookPlan, PartPlan, Program, TurnPlan, UsagePlan,
};

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, agent) in self.agents.iter().enumerate() {
            write!(f, "agent a{at}")?;
            show_agent(f, agent)?;
        }
        for (at, hook) in self.hooks.iter().enumerate() {
            write!(f, "hook{at} ")?;
            show_hook(f, hook)?;
        }
        self.criteria.iter().try_for_each(|criterion| writeln!(f, "criterion {criterion:?}"))?;
        for PartPlan { part, nth, goes } in &self.parts {
            writeln!(f, "part {part:?} {goes:?} at its call {nth}")?;
        }
        write!(f, "answers of at most {} tokens", self.max_output)?;
        writeln!(f, "{}", if self.watched { ", watched" } else { "" })?;
        if !self.pace.is_empty() {
            writeln!(f, "what takes time takes {:?} turns", self.pace)?;
        }
        for (at, act) in self.acts.iter().enumerate() {
            write!(f, "{}. ", at + 1)?;
            show_act(f, act)?;
        }
        Ok(())
    }
}

fn show_agent(f: &mut fmt::Formatter<'_>, agent: &AgentPlan) -> fmt::Result {
    if let Some(budget) = &agent.budget {
        let json = serde_json::to_string(budget).unwrap_or_default();
        write!(f, ", limits {json}")?;
    }
    writeln!(f)?;
    agent.turns.iter().enumerate().try_for_each(|(at, turn)| show_turn(f, at, turn))
}

fn show_turn(f: &mut fmt::Formatter<'_>, at: usize, turn: &TurnPlan) -> fmt::Result {
    write!(f, "    turn {at}: text of {}", turn.text)?;
    for CallPlan { tool, does } in &turn.calls {
        write!(f, ", {tool:?} that does {does:?}")?;
    }
    if turn.ids != CallIds::Own {
        write!(f, ", ids {:?}", turn.ids)?;
    }
    if turn.answers {
        write!(f, ", and a tool result")?;
    }
    if turn.usage != UsagePlan::default() {
        write!(f, ", usage {:?}", turn.usage)?;
    }
    if !turn.before.is_empty() {
        write!(f, ", after {:?}", turn.before)?;
    }
    writeln!(f)
}

fn show_hook(f: &mut fmt::Formatter<'_>, hook: &HookPlan) -> fmt::Result {
    write!(f, "on {:?}: {:?}", hook.on, hook.does)?;
    if let Some(after) = hook.after {
        write!(f, ", after {after} steps")?;
    }
    if hook.priority != 0 {
        write!(f, ", priority {}", hook.priority)?;
    }
    writeln!(f, "{}", if hook.inherited { ", inherited" } else { "" })
}

fn show_act(f: &mut fmt::Formatter<'_>, act: &Act) -> fmt::Result {
    let Act::Go(go) = act else { return writeln!(f, "{act:?}") };
    let Go { start, by, on_doubt, meanwhile, faults, stuck } = go;
    write!(f, "{start:?} by {by:?}")?;
    if let Some(on_doubt) = on_doubt {
        write!(f, ", in doubt {on_doubt:?}")?;
    }
    for (poll, what) in meanwhile {
        write!(f, "; at poll {poll} {what:?}")?;
    }
    for (operation, nth, fault) in faults {
        write!(f, "; {operation:?} {nth} {fault:?}")?;
    }
    writeln!(f, "; stuck: {stuck:?}")
}
