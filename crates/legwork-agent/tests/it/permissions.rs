//! Rules that say which calls run, need approval, or never run.

use std::future::ready;
use std::sync::Arc;

use legwork_agent::Agent;
use legwork_agent::memory::MemoryStore;
use legwork_agent::toolset::{Ask, Permissions, Tools, ToolsetExt as _};
use legwork_core::inbox::Answer;
use legwork_core::{EffectClass, ExecutionStatus, ToolOutcome, ToolSpec};
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::json;

use crate::tools::{World, made, outcomes};

/// A shell that notes its commands, under rules; each build is another process.
struct Shell {
    world: World,
    store: MemoryStore,
    model: ScriptedModel,
    /// The name that the tool is shown by.
    shown: &'static str,
}

impl Shell {
    fn of(commands: &[&str]) -> Self {
        Self::shown_as("bash", commands)
    }

    fn shown_as(shown: &'static str, commands: &[&str]) -> Self {
        let calls = commands.iter().map(|command| (shown, json!({"command": command})));
        let turns = calls.map(|(tool, arguments)| Turn::call(tool, arguments));
        let model = ScriptedModel::new(turns.chain([Turn::text("done")]).collect::<Vec<_>>());
        Self { world: World::default(), store: MemoryStore::new(), model, shown }
    }

    fn agent(&self, rules: Permissions) -> Agent {
        let schema = json!({
            "type": "object",
            "properties": {"command": {"type": "string"}},
            "required": ["command"],
        });
        let spec = ToolSpec::new("bash", "Runs a command.", schema).effect(EffectClass::Idempotent);
        let world = self.world.clone();
        let bash = made(spec, move |arguments, _| {
            world.note(arguments["command"].as_str().unwrap());
            Box::pin(ready(ToolOutcome::value("ran".into())))
        });
        let set = Tools::new("shell", [bash]).permissions(rules);
        Agent::builder(self.model.clone())
            .toolset(set.renamed([("bash", self.shown)]))
            .store_in(Arc::new(self.store.clone()))
            .build()
            .unwrap()
    }
}

fn rules() -> Permissions {
    Permissions::default()
        .allow("bash(git:*)".parse().unwrap())
        .ask("bash(git push:*)".parse().unwrap())
        .deny("bash(git push -f:*)".parse().unwrap())
        .otherwise(Ask::each())
}

#[tokio::test]
async fn s13_16_deny_goes_before_ask_and_ask_before_allow() {
    let shell = Shell::of(&["git log", "git push -f", "git push", "git push", "make"]);
    let agent = shell.agent(rules());
    let mut asked = Vec::new();
    let mut run = agent.run("go").in_session("s").outcome().await.unwrap();
    while run.status() == ExecutionStatus::AwaitingApproval {
        let [pending] = run.state().pending() else { panic!("one call a turn") };
        asked.push((pending.arguments.to_string(), pending.of_policy));
        let answer = match pending.of_policy {
            true => Answer::approve_and_remember(pending, legwork_core::approval::Remember::Tool),
            // To remember it is of no use: it is asked again.
            false => Answer::approve(pending),
        };
        agent.session("s").answer(answer).await.unwrap();
        run = agent.resume("s").outcome().await.unwrap();
    }
    assert_eq!(run.status(), ExecutionStatus::Completed);
    let push = ("{\"command\":\"git push\"}".to_owned(), false);
    let make = ("{\"command\":\"make\"}".to_owned(), true);
    assert_eq!(asked, [push.clone(), push, make]);
    assert_eq!(shell.world.notes(), ["git log", "git push", "git push", "make"]);
    let outcomes = outcomes(run.state());
    assert!(
        matches!(&outcomes[1], ToolOutcome::Blocked { by, reason }
            if by == "permissions" && reason.contains("`bash(git push -f:*)`")),
        "{outcomes:?}"
    );
}

#[tokio::test]
async fn s13_16_what_a_later_process_denies_does_not_run_though_it_was_approved() {
    let shell = Shell::of(&["git push"]);
    let agent = shell.agent(rules());
    let run = agent.run("go").in_session("s").outcome().await.unwrap();
    let [pending] = run.state().pending() else { panic!("it waits") };
    agent.session("s").answer(Answer::approve(pending)).await.unwrap();
    let agent = shell.agent(rules().deny("bash".parse().unwrap()));
    let run = agent.resume("s").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Completed);
    assert!(shell.world.notes().is_empty(), "{:?}", shell.world.notes());
}

#[tokio::test]
async fn s13_16_an_always_of_before_does_not_cover_a_rule_that_asks() {
    let shell = Shell::of(&["make", "git push"]);
    let agent = shell.agent(rules());
    let run = agent.run("go").in_session("s").outcome().await.unwrap();
    let [pending] = run.state().pending() else { panic!("it waits") };
    let always = Answer::approve_and_remember(pending, legwork_core::approval::Remember::Tool);
    agent.session("s").answer(always).await.unwrap();
    let run = agent.resume("s").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::AwaitingApproval);
    assert_eq!(shell.world.notes(), ["make"]);
}

#[tokio::test]
async fn s13_16_a_rule_holds_though_the_tool_is_renamed_around_it() {
    // By the name that the model is shown, and by the one that it has where the rules are.
    for rule in ["sh(make:*)", "bash(make:*)"] {
        let shell = Shell::shown_as("sh", &["make", "git log"]);
        let rules = Permissions::default().deny(rule.parse().unwrap());
        let run = shell.agent(rules).run("go").in_session("s").outcome().await.unwrap();
        assert!(matches!(outcomes(run.state())[0], ToolOutcome::Blocked { .. }), "{rule}");
        assert_eq!(shell.world.notes(), ["git log"], "{rule}");
    }
}
