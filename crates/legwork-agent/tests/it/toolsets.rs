//! Sources of tools: what is wrong with them is told when the agent is built, what they say
//! belongs to one run, and they are asked once a step.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use legwork_agent::capability::ToolsCapability;
use legwork_agent::memory::MemoryStore;
use legwork_agent::toolset::Tools;
use legwork_agent::{Agent, Builder, Hook, Subagent, hook};
use legwork_core::tool::{FailureKind, ToolSelection};
use legwork_core::{AgentState, EffectClass, ExecutionStatus, ToolOutcome, ToolSpec};
use legwork_port::{Tool, Toolset, Trigger};
use legwork_testkit::{Gate, Script, ScriptedModel, Turn};
use serde_json::{Value, json};

use crate::sets::Set;
use crate::tools::{World, answering, kind, made, noting, outcomes, said, spec};

fn look(name: &'static str) -> Arc<dyn Tool> {
    answering(name, |_| ToolOutcome::text("seen"))
}

/// A source whose tools are made of the state; counts how often it is asked.
fn source(
    name: &'static str,
    list: impl Fn(&AgentState) -> Vec<ToolSpec> + Send + Sync + 'static,
) -> (Set, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let counts = Arc::clone(&asked);
    let set = Set::new(name).listing(move |state| {
        counts.fetch_add(1, Ordering::SeqCst);
        Ok(list(state).into_iter().map(|spec| of(name, spec)).collect())
    });
    (set, asked)
}

/// A tool that answers with its name and that of its toolset.
fn of(set: &'static str, spec: ToolSpec) -> Arc<dyn Tool> {
    let said = format!("{} of {set}", spec.name);
    made(spec, move |_, _| Box::pin(std::future::ready(ToolOutcome::text(said.clone()))))
}

fn agent() -> Builder {
    Agent::builder(ScriptedModel::new([Turn::text("never")]))
}

/// What building says, which must be an error that has all of these words.
fn refused(builder: Builder, words: &[&str]) {
    let error = builder.build().unwrap_err().to_string();
    for words in words {
        assert!(error.contains(words), "no {words:?} in {error}");
    }
}

#[test]
fn s6_11_two_tools_of_one_name_are_told_when_the_agent_is_built_and_both_owners_named() {
    let files = || Tools::new("files", [look("look")]);
    let mail = || Tools::new("mail", [look("send"), look("look")]);
    let both = "two tools are named `look`";
    refused(agent().tools([look("look"), look("look")]), &[both, "one given to the builder"]);
    let sets = agent().toolset(files()).toolset(mail());
    refused(sets, &[both, "one of the toolset `files` and one of the toolset `mail`"]);
    let capability = ToolsCapability::new("eyes", "Looks.").tool(look("look"));
    let mixed = agent().tool(look("look")).capability(capability).toolset(mail());
    let first = "one given to the builder and one of the capability `eyes`";
    refused(mixed, &[first, "one given to the builder and one of the toolset `mail`"]);
    let spawns = agent().tool(look("spawn_subagent")).subagent(Subagent::new("a", "b", "c"));
    refused(spawns, &["one given to the builder and the one that spawns subagents"]);
    // What the agent may not have is in nobody's way.
    let denied = agent().toolset(files()).toolset(mail()).deny_tools(["look"]);
    assert!(denied.build().is_ok());
}

fn with_schema(name: &str, schema: Value) -> Arc<dyn Tool> {
    let spec = ToolSpec { parameters: schema, ..spec(name) };
    made(spec, |_, _| Box::pin(std::future::ready(ToolOutcome::text("never"))))
}

#[test]
fn s6_1_a_broken_schema_is_told_when_the_agent_is_built() {
    let broken = [
        (json!({"type": "object", "properties": {"n": {"type": "whole"}}}), "whole"),
        (json!({"type": "object", "properties": {"n": {"$ref": "#/$defs/none"}}}), "none"),
        (json!({"properties": {"n": {"type": "string", "pattern": "("}}}), "("),
        (json!({"type": "array"}), "\"array\""),
        (json!("object"), "is an object"),
    ];
    for (schema, why) in broken {
        let tool = || with_schema("odd", schema.clone());
        let words = ["the JSON Schema of the arguments of the tool `odd`", why];
        refused(agent().tool(tool()), &words);
        refused(agent().toolset(Tools::new("set", [look("look"), tool()])), &words);
    }
    refused(
        agent().toolset(Tools::new("set", [look("a b")])),
        &["a tool: \"a b\" is not a valid name"],
    );
}

#[test]
fn s6_11_a_name_in_a_list_of_which_there_is_no_tool_is_told_with_the_nearest() {
    let has = || agent().tool(look("look")).toolset(Tools::new("mail", [look("send")]));
    let words = "`only_tools` names `lok`, and there is no such tool: did you mean `look`?";
    refused(has().only_tools(["lok"]), &[words, "there are look, send"]);
    refused(has().deny_tools(["sned"]), &["`deny_tools` names `sned`", "did you mean `send`?"]);
    assert!(has().only_tools(["lok"]).known_tools(["lok"]).build().is_ok());
    assert!(has().deny_tools(["spawn_subagent"]).build().is_ok());
    // A source that is asked at each step may bring it.
    let may_come = has().only_tools(["lok"]).toolset(source("late", |_| vec![spec("lok")]).0);
    assert!(may_come.build().is_ok());
    // What a list takes away was there to be named.
    assert!(has().only_tools(["look"]).deny_tools(["send"]).build().is_ok());
}

#[test]
fn s6_11_what_is_wrong_with_the_tools_of_a_subagent_is_told_when_its_parent_is_built() {
    let scout = || Subagent::new("scout", "Looks.", "Look.");
    let parent = |scout: Subagent| agent().tool(look("look")).subagent(scout);
    let words = ["its subagent `scout`", "did you mean `look`?"];
    refused(parent(scout().only_tools(["lok"])), &words);
    refused(parent(scout().deny_tools(["lok"])), &words);
    refused(parent(scout().tools([with_schema("odd", json!({"type": 1}))])), &["`odd`"]);
    let own = scout().tools([look("own")]).only_tools(["own", "look"]).deny_tools(["look"]);
    assert!(parent(own).build().is_ok());
}

#[tokio::test]
async fn s6_11_a_clash_with_a_source_asked_at_each_step_fails_the_run_and_names_both() {
    let model = ScriptedModel::new([Turn::call("look", json!({"n": 1})), Turn::text("never")]);
    let (late, _) = source("late", |state| match state.step_results().count() {
        0 => vec![],
        _ => vec![spec("look")],
    });
    let builder = Agent::builder(model.clone()).tool(look("look")).toolset(late);
    let run = builder.build().unwrap().run("go").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Failed);
    let why = run.continuation().unwrap().explain();
    let both = "two tools are named `look`, one given to the builder and one of the toolset `late`";
    assert!(why.contains(both), "{why}");
    assert_eq!(model.requests().len(), 1, "the model is not asked");
    assert_eq!(said(run.state()).len(), 2, "and told nothing: {:?}", said(run.state()));
}

/// Two calls and an answer.
fn three_steps() -> ScriptedModel {
    let call = || Turn::call("look", json!({"n": 1}));
    ScriptedModel::new([call(), call(), Turn::text("done")])
}

#[tokio::test]
async fn s6_11_a_source_is_asked_once_a_step_whatever_listens() {
    let quiet: Vec<Hook> = Vec::new();
    let sees = hook("sees", Trigger::ALL, |state: AgentState, _| std::future::ready(Ok(state)));
    let hides = hook("hides", [Trigger::StepStart], |state: AgentState, _| {
        std::future::ready(Ok(state.with_tool_selection(Some(ToolSelection::all().hide("other")))))
    });
    let notes = hook("notes", [Trigger::StepStart], |state: AgentState, _| {
        std::future::ready(Ok(state.with_metadata("noted", Some(json!(true)))))
    });
    for (hooks, times) in [(quiet, 3), (vec![sees, hides], 3), (vec![notes], 6)] {
        let (set, asked) = source("set", |_| vec![spec("look"), spec("other")]);
        let builder = Agent::builder(three_steps()).toolset(set).tool(look("more"));
        let builder = hooks.into_iter().fold(builder, Builder::hook);
        let run = builder.build().unwrap().run("go").await.unwrap();
        assert_eq!(run.text(), "done");
        assert_eq!(outcomes(run.state()), vec![ToolOutcome::text("look of set"); 2]);
        assert_eq!(asked.load(Ordering::SeqCst), times);
    }
}

#[tokio::test]
async fn a_change_by_a_hook_at_the_start_of_a_step_reaches_sources_in_that_step() {
    let (set, _) = source("set", |state| match state.context().metadata.get("open") {
        Some(_) => vec![spec("look"), spec("door")],
        None => vec![spec("look")],
    });
    let opens = hook("opens", [Trigger::StepStart], |state: AgentState, _| {
        std::future::ready(Ok(state.with_metadata("open", Some(json!(true)))))
    });
    let model = three_steps();
    let builder = Agent::builder(model.clone()).toolset(set).hook(opens);
    builder.build().unwrap().run("go").await.unwrap();
    assert_eq!(model.asked()[0].tools, ["look", "door"]);
}

/// A source whose tools are always the same; counts how often it is asked.
struct Fixed(fn() -> Vec<ToolSpec>, Arc<AtomicUsize>);

impl Toolset for Fixed {
    fn name(&self) -> &str {
        "many"
    }

    fn tools(&self) -> Option<Vec<Arc<dyn Tool>>> {
        self.1.fetch_add(1, Ordering::SeqCst);
        Some((self.0)().into_iter().map(|spec| of("many", spec)).collect())
    }
}

fn ten_thousand() -> Vec<ToolSpec> {
    let numbered = |n: usize| {
        let name = if n == 9_999 { "look".to_owned() } else { format!("tool_{n}") };
        spec(&name)
    };
    (0..10_000).map(numbered).collect()
}

#[tokio::test]
async fn s6_11_ten_thousand_static_tools_are_asked_for_once_beside_a_source_that_may_change() {
    let fixed = Fixed(ten_thousand, Arc::default());
    let (late, asked) = source("late", |_| vec![spec("late")]);
    let asked = [Arc::clone(&fixed.1), asked];
    let model = three_steps();
    let agent = Agent::builder(model.clone()).toolset(fixed).toolset(late).build().unwrap();
    let run = agent.run("go").await.unwrap();
    assert_eq!(outcomes(run.state()), vec![ToolOutcome::text("look of many"); 2]);
    assert_eq!(model.requests()[2].tools.len(), 10_001);
    assert_eq!(asked.map(|asked| asked.load(Ordering::SeqCst)), [1, 3]);
}

#[tokio::test]
async fn s2_3_hooks_of_a_session_see_its_own_tools_alone() {
    let (set, _) = source("set", |state| vec![spec(&format!("of_{}", state.session()))]);
    let (world, gate) = (World::default(), Gate::new());
    let (noted, waits) = (world.clone(), gate.clone());
    let sees = hook("sees", [Trigger::BeforeInference], move |state: AgentState, cx| {
        let (noted, waits) = (noted.clone(), waits.clone());
        async move {
            // Both sessions have asked for their tools before either sees them.
            waits.pass().await;
            let tools: Vec<_> = cx.view.tools.iter().map(|tool| tool.name.to_string()).collect();
            noted.note(format!("{} sees {}", state.session(), tools.join(" ")));
            Ok(state)
        }
    });
    let stops = hook("stops", [Trigger::BeforeStop], {
        let world = world.clone();
        move |state: AgentState, cx| {
            let tools: Vec<_> = cx.view.tools.iter().map(|tool| tool.name.to_string()).collect();
            world.note(format!("{} stops with {}", state.session(), tools.join(" ")));
            std::future::ready(Ok(state))
        }
    });
    let model = ScriptedModel::new(Script::from_fn(|_| Turn::text("done")));
    let builder = Agent::builder(model).toolset(set).hook(sees).hook(stops);
    let agent = builder.store_in(Arc::new(MemoryStore::new())).build().unwrap();
    let open = async {
        gate.arrived(2).await;
        gate.open();
    };
    let runs = ["a", "b"].map(|session| agent.run("go").in_session(session));
    let (runs, ()) = tokio::join!(futures_util::future::join_all(runs), open);
    runs.into_iter().for_each(|run| assert_eq!(run.unwrap().text(), "done"));
    let mut notes = world.notes();
    notes.sort();
    let expected = ["a sees of_a", "a stops with of_a", "b sees of_b", "b stops with of_b"];
    assert_eq!(notes, expected);
}

#[tokio::test]
async fn s6_12_a_step_that_is_resumed_asks_its_sources_again() {
    let (world, gate) = (World::default(), Gate::new());
    let store = Arc::new(legwork_agent::memory::MemoryStore::new());
    let source = || source("set", |_| vec![spec("look")]);
    let waits = crate::tools::waiting("wait", Default::default(), &world, &gate);
    let build = |set| {
        let both = Turn::calls([("wait", json!({"n": 1})), ("look", json!({"n": 1}))]);
        let model = ScriptedModel::new([both, Turn::text("done")]);
        let builder = Agent::builder(model).tools([waits.clone()]).toolset(set);
        builder.store_in(store.clone()).build().unwrap()
    };
    tokio::select! {
        _ = build(source().0).run("go").in_session("s") => unreachable!("it waits at the gate"),
        () = gate.arrived(1) => {}
    }
    gate.open();
    let (set, asked) = source();
    let run = build(set).resume("s").await.unwrap();
    assert_eq!(run.text(), "done");
    assert_eq!(asked.load(Ordering::SeqCst), 2, "once for the step under way, once for the next");
}

#[tokio::test]
async fn s6_12_on_resume_a_call_of_a_tool_that_its_step_did_not_show_is_refused() {
    let (world, gate, store) = (World::default(), Gate::new(), Arc::new(MemoryStore::new()));
    let model = ScriptedModel::new([Turn::call("new", json!({"n": 1})), Turn::text("done")]);
    let agent = |more: Option<Arc<dyn Tool>>| {
        let gate = gate.clone();
        let wait = hook("wait", [Trigger::AfterInference], move |state: AgentState, _| {
            let gate = gate.clone();
            async move {
                gate.pass().await;
                Ok(state)
            }
        });
        let builder = Agent::builder(model.clone()).tool(look("look")).tools(more).hook(wait);
        builder.store_in(store.clone()).build().unwrap()
    };
    // The process dies with the response durable and its call not judged.
    tokio::select! {
        _ = agent(None).run("go").in_session("s") => unreachable!("the hook waits"),
        () = gate.arrived(1) => {}
    }
    gate.open();
    let new = noting("new", EffectClass::ReadOnly, &world);
    let run = agent(Some(new)).resume("s").await.unwrap();
    assert!(world.notes().is_empty(), "it ran");
    assert_eq!(kind(outcomes(run.state())[0].clone()), FailureKind::UnknownTool);
    assert_eq!(run.status(), ExecutionStatus::Completed);
}

#[tokio::test]
async fn hooks_see_static_tools_from_the_start_of_an_execution() {
    let world = World::default();
    let noted = world.clone();
    let sees = hook("sees", [Trigger::ExecutionStart], move |state: AgentState, cx| {
        let tools: Vec<_> = cx.view.tools.iter().map(|tool| tool.name.to_string()).collect();
        noted.note(tools.join(" "));
        std::future::ready(Ok(state))
    });
    let model = ScriptedModel::new([Turn::text("done")]);
    let builder =
        Agent::builder(model).tool(look("look")).toolset(Tools::new("set", [look("send")]));
    builder.hook(sees).build().unwrap().run("go").await.unwrap();
    assert_eq!(world.notes(), ["look send"]);
}

#[tokio::test]
async fn s6_1_arguments_are_held_against_the_schema_that_their_own_step_showed() {
    let (set, _) = source("set", |state| {
        let pattern = if state.step_results().count() == 0 { "^a" } else { "^b" };
        let word = json!({"type": "string", "pattern": pattern});
        let parameters = json!({"type": "object", "properties": {"word": word}});
        vec![ToolSpec { parameters, ..spec("look") }]
    });
    let both = || Turn::calls([("look", json!({"word": "a"})), ("look", json!({"word": "b"}))]);
    let model = ScriptedModel::new([both(), both(), Turn::text("done")]);
    let run = Agent::builder(model).toolset(set).build().unwrap().run("go").await.unwrap();
    let fit: Vec<_> = outcomes(run.state()).iter().map(ToolOutcome::is_ok).collect();
    assert_eq!(fit, [true, false, false, true]);
}
