//! Resources and prompts of a server, as tools.

use legwork_agent::Agent;
use legwork_mcp::Server;
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::json;

use crate::calls::results;
use crate::fixture::Fixture;

/// The names of the tools of a server that are none of its own.
async fn offered(server: Server) -> Vec<String> {
    let seen = server.look().await.unwrap();
    let names = seen.tools.iter().map(|tool| tool.name.to_string());
    names.filter(|name| name.contains("resource") || name.contains("prompt")).collect()
}

#[tokio::test]
async fn s18_15_resources_and_prompts_are_tools_where_that_is_asked_for() {
    assert!(offered(Server::new("my", Fixture::new())).await.is_empty());
    let asked = Server::new("my", Fixture::new()).resources_and_prompts();
    let all = ["my_list_resources", "my_read_resource", "my_list_prompts", "my_get_prompt"];
    assert_eq!(offered(asked.clone()).await, all);
    assert_eq!(offered(asked.only(["echo", "get_prompt"])).await, ["my_get_prompt"]);
}

#[tokio::test]
async fn s18_15_resources_are_listed_and_read_and_prompts_are_got() {
    for fixture in [Fixture::new(), Fixture::legacy()] {
        let turns = [
            Turn::call("my_list_resources", json!({})),
            Turn::call("my_read_resource", json!({"uri": "tide://dover"})),
            Turn::call("my_read_resource", json!({"uri": "tide://nowhere"})),
            Turn::call("my_list_prompts", json!({})),
            Turn::call("my_get_prompt", json!({"name": "plan", "arguments": {"day": "today"}})),
            Turn::text("Done."),
        ];
        let server = Server::new("my", fixture).resources_and_prompts();
        let agent = Agent::builder(ScriptedModel::new(turns)).toolset(server).build().unwrap();
        let results = results(&agent.run("go").await.unwrap());
        assert!(results[0].contains("tide://dover") && results[0].contains("templates"));
        assert_eq!(results[1], "[resource tide://dover]\nhigh at 14:07");
        assert_eq!(results[2], "the server `my`: no such port");
        assert!(results[3].contains("Plans."), "{results:?}");
        assert_eq!(results[4], "[user]\nplan {\"day\":\"today\"}");
    }
}
