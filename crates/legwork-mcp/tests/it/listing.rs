//! Lists of tools that are wrong in some way.

use legwork_agent::{Agent, EventKind};
use legwork_mcp::{Connect, Connected, Error, Server};
use legwork_port::BoxFuture;
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
    let except = ["echo", "again", "steps", "told", "dies"];
    let (tools, _) = shown(Server::new("my", Fixture::new()).except(except)).await;
    assert_eq!(tools, ["my_slow", "my_more"]);
    let wrong = Agent::builder(ScriptedModel::new([])).toolset(Server::new("a b", Fixture::new()));
    assert!(wrong.build().unwrap_err().to_string().contains("is no name of a server"));
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
