//! Hooks that take too long, on a clock that no time passes on.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use legwork_agent::event::HookEnd;
use legwork_agent::{Agent, Builder, EventKind, Hook, hook};
use legwork_core::{AgentState, Decision, EffectClass, ErrorKind, ExecutionStatus, ToolOutcome};
use legwork_port::Trigger;
use legwork_testkit::{ScriptedModel, Turn, VirtualClock};
use serde_json::json;

use crate::tools::{World, noting, outcomes};

const LIMIT: Duration = Duration::from_secs(5);

fn look(world: &World) -> (ScriptedModel, Builder) {
    let model = ScriptedModel::new([Turn::call("look", json!({"n": 1})), Turn::text("done")]);
    let tool = noting("look", EffectClass::ReadOnly, world);
    let builder = Agent::builder(model.clone()).tools([tool]);
    (model, builder.clock(Arc::new(VirtualClock::auto())))
}

/// A hook that never comes back.
fn hangs(trigger: Trigger) -> Hook {
    hook("hangs", [trigger], |state: AgentState, _| async move {
        let _kept = state;
        pending().await
    })
    .timeout(LIMIT)
}

/// A hook that changes the state after so long.
fn takes(name: &'static str, seconds: u64) -> Hook {
    let hook = hook(name, [Trigger::StepStart], move |state: AgentState, cx| async move {
        cx.view.clock().sleep(Duration::from_secs(seconds)).await;
        Ok(state.with_metadata(name, Some(json!(true))))
    });
    hook.timeout(LIMIT)
}

#[tokio::test]
async fn s2_4_a_hook_that_hangs_is_left_behind_at_its_limit_and_the_rest_goes_on() {
    for trigger in Trigger::ALL {
        let world = World::default();
        let run = look(&world).1.hook(hangs(trigger)).build().unwrap().run("go").await.unwrap();
        assert_eq!(run.status(), ExecutionStatus::Completed, "{trigger:?}");
        assert_eq!((run.text(), world.notes().len()), ("done".to_owned(), 1), "{trigger:?}");
        let errors: Vec<_> = run.state().errors().collect();
        // No error is shown before the first one, which is that of a hook: those are not. And
        // nothing is compacted.
        let is_unseen = matches!(trigger, Trigger::Error | Trigger::BeforeCompaction);
        assert_eq!(errors.is_empty(), is_unseen, "{trigger:?}: {errors:?}");
        for error in errors {
            assert_eq!(error.kind, ErrorKind::Hook);
            let words = "it ran longer than its limit of 5.0s";
            assert!(error.message.contains(words), "{}", error.message);
            assert!(error.message.contains(trigger.name()), "{}", error.message);
        }
    }
}

#[tokio::test]
async fn s2_4_a_gate_that_hangs_blocks_the_call_it_was_to_judge() {
    let world = World::default();
    let gate = hangs(Trigger::BeforeToolUse).gate();
    let run = look(&world).1.hook(gate).build().unwrap().run("go").await.unwrap();
    assert!(world.notes().is_empty(), "the tool ran");
    let outcome = &outcomes(run.state())[0];
    let ToolOutcome::Blocked { by, reason } = outcome else { panic!("{outcome:?}") };
    assert_eq!(by, "hangs");
    assert!(reason.contains("longer than its limit"), "{reason}");
}

#[tokio::test]
async fn s2_4_a_gate_that_hangs_elsewhere_stops_before_anything_is_sent() {
    for trigger in [Trigger::ExecutionStart, Trigger::StepStart, Trigger::BeforeInference] {
        let world = World::default();
        let (model, builder) = look(&world);
        let run =
            builder.hook(hangs(trigger).gate()).build().unwrap().run("go").outcome().await.unwrap();
        assert!(model.requests().is_empty(), "{trigger:?}");
        assert_eq!(run.status(), ExecutionStatus::Failed, "{trigger:?}");
    }
}

#[tokio::test]
async fn s2_4_what_a_late_hook_changes_is_left_out_and_what_comes_in_time_is_kept() {
    let world = World::default();
    let clock = VirtualClock::auto();
    let run = look(&world)
        .1
        .clock(Arc::new(clock))
        .hook(takes("in time", 4))
        .hook(takes("late", 6))
        .hook(takes("at once", 0))
        .build()
        .unwrap()
        .run("go")
        .await
        .unwrap();
    let metadata: Vec<_> = run.state().context().metadata.keys().map(String::as_str).collect();
    assert_eq!(metadata, ["at once", "in time"]);
    let errors: Vec<_> = run.state().errors().map(|error| error.message.clone()).collect();
    assert_eq!(errors.len(), 2, "once a step: {errors:?}");
    assert!(errors.iter().all(|error| error.contains("`late`")), "{errors:?}");
}

#[tokio::test]
async fn s2_4_a_hook_without_a_limit_takes_its_time() {
    let world = World::default();
    let slow = hook("slow", [Trigger::StepEnd], |state: AgentState, cx| async move {
        cx.view.clock().sleep(Duration::from_secs(60)).await;
        Ok(state.with_metadata("slow", Some(json!(true))))
    });
    let run = look(&world).1.hook(slow).build().unwrap().run("go").await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Completed);
    assert_eq!(run.state().context().metadata["slow"], true);
}

#[tokio::test]
async fn how_long_a_hook_took_and_how_it_ended_is_told() {
    let refused = hook("votes", [Trigger::StepStart], |state: AgentState, _| async move {
        Ok(state.with_vote("votes", Decision::Request))
    });
    let agent = look(&World::default()).1.hook(hangs(Trigger::StepEnd)).hook(takes("slow", 4));
    let mut stream = agent.hook(refused).build().unwrap().stream("go");
    let mut told = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::HookExecuted { hook, took, end, .. } = event.kind {
            told.push((hook, took.0 / 1_000_000, end));
        }
    }
    let said = |at: usize| (&*told[at].0, told[at].1);
    assert_eq!([said(0), said(1), said(2)], [("slow", 4), ("votes", 0), ("hangs", 5)]);
    assert_eq!(told[0].2, HookEnd::Changed);
    let HookEnd::Refused(why) = &told[1].2 else { panic!("{told:?}") };
    assert!(why.contains("changed votes on on_step_start"), "{why}");
    let HookEnd::Failed(why) = &told[2].2 else { panic!("{told:?}") };
    assert_eq!(why, "it ran longer than its limit of 5.0s");
}
