//! The same agent with some things otherwise: the new one has it, the old one has not.

use std::sync::Arc;
use std::time::Duration;

use legwork_agent::capability::{Metadata, SystemPrompt};
use legwork_agent::{Agent, Builder, Driver, Override, StepContext, ToolCalling, hook};
use legwork_core::error::ErrorRecord;
use legwork_core::{AgentState, Budget, EffectClass, ExecutionStatus, ModelRequest, ToolOutcome};
use legwork_port::{Clock as _, Trigger};
use legwork_testkit::{ScriptedModel, Turn, VirtualClock};
use serde_json::json;

use crate::tools::{World, answering, made, noting, spec};

fn looks() -> ScriptedModel {
    ScriptedModel::new([Turn::call("look", json!({"n": 1})), Turn::text("done")])
}

fn base(model: ScriptedModel) -> Builder {
    Agent::builder(model)
        .id("base")
        .instructions("Be careful.")
        .tool(answering("look", |_| ToolOutcome::text("old")))
}

async fn text(agent: &Agent) -> String {
    agent.run("go").await.unwrap().text()
}

#[tokio::test]
async fn another_model_answers() {
    let old = base(ScriptedModel::new([Turn::text("old")])).build().unwrap();
    let model = ScriptedModel::new([Turn::text("new")]).named("scripted:new");
    let new = old.with_override(Override::new().model(model)).unwrap();
    assert_eq!((text(&new).await, text(&old).await), ("new".to_owned(), "old".to_owned()));
    assert_eq!(&*new.definition().settings.model, "scripted:new");
    assert_eq!(&*old.definition().settings.model, "scripted:model");
}

/// Asks as tool calling does, with other instructions.
struct Polite;

impl Driver for Polite {
    fn name(&self) -> &str {
        "polite"
    }

    fn request(
        &self,
        state: &AgentState,
        cx: &StepContext,
        shown: &legwork_agent::toolset::StepTools,
    ) -> Result<ModelRequest, ErrorRecord> {
        let mut request = ToolCalling.request(state, cx, shown)?;
        request.instructions = "Please.".into();
        Ok(request)
    }
}

#[tokio::test]
async fn another_driver_makes_the_steps() {
    let model = ScriptedModel::new([Turn::text("one"), Turn::text("two")]);
    let old = base(model.clone()).build().unwrap();
    let new = old.with_override(Override::new().driver(Polite)).unwrap();
    text(&new).await;
    text(&old).await;
    let asked: Vec<_> = model.requests().iter().map(|r| r.instructions.to_string()).collect();
    assert_eq!(asked, ["Please.", "Be careful."]);
    assert_eq!(new.describe().await.driver, "polite");
    assert_eq!(old.describe().await.driver, "tool_calling");
}

#[tokio::test]
async fn tools_find_other_dependencies() {
    let tell = || {
        made(spec("look").effect(EffectClass::ReadOnly), |_, cx| {
            let found = format!("{}{}", cx.dep::<String>().unwrap(), cx.dep::<u8>().unwrap());
            Box::pin(std::future::ready(ToolOutcome::text(found)))
        })
    };
    let script = || [Turn::call("look", json!({"n": 1})), Turn::text("done")];
    let old =
        Agent::builder(ScriptedModel::new(script())).tool(tell()).dep("old".to_owned()).dep(7_u8);
    let old = old.build().unwrap();
    let change = Override::new().model(ScriptedModel::new(script())).dep("new".to_owned());
    let new = old.with_override(change).unwrap();
    for (agent, found) in [(&new, "new7"), (&old, "old7")] {
        let run = agent.run("go").await.unwrap();
        assert_eq!(crate::tools::said(run.state()), ["go", found, "done"]);
    }
}

#[tokio::test]
async fn tools_take_the_place_of_those_of_their_names_and_further_ones_are_added() {
    let old = base(looks()).build().unwrap();
    let change = Override::new()
        .model(looks())
        .tools([answering("look", |_| ToolOutcome::text("new"))])
        .further_tools([answering("more", |_| ToolOutcome::text("more"))]);
    let new = old.with_override(change).unwrap();
    for (agent, found) in [(&new, "new"), (&old, "old")] {
        let run = agent.run("go").await.unwrap();
        assert_eq!(crate::tools::said(run.state()), ["go", found, "done"]);
    }
    let names = async |agent: &Agent| {
        let tools = agent.describe().await.tools;
        tools.into_iter().map(|tool| tool.name).collect::<Vec<_>>()
    };
    assert_eq!(
        (names(&new).await, names(&old).await),
        (vec!["look".into(), "more".into()], vec!["look".to_owned()])
    );
}

#[tokio::test]
async fn other_instructions_and_limits_reach_the_definition_and_the_run() {
    let old = base(looks()).build().unwrap();
    let change = Override::new()
        .model(looks())
        .instructions("Be brief.")
        .budget(Budget::unlimited().steps(1));
    let new = old.with_override(change).unwrap();
    assert_eq!(&*new.definition().instructions, "Be brief.");
    assert_eq!(new.run("go").outcome().await.unwrap().status(), ExecutionStatus::Stopped);
    assert_eq!(&*old.definition().instructions, "Be careful.");
    assert_eq!(old.definition().budget, Budget::guards());
    assert_eq!(old.run("go").await.unwrap().status(), ExecutionStatus::Completed);
    assert_ne!(new.definition().digest(), old.definition().digest());
}

#[tokio::test]
async fn hooks_come_and_go() {
    let world = World::default();
    let noted = |name: &'static str| {
        let world = world.clone();
        hook(name, [Trigger::ExecutionStart], move |state: AgentState, _| {
            world.note(name);
            async move { Ok(state) }
        })
    };
    let model = ScriptedModel::new([Turn::text("one"), Turn::text("two")]);
    let old = base(model).hook(noted("first")).build().unwrap();
    let change = Override::new().without_hook("first").hook(noted("second"));
    let new = old.with_override(change).unwrap();
    text(&new).await;
    assert_eq!(world.notes(), ["second"]);
    text(&old).await;
    assert_eq!(world.notes(), ["second", "first"]);
}

#[tokio::test]
async fn new_sessions_begin_with_other_metadata() {
    let model = ScriptedModel::new([Turn::text("one"), Turn::text("two")]);
    let old = base(model).metadata("customer", json!("old")).build().unwrap();
    let change = Override::new().metadata("customer", json!("new"));
    let new = old.with_override(change).unwrap();
    for (agent, customer) in [(&new, "new"), (&old, "old")] {
        let run = agent.run("go").await.unwrap();
        assert_eq!(run.state().context().metadata["customer"], customer);
    }
}

#[tokio::test]
async fn time_comes_from_elsewhere() {
    let clock = |seconds| {
        let clock = VirtualClock::new();
        clock.advance(Duration::from_secs(seconds));
        clock
    };
    let started = |seconds| Some(clock(seconds).now().wall);
    let model = ScriptedModel::new([Turn::text("one"), Turn::text("two")]);
    let old = base(model).clock(Arc::new(clock(1000))).build().unwrap();
    let new = old.with_override(Override::new().clock(Arc::new(clock(2000)))).unwrap();
    for (agent, at) in [(&new, 2000), (&old, 1000)] {
        let run = agent.run("go").await.unwrap();
        assert_eq!(run.state().facts().started_at, started(at));
    }
}

#[tokio::test]
async fn sessions_and_the_store_are_shared() {
    let model = ScriptedModel::new([Turn::text("one"), Turn::text("two")]);
    let store: Arc<dyn legwork_port::Store> = Arc::new(legwork_agent::memory::MemoryStore::new());
    let old = base(model).store_in(Arc::clone(&store)).build().unwrap();
    let new = old.with_override(Override::new().instructions("Be brief.")).unwrap();
    old.run("go").in_session("shared").await.unwrap();
    let run = new.run("and now?").in_session("shared").await.unwrap();
    assert_eq!(crate::tools::said(run.state()), ["go", "one", "and now?", "two"]);
    assert!(Arc::ptr_eq(old.store(), new.store()));
    // A store that nobody gave is shared, too.
    let old = base(ScriptedModel::new([Turn::text("one")])).build().unwrap();
    let new = old.with_override(Override::new().instructions("Be brief.")).unwrap();
    assert!(Arc::ptr_eq(old.store(), new.store()));
}

#[tokio::test]
async fn capabilities_see_what_is_otherwise_and_stay() {
    let old = base(looks()).capability(SystemPrompt::new()).capability(Metadata::new());
    let old = old.build().unwrap();
    let write = Turn::call("write_metadata", json!({"key": "customer", "value": 1}));
    let change = Override::new()
        .model(ScriptedModel::new([write, Turn::text("done")]))
        .instructions("Be brief.")
        .budget(Budget::unlimited().steps(7))
        .metadata("customer", json!("c-17"));
    let new = old.with_override(change).unwrap();
    let prompt = &new.definition().instructions;
    assert!(prompt.starts_with("Be brief.\n\nYour tools:\n- look"), "{prompt}");
    assert!(prompt.contains("7 steps."), "{prompt}");
    assert!(old.definition().instructions.contains("20 steps"), "the old one is as it was");
    // A key that the new one is built with is not its model's.
    let run = new.run("go").await.unwrap();
    assert_eq!(run.state().context().metadata["customer"], "c-17");
}

#[tokio::test]
async fn an_override_that_replaces_nothing_is_an_error_that_names_the_nearest() {
    let audit = || hook("audit", [Trigger::ExecutionStart], async |state: AgentState, _| Ok(state));
    let old = base(looks()).dep(7_u8).hook(audit()).build().unwrap();
    let fails = |change: Override| old.with_override(change).unwrap_err().to_string();
    let told = fails(Override::new().dep("new".to_owned()));
    assert!(
        told.contains("of type `alloc::string::String`") && told.contains("{\"u8\"}"),
        "{told}"
    );
    let told = fails(Override::new().tools([answering("lok", |_| ToolOutcome::text("new"))]));
    assert!(told.contains("the tool `lok`") && told.contains("did you mean `look`?"), "{told}");
    let told = fails(Override::new().without_hook("adit"));
    assert!(told.contains("the hook `adit`") && told.contains("did you mean `audit`?"), "{told}");
    // To add is something else, and may be asked for.
    let change = Override::new().model(looks()).further_dep("new".to_owned());
    let change = change.without_hook("audit").hook(audit());
    assert_eq!(text(&old.with_override(change).unwrap()).await, "done");
    let told = fails(Override::new().further_dep(8_u8));
    assert!(told.contains("two dependencies have the type `u8`"), "{told}");
    let told =
        fails(Override::new().further_tools([answering("look", |_| ToolOutcome::text("x"))]));
    assert!(told.contains("look"), "{told}");
}

#[tokio::test]
async fn what_is_wrong_in_an_override_is_told_and_leaves_the_old_one_alone() {
    let world = World::default();
    let old = base(looks()).tool(noting("note", EffectClass::ReadOnly, &world)).build().unwrap();
    let error = old.with_override(Override::new().budget(Budget::usd(1.0))).unwrap_err();
    assert!(error.to_string().contains("the price of"), "{error}");
    assert_eq!(text(&old).await, "done");
}
