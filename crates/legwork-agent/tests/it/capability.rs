//! Capabilities by name.

use std::sync::Arc;

use legwork_agent::capability::{
    CancellationCapability, Error, ExecutionHistory, Fields, Guards, HookCapability, Metadata,
    Registry, TaskList, ToolsCapability,
};
use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Capability, hook};
use legwork_core::{AgentState, EffectClass, ExecutionStatus, StopReason, StopSignal, ToolOutcome};
use legwork_port::{Cancellation, Trigger};
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::{Value, json};

use crate::tools::{World, made, noting, outcomes, spec};

fn refused(name: &str, settings: Value) -> String {
    Registry::shipped().make(name, &settings).err().unwrap().to_string()
}

#[test]
fn an_unknown_capability_is_told_with_the_nearest_and_all() {
    let registry = Registry::new();
    let registry = registry.with("bash", "Runs.", |_| Err("never".to_owned()));
    let registry = registry.with("files", "Reads.", |_| Err("never".to_owned()));
    let unknown = |name| registry.make(name, &json!({})).err().unwrap().to_string();
    assert_eq!(
        unknown("bsah"),
        "there is no capability `bsah`: did you mean `bash`? there are bash, files"
    );
    assert_eq!(unknown("zzz"), "there is no capability `zzz`: there are bash, files");
    let none = Registry::new().make("bash", &json!({})).err().unwrap();
    assert_eq!(none.to_string(), "there is no capability `bash`: there are none");
}

#[test]
fn of_many_names_thirty_are_told_and_how_many_more_there_are() {
    let told = |count: usize| {
        let registry = (0..count).fold(Registry::new(), |registry, n| {
            registry.with(format!("c{n:02}"), "Does.", |_| Err("never".to_owned()))
        });
        registry.make("zzz", &json!({})).err().unwrap().to_string()
    };
    assert!(told(30).ends_with("c28, c29"), "{}", told(30));
    assert!(told(32).ends_with("c28, c29 and 2 more"), "{}", told(32));
}

#[test]
fn wrong_settings_name_the_field_and_what_it_takes() {
    assert_eq!(
        refused("guards", json!({"steps": "many"})),
        "the settings of the capability `guards` do not fit: `steps` takes a whole number from 0 \
         on, or null for no limit, not \"many\""
    );
    assert!(refused("guards", json!({"step": 3})).contains("did you mean `steps`?"));
    assert!(refused("guards", json!([1])).contains("settings are an object, not [1]"));
    let long = refused("guards", json!({"errors": "x".repeat(10_000)}));
    assert!(long.len() < 400 && long.contains("`errors` takes `stop`, `ignore`"), "{long}");
}

#[test]
fn settings_are_read_field_by_field_and_what_does_not_fit_is_told() {
    let mut fields = Fields::of(&json!({
        "most": 7, "none": null, "name": "ann", "all": ["a", "b"], "on": false, "wrong": -1
    }))
    .unwrap();
    assert_eq!(fields.whole("most"), Ok(Some(7)));
    assert_eq!(fields.whole("none"), Ok(None));
    assert_eq!(fields.whole("missing"), Ok(None));
    assert_eq!(fields.text("name"), Ok(Some("ann".to_owned())));
    assert_eq!(fields.texts("all"), Ok(vec!["a".to_owned(), "b".to_owned()]));
    assert_eq!(fields.texts("no_list"), Ok(Vec::new()));
    assert_eq!(fields.flag("on"), Ok(Some(false)));
    let error = fields.whole("wrong").unwrap_err();
    assert_eq!(error, "`wrong` takes a whole number from 0 on, not -1");
    assert_eq!(fields.done(), Ok(()), "each was taken");
}

#[test]
fn a_value_that_does_not_fit_is_shown_in_short() {
    let told = |text: String| Fields::of(&json!(text)).unwrap_err();
    // The quotes are two of the sixty characters that are shown.
    assert_eq!(told("é".repeat(58)), format!("settings are an object, not \"{}\"", "é".repeat(58)));
    assert_eq!(
        told("é".repeat(59)),
        format!("settings are an object, not \"{}...", "é".repeat(59))
    );
}

#[test]
fn a_registry_says_what_it_has() {
    let registry = Registry::new().with("bash", "Runs.", |_| Err("never".to_owned()));
    assert!(registry.has("bash"));
    assert!(!registry.has("files") && !Registry::new().has("bash"));
}

#[test]
fn every_shipped_capability_is_made_without_settings_under_its_own_name() {
    let registry = Registry::shipped();
    for (name, about) in registry.list() {
        let made = registry.make(name, &Value::Null).unwrap();
        assert_eq!((made.name(), made.about()), (name, about));
        let model = ScriptedModel::new([Turn::text("hello")]);
        Agent::builder(model).capabilities([made]).build().unwrap();
    }
}

#[test]
fn a_program_adds_its_own_and_takes_the_place_of_shipped_ones() {
    let strict = |settings: &Value| {
        let guards = Guards::from_settings(settings)?.steps(1);
        Ok(Arc::new(guards) as Arc<dyn Capability>)
    };
    let registry = Registry::shipped().with("guards", "One step.", strict);
    assert!(registry.list().any(|entry| entry == ("guards", "One step.")));
    let made = registry.make("guards", &json!({"steps": 9})).unwrap();
    let model = ScriptedModel::new([Turn::text("hello")]);
    let agent = Agent::builder(model).capabilities([made]).build().unwrap();
    assert_eq!(agent.definition().budget.steps, Some(1));
    let error = registry.make("guards", &json!(3)).err().unwrap();
    assert!(matches!(error, Error::Settings { name, .. } if name == "guards"));
}

#[tokio::test]
async fn s2_6_shipped_hooks_have_their_priorities() {
    let model = ScriptedModel::new([Turn::text("hello")]);
    let agent = Agent::builder(model)
        .capability(ExecutionHistory::new())
        .capability(TaskList::new())
        .capability(Metadata::new())
        .capability(CancellationCapability::new(Cancellation::new()))
        .build()
        .unwrap();
    let hooks = agent.describe().await.hooks;
    let order: Vec<_> = hooks.iter().map(|hook| (hook.name.as_str(), hook.priority)).collect();
    assert_eq!(
        order,
        [
            ("cancellation", 250),
            ("tasks.keep", 100),
            ("tasks.remind", 100),
            ("metadata.keep", 100),
            ("history", -1000),
        ]
    );
    assert!(hooks[0].gate && hooks[0].inherited);
}

#[tokio::test]
async fn hooks_and_tools_of_a_bundle_come_under_its_name() {
    let world = World::default();
    let noted = |name: &'static str| {
        let world = world.clone();
        hook(name, [Trigger::ExecutionStart], move |state: AgentState, _| {
            world.note(name);
            async move { Ok(state) }
        })
    };
    let watch = HookCapability::new("watch", "Watches.").hook(noted("a")).hook(noted("b"));
    let eyes = ToolsCapability::new("eyes", "Sees.")
        .tool(noting("look", EffectClass::ReadOnly, &world))
        .tools([noting("stare", EffectClass::ReadOnly, &world)])
        .section("Look before you leap.");
    let model = ScriptedModel::new([Turn::call("look", json!({"n": 1})), Turn::text("done")]);
    let agent = Agent::builder(model).capability(watch).capability(eyes).build().unwrap();
    assert_eq!(&*agent.definition().instructions, "Look before you leap.");
    agent.run("go").await.unwrap();
    assert_eq!(world.notes(), ["a", "b", "look 1"]);
    let tools = agent.describe().await.tools;
    let from: Vec<_> = tools.iter().map(|tool| (&*tool.name, tool.from.as_deref())).collect();
    assert_eq!(from, [("look", Some("eyes")), ("stare", Some("eyes"))]);
}

#[tokio::test]
async fn s3_9_a_cancellation_held_by_somebody_else_ends_the_execution_before_the_next_call() {
    let world = World::default();
    let closing = Cancellation::new();
    let raise = closing.clone();
    let raises = made(spec("raise").effect(EffectClass::ReadOnly), move |_, _| {
        raise.cancel();
        Box::pin(std::future::ready(ToolOutcome::text("raised")))
    });
    let model = ScriptedModel::new([
        Turn::calls([("raise", json!({"n": 1}))]),
        Turn::calls([("look", json!({"n": 2}))]),
        Turn::text("never"),
    ]);
    let agent = Agent::builder(model.clone())
        .tool(raises)
        .tool(noting("look", EffectClass::ReadOnly, &world))
        .capability(CancellationCapability::new(closing.clone()))
        .store_in(Arc::new(MemoryStore::new()))
        .build()
        .unwrap();
    let run = agent.run("go").in_session("one").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Cancelled);
    assert_eq!(run.continuation().unwrap().stop_reason(), Some(&StopReason::UserRequested));
    assert_eq!(run.state().stop_signals().len(), 1);
    assert_eq!(model.requests().len(), 1);
    // What was done is kept, and so is the session.
    assert_eq!(outcomes(run.state()), [ToolOutcome::text("raised")]);
    let again = agent.run("again").in_session("one").outcome().await.unwrap();
    assert_eq!(again.status(), ExecutionStatus::Cancelled);
    assert_eq!(model.requests().len(), 1, "no model is asked before the start");
    assert!(world.notes().is_empty());
}

#[tokio::test]
async fn s3_9_a_cancellation_raised_while_the_model_answers_runs_no_call_of_it() {
    let (world, closing) = (World::default(), Cancellation::new());
    let raise = closing.clone();
    let late = hook("late", [Trigger::AfterInference], move |state: AgentState, _| {
        raise.cancel();
        async move { Ok(state) }
    });
    let calls = [("look", json!({"n": 1})), ("look", json!({"n": 2}))];
    let model = ScriptedModel::new([Turn::calls(calls), Turn::text("never")]);
    let agent = Agent::builder(model)
        .tool(noting("look", EffectClass::ReadOnly, &world))
        .hook(late)
        .capability(CancellationCapability::new(closing));
    let run = agent.build().unwrap().run("go").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Cancelled);
    assert!(world.notes().is_empty());
    let skipped = |outcome: &ToolOutcome| matches!(outcome, ToolOutcome::Skipped(_));
    assert_eq!(outcomes(run.state()).iter().filter(|outcome| skipped(outcome)).count(), 2);
}

#[tokio::test]
async fn capabilities_are_described_by_their_names_and_what_they_give() {
    let model = ScriptedModel::new([Turn::text("hello")]);
    let agent = Agent::builder(model)
        .capability(ToolsCapability::new("eyes", "Sees."))
        .capability(HookCapability::new("watch", "Watches."))
        .capability(CancellationCapability::new(Cancellation::new()))
        .build()
        .unwrap();
    let all = agent.describe().await.capabilities;
    let all: Vec<_> = all.iter().map(|one| (one.name.as_str(), one.about.as_str())).collect();
    let ends = ("cancellation", "Ends executions when somebody outside says so.");
    assert_eq!(all, [("eyes", "Sees."), ("watch", "Watches."), ends]);
}

#[tokio::test]
async fn s3_9_a_cancellation_is_requested_once_and_beside_requests_to_stop_for_another_reason() {
    for (before, reasons) in [
        (StopReason::UserRequested, vec![StopReason::UserRequested]),
        (StopReason::StopRequested, vec![StopReason::StopRequested, StopReason::UserRequested]),
    ] {
        let closing = Cancellation::new();
        closing.cancel();
        let signal = StopSignal::new(before, "first", "it is enough");
        let first = hook("first", [Trigger::StepStart], move |state: AgentState, _| {
            std::future::ready(Ok(state.with_stop_signal(signal.clone())))
        });
        let agent = Agent::builder(ScriptedModel::new([Turn::text("never")]))
            .hook(first.priority(300))
            .capability(CancellationCapability::new(closing));
        let run = agent.build().unwrap().run("go").outcome().await.unwrap();
        let requested: Vec<_> =
            run.state().stop_signals().iter().map(|signal| signal.reason.clone()).collect();
        assert_eq!(requested, reasons);
    }
}
