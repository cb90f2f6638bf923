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

/// The error of a run that fails as a criterion does, and what resuming its session comes to.
async fn failed_by(why: fn() -> continuation::Error) -> (legwork::Error, Result<String, String>) {
    let model = ScriptedModel::new([Turn::text("Done."), Turn::text("Done again.")]);
    let agent = Agent::builder(model).store("memory:").criterion(Quota(AtomicUsize::new(1), why));
    let agent = agent.build().unwrap();
    let error = agent.run("go").in_session("s").await.unwrap_err();
    let resumed = agent.resume("s").await;
    (error.into(), resumed.map(|run| run.text()).map_err(|error| error.to_string()))
}

#[tokio::test]
async fn s12_1_an_execution_that_failed_for_now_says_so_and_goes_on() {
    let (error, resumed) = failed_by(|| continuation::Error::Temporary("busy".to_owned())).await;
    assert!(error.is_retryable(), "{error}");
    assert_eq!(error.unfinished().unwrap().run().status(), ExecutionStatus::Failed);
    assert!(resumed.is_ok(), "{resumed:?}");

    let (error, resumed) = failed_by(|| continuation::Error::Failed("broken".to_owned())).await;
    assert!(!error.is_retryable(), "{error}");
    let refused = resumed.unwrap_err();
    assert!(refused.contains("nothing is left to do (failed)"), "{refused}");
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
