//! Tools that change while a run goes on.

use legwork_agent::Agent;
use legwork_mcp::Server;
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::json;

use crate::calls::results;
use crate::fixture::Fixture;

#[tokio::test]
async fn s18_4_a_changed_list_of_tools_is_there_at_the_next_step() {
    for fixture in [Fixture::new(), Fixture::legacy()] {
        let turns = [
            Turn::call("my_more", json!({})),
            // Its message and the answer of the call are handled side by side.
            Turn::call("my_echo", json!({"text": "so"})),
            Turn::call("my_new", json!({})),
            Turn::text("Done."),
        ];
        let model = ScriptedModel::new(turns);
        let agent = Agent::builder(model.clone()).toolset(Server::new("my", fixture.clone()));
        let run = agent.build().unwrap().run("go").await.unwrap();
        let shown = |at: usize| {
            let requests = model.requests();
            requests[at].tools.iter().any(|tool| &*tool.name == "my_new")
        };
        assert!(!shown(0) && shown(2), "{:?}", results(&run));
        assert_eq!(fixture.called(), ["more", "echo", "new"]);
    }
}
