//! Lists of tools that are wrong in some way.

use std::sync::Arc;

use legwork_agent::{Agent, EventKind};
use legwork_core::{Mask, ToolCall, ToolOutcome, ToolSpec};
use legwork_mcp::{Connect, Connected, Error, Server};
use legwork_port::{BoxFuture, Tool, ToolContext};
use legwork_testkit::{RecordingObserver, ScriptedModel, Turn};
use serde_json::json;

use crate::fixture::{Fixture, tool};

async fn shown(server: Server) -> (Vec<String>, Vec<String>) {
    let (model, observer) = (ScriptedModel::new([Turn::text("Done.")]), RecordingObserver::new());
    let agent = Agent::builder(model.clone()).toolset(server).observer(observer.clone());
    agent.build().unwrap().run("go").await.unwrap();
    let tools = model.requests().remove(0).tools;
    let warnings = observer.events().into_iter().filter_map(|event| match event.kind {
        EventKind::Warning { message } => Some(message),
        _ => None,
    });
    (tools.iter().map(|tool| tool.name.to_string()).collect(), warnings.collect())
}

#[tokio::test]
async fn s18_3_a_tool_that_is_wrong_costs_itself_alone() {
    let fixture = Fixture::new();
    let remote = json!({"properties": {"a": {"$ref": "http://127.0.0.1:1/a.json"}}});
    *fixture.0.tools.lock().unwrap() =
        vec![tool("good", json!({})), tool("bad", remote), tool("fine", json!({}))];
    let (tools, warnings) = shown(Server::new("my", fixture)).await;
    assert_eq!(tools, ["my_good", "my_fine"]);
    assert!(
        warnings.iter().any(|warning| warning.contains("its tool `bad` is left out")),
        "{warnings:?}"
    );
}

#[tokio::test]
async fn s18_2_only_the_tools_that_are_wanted_are_shown() {
    let (tools, _) = shown(Server::new("my", Fixture::new()).only(["echo", "slow"])).await;
    assert_eq!(tools, ["my_echo", "my_slow"]);
    let except = ["echo", "again", "steps", "told", "dies", "asks", "visits", "hurries"];
    let except = except.into_iter().chain(["samples", "samples_on"]);
    let (tools, _) = shown(Server::new("my", Fixture::new()).except(except)).await;
    assert_eq!(tools, ["my_slow", "my_more"]);
    let wrong = Agent::builder(ScriptedModel::new([])).toolset(Server::new("a b", Fixture::new()));
    assert!(wrong.build().unwrap_err().to_string().contains("cannot be the name of a server"));
}

/// Nothing to connect to.
struct Nothing;

impl Connect for Nothing {
    fn target(&self) -> String {
        "nothing".to_owned()
    }

    fn connect(&self) -> BoxFuture<'_, Result<Connected, Error>> {
        Box::pin(async { Err(Error::Unreachable("there is no such program".to_owned())) })
    }
}

#[tokio::test]
async fn s18_1_a_server_that_is_not_there_costs_its_tools_alone() {
    let (tools, warnings) = shown(Server::new("my", Nothing)).await;
    assert!(tools.is_empty());
    assert!(
        warnings.iter().any(|warning| warning.contains("there is no such program")),
        "{warnings:?}"
    );
}

/// A tool of the agent itself.
struct Own(Arc<ToolSpec>);

impl Tool for Own {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.0)
    }

    fn call<'a>(&'a self, _: &'a ToolCall, _: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(std::future::ready(ToolOutcome::text("own")))
    }
}

#[tokio::test]
async fn s18_2_a_tool_whose_name_is_taken_is_left_out_and_the_run_goes_on() {
    let own = Own(Arc::new(ToolSpec::new("my_echo", "Echoes.", json!({"type": "object"}))));
    let (model, observer) = (ScriptedModel::new([Turn::text("Done.")]), RecordingObserver::new());
    let agent = Agent::builder(model.clone()).tool(own).observer(observer.clone());
    let servers = ["my", "my_slow"].map(|name| Server::new(name, Fixture::new()));
    let agent = servers.into_iter().fold(agent, |agent, server| agent.toolset(server));
    let run = agent.build().unwrap().run("go").await.unwrap();
    assert_eq!(run.text(), "Done.");
    let tools = model.requests().remove(0).tools;
    let named = |name: &str| tools.iter().filter(|tool| &*tool.name == name).count();
    assert_eq!((named("my_echo"), named("my_again"), named("my_slow_echo")), (1, 1, 1));
    let warned = observer.events().into_iter().any(|event| match event.kind {
        EventKind::Warning { message } => {
            message.contains("two tools are named `my_echo`") && message.contains("left out")
        }
        _ => false,
    });
    assert!(warned);
}

#[tokio::test]
async fn s18_4_all_tools_together_have_a_bound() {
    let fixture = Fixture::new();
    let long = "a".repeat(60_000);
    let names = ["one", "two", "three", "four", "five", "six"];
    *fixture.0.tools.lock().unwrap() =
        names.map(|name| tool(name, json!({"description": long}))).to_vec();
    let (tools, warnings) = shown(Server::new("my", fixture)).await;
    assert_eq!(tools, ["my_one", "my_two", "my_three", "my_four"]);
    let left = warnings.iter().filter(|warning| warning.contains("more than 256 KiB"));
    assert_eq!(left.count(), 2, "{warnings:?}");
}

#[tokio::test(start_paused = true)]
async fn s18_4_a_server_that_does_not_list_its_tools_in_time_costs_its_tools_alone() {
    let fixture = Fixture::new();
    fixture.0.is_silent.store(true, std::sync::atomic::Ordering::SeqCst);
    let (tools, warnings) = shown(Server::new("my", fixture)).await;
    assert!(tools.is_empty());
    let told =
        warnings.iter().any(|warning| warning.contains("did not list its tools within 30 s"));
    assert!(told, "{warnings:?}");
}

#[tokio::test]
async fn s18_13_secrets_that_a_server_repeats_of_itself_reach_no_model() {
    let fixture = Fixture::new();
    let mut listed = tool("echo", json!({"description": "with tok-12345678"}));
    listed.description = Some("Needs tok-12345678.".into());
    *fixture.0.tools.lock().unwrap() = vec![listed];
    let mask = Mask::of(["tok-12345678", "Ask twice a day."]);
    let model = ScriptedModel::new([Turn::text("Done.")]);
    let server = Server::new("my", fixture).trusted().masking(mask);
    let agent = Agent::builder(model.clone()).toolset(server.clone()).build().unwrap();
    agent.run("go").await.unwrap();
    let request = model.requests().remove(0);
    let tool = request.tools.iter().next().unwrap();
    for said in [&*tool.description, &tool.parameters.to_string(), &*request.instructions] {
        assert!(said.contains("[redacted]"), "{said}");
        assert!(!said.contains("tok-12345678") && !said.contains("Ask twice a day."), "{said}");
    }
    let seen = server.look().await.unwrap();
    assert_eq!(seen.instructions.as_deref(), Some("[redacted]"));
}
