//! Which errors say that the same may succeed later.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use legwork::agent::{continuation, hook, hooks};
use legwork::core::error::ErrorSource;
use legwork::core::{Criterion, Decision, ExecutionStatus, Usage};
use legwork::model::credentials;
use legwork::output::extraction;
use legwork::port::store::{self, Holder, Loss};
use legwork::port::{Trigger, model, toolset};
use legwork::prelude::*;
use legwork_testkit::{ScriptedModel, Turn};

#[test]
fn s12_1_an_error_says_whether_the_same_may_succeed_later() {
    let text = || "it broke".to_owned();
    let session = || "s".into();
    for (error, expected) in [
        (store::Error::Held { session: session(), by: Holder::Unknown }, true),
        (store::Error::Failed { store: text(), reason: text() }, true),
        (store::Error::Lost { session: session(), cause: Loss::Claimed }, false),
        (store::Error::Exists { session: session() }, false),
        (store::Error::Unusable { store: text(), reason: text() }, false),
        (store::Error::Unknown { session: session() }, false),
        (store::Error::Panicked { message: text() }, false),
    ] {
        assert_eq!(error.is_retryable(), expected, "{error}");
        let error = legwork::agent::Error::from(error);
        assert_eq!(error.is_retryable(), expected, "{error}");
        assert_eq!(legwork::Error::from(error).is_retryable(), expected);
    }
    for (error, expected) in [
        (toolset::Error::Unavailable(text()), true),
        (toolset::Error::Denied(text()), false),
        (toolset::Error::Invalid(text()), false),
    ] {
        assert_eq!(error.is_retryable(), expected, "{error}");
    }
    assert!(credentials::Error::Unavailable(text()).is_retryable());
    assert!(!credentials::Error::Refused(text()).is_retryable());
    for (error, expected) in [
        (hooks::Error::new("it broke"), false),
        ("it broke".into(), false),
        (hooks::Error::temporary("not now"), true),
        (hooks::Error::TimedOut(Duration::from_secs(1)), true),
        (hooks::Error::Panicked(text()), false),
    ] {
        assert_eq!(error.is_retryable(), expected, "{error}");
    }
    assert!(continuation::Error::Temporary(text()).is_retryable());
    assert!(!continuation::Error::Failed(text()).is_retryable());
    let failed = |kind| {
        let error = model::Error::new(kind, "it broke");
        extraction::Error::Model { error, attempts: Vec::new() }.is_retryable()
    };
    assert!(failed(model::Kind::Server) && !failed(model::Kind::Unauthorized));
    assert!(!extraction::Error::Rejected { attempts: Vec::new() }.is_retryable());
}

/// A criterion whose service fails as often as this.
struct Quota(AtomicUsize, fn() -> continuation::Error);

impl Criterion for Quota {
    fn name(&self) -> &str {
        "quota"
    }

    fn decide(&self, _: &AgentState) -> Result<Option<Decision>, continuation::Error> {
        match self.0.load(Ordering::SeqCst) {
            0 => Ok(None),
            left => {
                self.0.store(left - 1, Ordering::SeqCst);
                Err(self.1())
            }
        }
    }
}

#[tool(name = "look")]
/// Looks.
async fn look() -> String {
    "seen".to_owned()
}

/// The error of a run that a criterion fails at its first step, what resuming its session comes to,
/// and how often the model was asked.
async fn failed_by(
    why: fn() -> continuation::Error,
    turns: [Turn; 2],
) -> (legwork::Error, Result<String, String>, usize) {
    let model = ScriptedModel::new(turns);
    let agent = Agent::builder(model.clone()).tools([look]).store("memory:");
    let agent = agent.criterion(Quota(AtomicUsize::new(1), why)).build().unwrap();
    let error = agent.run("go").in_session("s").await.unwrap_err();
    let resumed = agent.resume("s").await;
    let resumed = resumed.map(|run| run.text()).map_err(|error| error.to_string());
    (error.into(), resumed, model.requests().len())
}

fn busy() -> continuation::Error {
    continuation::Error::Temporary("busy".to_owned())
}

fn looks() -> [Turn; 2] {
    [Turn::call("look", serde_json::json!({})), Turn::text("Done.")]
}

#[tokio::test]
async fn s12_1_an_execution_that_a_criterion_failed_for_now_goes_on() {
    let (error, resumed, asked) = failed_by(busy, looks()).await;
    assert!(error.is_retryable(), "{error}");
    assert_eq!(error.unfinished().unwrap().run().status(), ExecutionStatus::Failed);
    assert_eq!((resumed.unwrap().as_str(), asked), ("Done.", 2));

    let broken = || continuation::Error::Failed("broken".to_owned());
    let (error, resumed, asked) = failed_by(broken, looks()).await;
    assert!(!error.is_retryable(), "{error}");
    let refused = resumed.unwrap_err();
    assert!(refused.contains("nothing is left to do (failed)"), "{refused}");
    assert_eq!(asked, 1);
}

#[tokio::test]
async fn s12_1_no_model_is_asked_again_after_an_answer_that_a_criterion_failed_for_now() {
    let turns = [Turn::text("Done."), Turn::text("never")];
    let (error, resumed, asked) = failed_by(busy, turns).await;
    assert!(error.is_retryable(), "{error}");
    assert!(resumed.unwrap_err().contains("nothing is left to do"));
    assert_eq!(asked, 1);
}

#[tokio::test]
async fn s12_1_what_no_retry_helps_is_not_retryable() {
    for (kind, expected) in [(model::Kind::Server, true), (model::Kind::Unauthorized, false)] {
        let model = ScriptedModel::new([Turn::error(model::Error::new(kind, "it broke"))]);
        let agent = Agent::builder(model).build().unwrap();
        let error = agent.run("go").await.unwrap_err();
        assert_eq!(error.is_retryable(), expected, "{error}");
    }
}

#[tokio::test]
async fn s2_4_a_gate_that_failed_for_now_is_not_opened_by_resuming() {
    for trigger in [Trigger::ExecutionStart, Trigger::StepStart, Trigger::AfterToolUse] {
        let failing = hook("gate", [trigger], move |_, _| async {
            Err(hook::Error::temporary("the list is not there"))
        });
        let model = ScriptedModel::new(looks());
        let agent = Agent::builder(model.clone()).tools([look]).store("memory:");
        let agent = agent.hook(failing.gate()).build().unwrap();
        let error = agent.run("go").in_session("s").await.unwrap_err();
        let asked = model.requests().len();
        assert!(error.is_retryable(), "{trigger:?}: {error}");
        assert!(agent.resume("s").await.is_err(), "{trigger:?}");
        assert_eq!(model.requests().len(), asked, "{trigger:?}: no model is asked");
    }
}

#[tokio::test]
async fn s12_1_the_error_of_a_hook_is_recorded_with_whether_it_may_pass() {
    for (why, expected) in
        [(hook::Error::temporary("not now"), true), (hook::Error::new("never"), false)]
    {
        let failing = hook("failing", [Trigger::StepEnd], move |_, _| {
            let why = why.clone();
            async move { Err(why) }
        });
        let model = ScriptedModel::new([Turn::text("Done.").with_usage(Usage::default())]);
        let agent = Agent::builder(model).hook(failing).build().unwrap();
        let state = agent.run("go").await.unwrap().into_state();
        let errors = state.step_results().flat_map(|result| result.step.errors.iter().cloned());
        let errors: Vec<_> = errors.collect();
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].source, ErrorSource::Hook("failing".to_owned()));
        assert_eq!(errors[0].retryable, expected, "{}", errors[0]);
    }
}
