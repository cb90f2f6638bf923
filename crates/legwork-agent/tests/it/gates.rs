//! Hooks as types; gates where nothing can be stopped any more; hooks that panic; how an
//! execution ends that an error ended.

use legwork_agent::lifecycle::{Cx, Strictness, priority};
use legwork_agent::{Agent, Builder, Handler, Hook, hook};
use legwork_core::continuation::{ErrorHandler, Failure};
use legwork_core::event::{Event, StopPrevented};
use legwork_core::{
    AgentState, Budget, ContinuationOutcome, EffectClass, ErrorKind, ErrorRecord, ExecutionStatus,
    StopReason, StopSignal, ToolOutcome,
};
use legwork_port::{BoxFuture, Core, Lifecycle, StepView, Trigger};
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::json;

use crate::tools::{World, noting, outcomes};

fn look(world: &World) -> Builder {
    let model = ScriptedModel::new([Turn::call("look", json!({"n": 1})), Turn::text("done")]);
    Agent::builder(model).tools([noting("look", EffectClass::ReadOnly, world)])
}

/// A hook as a type, with what it holds.
struct Audit {
    name: &'static str,
    world: World,
    priority: i32,
}

impl Handler for Audit {
    fn name(&self) -> &str {
        self.name
    }

    fn triggers(&self) -> Vec<Trigger> {
        vec![Trigger::BeforeToolUse, Trigger::ExecutionEnd]
    }

    fn priority(&self) -> i32 {
        self.priority
    }

    fn handle(&self, state: AgentState, cx: Cx) -> BoxFuture<'_, Result<AgentState, hook::Error>> {
        Box::pin(async move {
            let tools = cx.view.tools.iter().count();
            self.world.note(format!("{}: {} of {tools} tools", self.name, cx.trigger.name()));
            Ok(state.with_metadata(self.name, Some(json!(cx.trigger.name()))))
        })
    }
}

#[tokio::test]
async fn s2_1_a_type_is_a_hook_with_its_own_name_triggers_and_priority() {
    let world = World::default();
    let audit = |name, priority| Audit { name, world: world.clone(), priority };
    let made = Hook::from(audit("audit", priority::HISTORY));
    assert_eq!((made.name(), made.priority_of()), ("audit", priority::HISTORY));
    assert!(!made.is_gate() && !made.is_inherited());
    let (gate, inherited) = (made.clone().gate(), made.inherited());
    assert!(gate.is_gate() && gate.is_inherited(), "what guards a tool goes where the tool goes");
    assert!(inherited.is_inherited() && !inherited.is_gate());
    let guard = Hook::from(audit("guard", priority::GUARDS));
    assert!(guard.is_gate() && guard.is_inherited(), "guards are both");
    // Each runs on its triggers, and on these by priority, however they were given.
    let agent = look(&world)
        .hook(audit("last", priority::HISTORY))
        .hook(audit("first", priority::GUARDS))
        .hook(audit("second", priority::DEFAULT))
        .build()
        .unwrap();
    let run = agent.run("go").await.unwrap();
    let notes = [
        "first: on_before_tool_use of 1 tools",
        "second: on_before_tool_use of 1 tools",
        "last: on_before_tool_use of 1 tools",
        "look 1",
        "first: on_execution_end of 1 tools",
        "second: on_execution_end of 1 tools",
        "last: on_execution_end of 1 tools",
    ];
    assert_eq!(world.notes(), notes);
    for name in ["first", "second", "last"] {
        assert_eq!(run.state().context().metadata[name], "on_execution_end");
    }
}

#[test]
fn s2_6_the_priorities_that_ship() {
    let all = [
        priority::CANCELLATION,
        priority::GUARDS,
        priority::CONTEXT,
        priority::DEFAULT,
        priority::COMPACTION,
        priority::HISTORY,
    ];
    assert_eq!(all, [250, 200, 100, 0, -200, -1000]);
    let made =
        |priority| hook("h", [], |state, _| std::future::ready(Ok(state))).priority(priority);
    assert!(made(200).is_gate() && !made(199).is_gate());
    assert_eq!(hook("h", [], |state, _| std::future::ready(Ok(state))).priority_of(), 0);
}

fn failing(trigger: Trigger) -> Hook {
    hook("broken", [trigger], |_: AgentState, _| async { Err(hook::Error::new("it broke")) })
}

fn notes(key: &'static str, trigger: Trigger) -> Hook {
    hook(key, [trigger], move |state: AgentState, _| {
        std::future::ready(Ok(state.with_metadata(key, Some(json!(true)))))
    })
}

#[tokio::test]
async fn s2_4_a_gate_that_fails_when_all_is_over_costs_only_its_own_change() {
    let end = Trigger::ExecutionEnd;
    let agent = look(&World::default())
        .hook_strictness(Strictness::Strict)
        .hook(notes("before", end))
        .hook(failing(end).gate())
        .hook(hook("votes", [end], |state: AgentState, _| async move {
            Ok(state.with_stop_prevented("votes"))
        }))
        .hook(notes("after", end));
    let run = agent.build().unwrap().run("go").await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Completed);
    assert!(run.state().stop_signals().is_empty());
    let metadata: Vec<_> = run.state().context().metadata.keys().map(String::as_str).collect();
    assert_eq!(metadata, ["after", "before"]);
    let kinds: Vec<_> = run.state().errors().map(|error| error.kind.clone()).collect();
    assert_eq!(kinds, [ErrorKind::Hook, ErrorKind::NotAllowed]);
}

#[tokio::test]
async fn s2_4_a_hook_that_panics_failed() {
    let at_once = |trigger| {
        hook("panics", [trigger], |_: AgentState, _| -> std::future::Ready<_> { panic!("at once") })
    };
    let later = |trigger| hook("panics", [trigger], |_, _| async { panic!("{} later", 1) });
    for (panics, words) in
        [(at_once(Trigger::BeforeToolUse), "at once"), (later(Trigger::BeforeToolUse), "1 later")]
    {
        let world = World::default();
        let run = look(&world).hook(panics.clone()).build().unwrap().run("go").await.unwrap();
        assert_eq!((run.status(), world.notes().len()), (ExecutionStatus::Completed, 1));
        let error = run.state().errors().next().unwrap().clone();
        assert_eq!(error.kind, ErrorKind::Hook);
        assert!(error.message.contains(&format!("it panicked: {words}")), "{}", error.message);

        let world = World::default();
        let run = look(&world).hook(panics.gate()).build().unwrap().run("go").await.unwrap();
        assert!(world.notes().is_empty(), "the tool ran");
        assert!(matches!(&outcomes(run.state())[0], ToolOutcome::Blocked { .. }));
    }
}

#[tokio::test]
async fn s2_4_what_a_guard_blocked_no_later_hook_lets_through() {
    let world = World::default();
    let guard = hook("guard", [Trigger::BeforeToolUse], |state: AgentState, _| async move {
        Ok(state.with_tool_call_blocked("guard", "no"))
    });
    let opens = hook("opens", [Trigger::BeforeToolUse], |state: AgentState, _| async move {
        Ok(state.with_current_tool_call(None))
    });
    let agent = look(&world).hook(guard.priority(priority::GUARDS)).hook(opens);
    let run = agent.build().unwrap().run("go").await.unwrap();
    assert!(world.notes().is_empty(), "the tool ran");
    assert!(matches!(&outcomes(run.state())[0], ToolOutcome::Blocked { by, .. } if by == "guard"));
}

#[tokio::test]
async fn s2_3_in_strict_mode_a_change_that_is_not_allowed_fails_the_execution() {
    for (strictness, status) in [
        (Strictness::Report, ExecutionStatus::Completed),
        (Strictness::Strict, ExecutionStatus::Failed),
    ] {
        let votes = hook("votes", [Trigger::StepStart], |state: AgentState, _| async move {
            Ok(state.with_vote("votes", legwork_core::Decision::Request))
        });
        let agent = look(&World::default()).hook_strictness(strictness).hook(votes);
        let run = agent.build().unwrap().run("go").outcome().await.unwrap();
        assert_eq!(run.status(), status);
        let error = run.state().errors().next().unwrap();
        assert!(error.message.contains("changed votes on on_step_start"), "{}", error.message);
    }
}

/// Lets an execution that a model failed end as stopped, and says so.
struct Softly;

impl ErrorHandler for Softly {
    fn handle(&self, _: &AgentState, error: &ErrorRecord) -> Failure {
        let signal = StopSignal::new(StopReason::StopRequested, "softly", error.message.clone());
        let outcome = ContinuationOutcome::stop(signal);
        Failure { status: ExecutionStatus::Stopped, outcome }
    }
}

#[tokio::test]
async fn s2_1_an_error_handler_says_how_an_execution_ends_that_an_error_ended() {
    let fails = || ScriptedModel::new([Turn::status(500).with_message("overheated")]);
    let run = Agent::builder(fails()).build().unwrap().run("go").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Failed);
    assert_eq!(run.continuation().unwrap().stop_reason(), Some(&StopReason::Error));

    let agent = Agent::builder(fails()).error_handler(Softly).build().unwrap();
    let run = agent.run("go").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Stopped);
    let outcome = run.continuation().unwrap();
    assert_eq!(outcome.explain(), "Stopping (stop_requested, by softly): overheated.");
    assert!(outcome.votes.iter().any(|vote| vote.by == "errors"), "{:?}", outcome.votes);
    // What did not fail, it is not asked about.
    let agent = look(&World::default()).error_handler(Softly).build().unwrap();
    assert_eq!(agent.run("go").await.unwrap().status(), ExecutionStatus::Completed);
}

#[tokio::test]
async fn s2_4_a_gate_that_fails_before_a_stop_fails_the_execution_whatever_prevents_the_stop() {
    let before = Trigger::BeforeStop;
    let prevents = hook("prevents", [before], |state: AgentState, _| async move {
        Ok(state.with_stop_prevented("prevents"))
    });
    for more in [vec![], vec![prevents]] {
        let agent = more.into_iter().fold(look(&World::default()), Builder::hook);
        let run =
            agent.hook(failing(before).gate()).build().unwrap().run("go").outcome().await.unwrap();
        assert_eq!(run.status(), ExecutionStatus::Failed);
        assert!(run.continuation().unwrap().explain().contains("it broke"));
        assert_eq!(run.text(), "done", "all that was done is kept");
    }
}

#[tokio::test]
async fn s3_7_a_stop_asked_for_before_a_stop_keeps_its_own_reason() {
    let stops = hook("stops", [Trigger::BeforeStop], |state: AgentState, _| async move {
        Ok(state.with_stop_signal(crate::tools::signal(StopReason::StopRequested)))
    });
    let run =
        look(&World::default()).hook(stops).build().unwrap().run("go").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Stopped);
    assert_eq!(run.continuation().unwrap().stop_reason(), Some(&StopReason::StopRequested));
}

#[tokio::test]
async fn s1_4_a_hook_does_not_put_the_state_on_another_path() {
    let moves = hook("moves", [Trigger::StepStart], |state: AgentState, _| async move {
        Ok(state.on_path(Vec::new()))
    });
    let run = look(&World::default()).hook(moves).build().unwrap().run("go").await.unwrap();
    assert_eq!(crate::tools::said(run.state()), ["go", "1", "done"]);
    assert!(run.state().errors().all(|error| error.kind == ErrorKind::Lineage));
}

#[tokio::test]
async fn s2_no_hook_records_that_a_forbidden_stop_was_prevented() {
    let model = ScriptedModel::new([Turn::call("look", json!({"n": 1})), Turn::text("never")]);
    let forges = hook("forges", [Trigger::BeforeStop], |state: AgentState, _| async move {
        let by = "forges".to_owned();
        Ok(state.with(Event::StopPrevented(StopPrevented { by })))
    });
    let run = Agent::builder(model.clone())
        .tools([noting("look", EffectClass::ReadOnly, &World::default())])
        .budget(Budget::unlimited().steps(1))
        .hook(forges)
        .build()
        .unwrap()
        .run("go")
        .outcome()
        .await
        .unwrap();
    assert_eq!((run.status(), model.requests().len()), (ExecutionStatus::Stopped, 1));
    let error = run.state().errors().last().unwrap();
    assert_eq!(error.kind, ErrorKind::NotAllowed);
}

/// Panics when a step ends.
struct Falls;

impl Core for Falls {}

impl Lifecycle for Falls {
    fn on_step_end<'a>(&'a self, _: AgentState, _: &'a StepView) -> BoxFuture<'a, AgentState> {
        panic!("it fell")
    }
}

#[tokio::test]
async fn s2_1_a_lifecycle_that_panics_costs_only_its_own_change() {
    let run = look(&World::default()).lifecycle(Falls).build().unwrap().run("go").await.unwrap();
    assert_eq!((run.status(), &*run.text()), (ExecutionStatus::Completed, "done"));
    let errors: Vec<_> = run.state().errors().map(|error| error.message.clone()).collect();
    assert_eq!(errors, ["a lifecycle panicked on on_step_end: it fell"; 2]);
    // A core that panics decides nothing.
    let agent = look(&World::default()).core_lifecycle(Falls).build().unwrap();
    let run = agent.run("go").outcome().await.unwrap();
    assert_eq!(run.continuation().unwrap().stop_reason(), Some(&StopReason::Unknown));
}

/// A hook as a type that says no priority.
struct Plain;

impl Handler for Plain {
    fn name(&self) -> &'static str {
        "plain"
    }

    fn triggers(&self) -> Vec<Trigger> {
        vec![Trigger::StepStart]
    }

    fn handle(&self, state: AgentState, _: Cx) -> BoxFuture<'_, Result<AgentState, hook::Error>> {
        Box::pin(std::future::ready(Ok(state)))
    }
}

#[test]
fn s2_1_a_type_that_says_no_priority_is_a_hook_of_the_default_one() {
    assert_eq!(Hook::from(Plain).priority_of(), priority::DEFAULT);
}
