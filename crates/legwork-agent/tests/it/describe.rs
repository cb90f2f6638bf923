//! What an agent is, told to people and programs.

use std::time::Duration;

use legwork_agent::capability::Guards;
use legwork_agent::driver::{NoModel, Scripted};
use legwork_agent::{Agent, Builder, Capability, Description, ReAct, Resolved, Subagent, hook};
use legwork_core::budget::{MicroUsd, Price};
use legwork_core::tool::ExecutionMode;
use legwork_core::{AgentState, Budget, EffectClass, ModelSettings, ToolOutcome, ToolSpec};
use legwork_port::Trigger;
use legwork_port::model::{Ability, Profile};
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::json;
use std::sync::Arc;

use crate::sets::{Set, unavailable};
use crate::tools::{World, answering, made, noting, once, spec};

/// A tool of its own, and one more when it knows that there is `look`.
struct Letters;

impl Capability for Letters {
    fn name(&self) -> &str {
        "letters"
    }

    fn about(&self) -> &str {
        "Writes and posts letters."
    }

    fn install(&self, builder: Builder) -> Builder {
        builder.tool(noting("post", once(), &World::default()))
    }

    fn tools(&self, agent: &Resolved<'_>) -> Vec<Arc<dyn legwork_port::Tool>> {
        let late = || answering("address", |_| ToolOutcome::text("here"));
        agent.has_tool("look").then(late).into_iter().collect()
    }

    fn section(&self, agent: &Resolved<'_>) -> Option<String> {
        Some(format!("Letters are posted by {}.", agent.id))
    }
}

fn slow() -> Arc<dyn legwork_port::Tool> {
    let spec = ToolSpec::new("slow", "\nThinks *long*.\nMore of it.", json!({"type": "object"}))
        .mode(ExecutionMode::Sequential)
        .effect(EffectClass::Idempotent)
        .timeout(Duration::from_secs(90));
    made(spec, |_, _| Box::pin(std::future::ready(ToolOutcome::text("done"))))
}

fn model(name: &str) -> ScriptedModel {
    let price = Price {
        input: MicroUsd(250_000),
        cache_read: MicroUsd(25_000),
        cache_write: MicroUsd(250_000),
        cache_write_hour: None,
        output: MicroUsd(2_000_000),
    };
    let profile = Profile::new()
        .with_context_window(400_000)
        .with_max_output(128_000)
        .with_prices(price)
        .with(Ability::Tools)
        .without(Ability::Images);
    ScriptedModel::new([Turn::text("hello")]).named(name).with_profile(profile)
}

fn clerk() -> Builder {
    let mut extra = serde_json::Map::new();
    extra.insert("api_key".to_owned(), "sk-very-secret".into());
    extra.insert("reasoning_effort".to_owned(), "low".into());
    let settings = ModelSettings {
        max_output: Some(4000),
        temperature: Some(0.2),
        extra,
        ..ModelSettings::default()
    };
    let pass = |state: AgentState, _| async move { Ok(state) };
    let early = hook("check", [Trigger::BeforeToolUse, Trigger::StepStart], pass).priority(200);
    let late = hook("note", [Trigger::StepEnd], pass).timeout(Duration::from_millis(1500));
    Agent::builder(model("scripted:model"))
        .id("clerk")
        .version("3")
        .instructions("You are a careful clerk.\n\nDo not guess.\nAsk.\nBe brief.")
        .settings(settings)
        .further_model(model("scripted:other"))
        .tool(answering("look", |_| ToolOutcome::text("seen")))
        .tool(slow())
        .hook(late)
        .hook(early)
        .capability(Guards::new().usd(0.5).tokens(200_000))
        .capability(Letters)
        .subagent(Subagent::new("scout", "Looks around.", "You look around."))
}

async fn described(builder: Builder) -> Description {
    builder.build().unwrap().describe().await
}

#[tokio::test]
async fn a_description_in_text_shows_all_parts_in_their_order() {
    insta::assert_snapshot!(described(clerk()).await.to_text());
}

#[tokio::test]
async fn a_description_in_markdown_shows_all_parts_in_their_order() {
    insta::assert_snapshot!(described(clerk()).await.to_markdown());
}

#[tokio::test]
async fn a_description_survives_json_and_holds_no_secret() {
    let description = described(clerk()).await;
    let json = serde_json::to_string(&description).unwrap();
    assert_eq!(serde_json::from_str::<Description>(&json).unwrap(), description);
    insta::assert_json_snapshot!(description);
    for shown in [json, description.to_text(), description.to_markdown()] {
        assert!(!shown.contains("very-secret"), "{shown}");
        assert!(shown.contains("hidden"), "{shown}");
    }
}

#[tokio::test]
async fn a_plain_agent_is_described_without_empty_sections() {
    let model = ScriptedModel::new([Turn::text("hello")]);
    let agent = Agent::builder(model).budget(Budget::unlimited()).build().unwrap();
    let description = agent.describe().await;
    assert_eq!(&description.definition, &agent.definition().digest());
    insta::assert_snapshot!(description.to_text());
    assert!(!description.to_markdown().contains("## Tools"));
}

#[tokio::test]
async fn tools_that_are_denied_are_not_described() {
    let description = described(clerk().deny_tools(["look", "post"])).await;
    let names: Vec<_> = description.tools.iter().map(|tool| tool.name.as_str()).collect();
    // The capability was told that there is no `look`, and gave no tool for it.
    assert_eq!(names, ["slow", "spawn_subagent"]);
}

#[tokio::test]
async fn what_a_tool_says_of_itself_does_no_harm_to_a_terminal_or_a_page() {
    let nasty = "\u{1b}[2Jgone <script>alert(1)</script> \u{202e}`x` | [a](b)";
    let spec = ToolSpec { description: nasty.into(), ..spec("nasty") };
    let tool = made(spec, |_, _| Box::pin(std::future::ready(ToolOutcome::text("done"))));
    let description = described(clerk().tool(tool)).await;
    let (text, markdown) = (description.to_text(), description.to_markdown());
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text}");
    assert!(!markdown.contains('\u{1b}') && markdown.contains("\\<script\\>"), "{markdown}");
}

#[tokio::test]
async fn a_source_that_cannot_say_its_tools_is_told_and_hides_no_others() {
    let gone = Set::new("gone").listing(|_| Err(unavailable("the server does not answer")));
    let description = described(clerk().toolset(gone)).await;
    let why = "the toolset `gone` cannot list its tools: the server does not answer";
    assert_eq!(description.tools_unknown.as_deref(), Some(why));
    assert!(description.tools.iter().any(|tool| tool.name == "look"));
    assert!(description.to_text().contains(&format!("others are not known: {why}")));
}

#[tokio::test]
async fn a_driver_and_what_stands_in_the_place_of_a_model_are_described_by_their_names() {
    let builder = || Agent::builder(NoModel);
    let drivers = [
        (builder(), "tool_calling"),
        (builder().driver(ReAct::new()), "react"),
        (builder().driver(Scripted::new([])), "scripted"),
    ];
    for (builder, name) in drivers {
        let description = described(builder).await;
        assert_eq!(description.driver, name);
        assert_eq!(description.model.name, "none");
        assert_eq!(description.model.can, ["tools"]);
        assert!(!description.to_text().contains("calls no tools"), "{}", description.to_text());
    }
}

#[tokio::test]
async fn a_system_prompt_is_shown_by_its_first_three_lines_and_how_many_more_there_are() {
    for (prompt, text, markdown) in [
        ("", "  instructions  none\n", "- Instructions: none\n"),
        (
            "One.\nTwo.\nThree.",
            "  instructions  16 characters\n    One.\n    Two.\n    Three.\n\ncriteria",
            "- Instructions: 16 characters\n\n> One.  \n> Two.  \n> Three.\n\n## Criteria",
        ),
        (
            "1\n2\n\n3\n4",
            "  instructions  8 characters\n    1\n    2\n    3\n    (1 more lines)\n\ncriteria",
            "- Instructions: 8 characters\n\n> 1  \n> 2  \n> 3\n>\n> (1 more lines)\n\n## Criteria",
        ),
    ] {
        let description = described(Agent::builder(NoModel).instructions(prompt)).await;
        let shown = description.to_text();
        assert!(shown.contains(text), "{shown}");
        let shown = description.to_markdown();
        assert!(shown.contains(markdown), "{shown}");
    }
}
