//! The system prompt, made of the agent as it came to be.

use legwork_agent::capability::{Metadata, Registry, SystemPrompt, TaskList};
use legwork_agent::{Agent, Builder};
use legwork_core::{Budget, EffectClass, ToolSpec};
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::json;

use crate::tools::{World, made, noting};

fn base() -> Builder {
    let text = "\u{1b}[1mSays\thello.\nAnd more of it.";
    let spec = ToolSpec::new("hello", text, json!({"type": "object"}));
    Agent::builder(ScriptedModel::new([Turn::text("hello")]))
        .id("clerk")
        .instructions("Be careful.")
        .tool(noting("look", EffectClass::ReadOnly, &World::default()))
        .tool(made(spec, |_, _| Box::pin(std::future::ready(legwork_core::ToolOutcome::text("")))))
}

fn prompt(builder: Builder) -> String {
    builder.build().unwrap().definition().instructions.to_string()
}

#[test]
fn sections_are_made_of_all_tools_capabilities_and_limits() {
    // Whichever was installed first: tools of later capabilities are known, too.
    let agent =
        base().capability(SystemPrompt::new().date("2026-03-01")).capability(Metadata::new());
    insta::assert_snapshot!(prompt(agent.capability(TaskList::new())));
}

#[test]
fn settings_choose_the_sections() {
    let made = |settings| {
        let one = Registry::shipped().make("system_prompt", &settings).unwrap();
        prompt(base().capabilities([one]))
    };
    let only = made(json!({"tools": false, "limits": false}));
    assert_eq!(only, "Be careful.", "it alone is no capability to tell of");
    let date = json!({"tools": false, "limits": false, "date": "1 March\u{1b}\n2026"});
    assert_eq!(made(date), "Be careful.\n\nThe date is 1 March 2026.");
    assert!(made(json!({"limits": false})).ends_with("- hello: [1mSays hello."));
}

#[test]
fn a_template_sees_the_agent_as_it_came_to_be() {
    let shown = SystemPrompt::empty().template(|agent| {
        let names: Vec<_> = agent.tools.iter().map(|tool| tool.name.to_string()).collect();
        Some(format!("{} on {}: {}", agent.id, agent.model, names.join(" ")))
    });
    let agent = base().deny_tools(["look"]).capability(shown.template(|_| None));
    assert_eq!(prompt(agent), "Be careful.\n\nclerk on scripted:model: hello");
}

#[test]
fn the_same_agent_has_the_same_definition() {
    let digest = || {
        let agent = base().capability(SystemPrompt::new()).budget(Budget::unlimited());
        agent.build().unwrap().definition().digest()
    };
    assert_eq!(digest(), digest());
    assert!(
        !prompt(base().budget(Budget::unlimited()).capability(SystemPrompt::new()))
            .contains("limits")
    );
}
