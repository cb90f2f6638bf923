//! Servers that end.

use legwork_agent::Agent;
use legwork_mcp::Server;
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::json;

use crate::calls::results;
use crate::fixture::Fixture;

#[tokio::test]
async fn s18_9_a_server_that_ends_in_a_call_fails_that_call_alone() {
    for fixture in [Fixture::new(), Fixture::legacy()] {
        let turns = [
            Turn::call("my_dies", json!({})),
            Turn::call("my_echo", json!({"text": "so"})),
            Turn::text("Done."),
        ];
        let agent = Agent::builder(ScriptedModel::new(turns));
        let agent = agent.toolset(Server::new("my", fixture.clone())).build().unwrap();
        let run = agent.run("go").await.unwrap();
        let outcomes = results(&run);
        let ended = "it ended during the call, which may or may not have had an effect; it said \
                     last: I am done for";
        assert_eq!(outcomes[0], format!("the server `my`: {ended}"));
        assert_eq!(outcomes[1], r#"{"text":"so"}"#);
        assert_eq!(fixture.connections(), 2);
    }
}

#[tokio::test]
async fn s18_9_a_server_that_ends_again_and_again_is_given_up() {
    let fixture = Fixture::new();
    let mut turns: Vec<_> = (0..4).map(|_| Turn::call("my_dies", json!({}))).collect();
    turns.push(Turn::text("Done."));
    let agent = Agent::builder(ScriptedModel::new(turns));
    let agent = agent.toolset(Server::new("my", fixture.clone())).build().unwrap();
    let run = agent.run("go").await.unwrap();
    assert_eq!(fixture.connections(), 3, "{:?}", results(&run));
    assert_eq!(run.text(), "Done.");
}
