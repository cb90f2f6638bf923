//! What every lifecycle must keep.

use std::future::ready;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use legwork_agent::Agent;
use legwork_core::error::ErrorSource;
use legwork_core::{AgentState, Budget, EffectClass, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{BoxFuture, Lifecycle, Profile, StepView, Tool, ToolContext, Trigger};
use serde_json::json;

use super::{Outcome, Violations, ensure, run};
use crate::model::ScriptedModel;
use crate::script::{Script, Turn};

/// Checks every promise of the port on lifecycles that `make` makes: agents run with them, so
/// that each trigger is reached in several ways.
///
/// # Errors
/// The promises that were not kept.
pub async fn check<L: Lifecycle + 'static>(make: impl AsyncFn() -> L) -> Result<(), Violations> {
    run!(Subject { lifecycle: Arc::new(make().await) } =>
        promises::s2_2_an_answer_of_text,
        promises::s2_2_tool_calls,
        promises::s2_2_calls_that_fail,
        promises::s2_2_no_answer,
        promises::s2_2_an_execution_that_a_limit_ends,
        promises::s2_2_several_runs_at_once,
        promises::s9_5_a_conversation_that_is_compacted,
    )
}

struct Subject {
    lifecycle: Arc<dyn Lifecycle>,
}

/// A lifecycle, with what it does wrong.
struct Watched {
    lifecycle: Arc<dyn Lifecycle>,
    found: Arc<Mutex<Vec<String>>>,
}

impl Watched {
    fn find(&self, found: String) {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).push(found);
    }
}

impl Lifecycle for Watched {
    fn on<'a>(
        &'a self,
        trigger: Trigger,
        state: AgentState,
        view: &'a StepView,
    ) -> BoxFuture<'a, AgentState> {
        Box::pin(async move {
            let listens = self.lifecycle.listens(trigger);
            let before = state.clone();
            let after = self.lifecycle.on(trigger, state, view).await;
            if !listens && !after.is_same(&before) {
                self.find(format!(
                    "it changes the state on {}, which it does not listen to",
                    trigger.name()
                ));
            }
            if self.lifecycle.listens(trigger) != listens {
                self.find(format!("it listens to {} only sometimes", trigger.name()));
            }
            after
        })
    }
}

/// A tool that does what its argument says.
struct Does(&'static str);

impl Tool for Does {
    fn spec(&self) -> Arc<ToolSpec> {
        let parameters = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
        let spec = ToolSpec::new(self.0, "Does what its name says.", parameters);
        Arc::new(spec.effect(EffectClass::ReadOnly))
    }

    fn call<'a>(&'a self, _: &'a ToolCall, _: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        let outcome = match self.0 {
            "look" => ToolOutcome::text("seen"),
            _ => ToolOutcome::failed("it failed"),
        };
        Box::pin(ready(outcome))
    }
}

impl Subject {
    /// Runs an agent with the lifecycle; what it did wrong, and whether it was called.
    async fn play(&self, turns: Vec<Turn>, budget: Budget) -> Outcome {
        self.play_with(ScriptedModel::new(turns), budget).await
    }

    async fn play_with(&self, model: ScriptedModel, budget: Budget) -> Outcome {
        let found = Arc::new(Mutex::default());
        let watched = Watched { lifecycle: Arc::clone(&self.lifecycle), found: Arc::clone(&found) };
        let agent = Agent::builder(model)
            .tool(Does("look"))
            .tool(Does("fail"))
            .budget(budget)
            .lifecycle(watched)
            .build()
            .map_err(|error| error.to_string())?;
        let run = agent.run("Look around.").outcome().await.map_err(|error| error.to_string())?;
        let status = run.status();
        ensure!(status.is_terminal(), "with it an execution does not end: it is {status}");
        let is_refusal =
            |source: &ErrorSource| matches!(source, ErrorSource::Hook(name) if name == "lifecycle");
        let refused = run.state().errors().filter(|error| is_refusal(&error.source));
        let refused: Vec<_> = refused.map(|error| error.message.clone()).collect();
        ensure!(refused.is_empty(), "{}", refused.join("; "));
        let found = found.lock().unwrap_or_else(PoisonError::into_inner);
        ensure!(found.is_empty(), "{}", found.join("; "));
        Ok(())
    }
}

fn look() -> Turn {
    Turn::calls([("look", json!({"n": 1})), ("look", json!({"n": 2}))])
}

mod promises {
    use super::*;

    pub(super) async fn s2_2_an_answer_of_text(subject: &Subject) -> Outcome {
        subject.play(vec![Turn::text("Nothing to be seen.")], Budget::unlimited()).await
    }

    pub(super) async fn s2_2_tool_calls(subject: &Subject) -> Outcome {
        let turns = vec![look(), look().with_text("Once more."), Turn::text("Done.")];
        subject.play(turns, Budget::unlimited()).await
    }

    pub(super) async fn s2_2_calls_that_fail(subject: &Subject) -> Outcome {
        let calls = [("fail", json!({})), ("look", json!({"n": "one"})), ("nothing", json!({}))];
        let turns = vec![Turn::calls(calls), Turn::text("It does not work.")];
        subject.play(turns, Budget::unlimited()).await
    }

    pub(super) async fn s2_2_no_answer(subject: &Subject) -> Outcome {
        subject.play(vec![look(), Turn::status(401)], Budget::unlimited()).await
    }

    pub(super) async fn s2_2_an_execution_that_a_limit_ends(subject: &Subject) -> Outcome {
        subject.play(vec![look(), look(), look()], Budget::unlimited().steps(2)).await
    }

    pub(super) async fn s2_2_several_runs_at_once(subject: &Subject) -> Outcome {
        let play = || subject.play(vec![look(), Turn::text("Done.")], Budget::unlimited());
        futures_util::future::try_join3(play(), play(), play()).await.map(drop)
    }

    pub(super) async fn s9_5_a_conversation_that_is_compacted(subject: &Subject) -> Outcome {
        let summed_up = AtomicBool::new(false);
        let model = ScriptedModel::new(Script::from_fn(move |asked| {
            let is_summary = asked.last().starts_with("The conversation is about to be shortened");
            let before = summed_up.fetch_or(is_summary, Ordering::Relaxed);
            match (is_summary, before || asked.turn() > 9) {
                (true, _) => Turn::text("It looked around."),
                (false, true) => Turn::text("Done."),
                (false, false) => look().with_text("I look around. ".repeat(60)).without_usage(),
            }
        }));
        let model = model.with_profile(Profile::new().with_context_window(2_000));
        subject.play_with(model, Budget::unlimited()).await
    }
}
