//! The tools for the web as a capability.

use legwork::Agent;
use legwork::capability::{self, Registry, Web};
use legwork::web::search::Engine;
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::{Value, json};

fn web(settings: &Value, key: Option<&str>) -> Result<Web, String> {
    Web::from_settings(settings, |_: &Engine| key.map(str::to_owned))
}

fn refused(settings: &Value) -> String {
    web(settings, None).err().unwrap()
}

#[tokio::test]
async fn settings_choose_the_tools_for_the_web() {
    for (settings, names) in [
        (json!({}), vec!["fetch"]),
        (json!({"network": "all", "search": "brave"}), vec!["fetch", "web_search"]),
    ] {
        let model = ScriptedModel::new([Turn::text("done")]);
        let web = web(&settings, Some("a-key")).unwrap();
        let agent = Agent::builder(model.clone()).capability(web).build().unwrap();
        agent.run("go").await.unwrap();
        assert_eq!(model.asked()[0].tools, names);
    }
}

#[tokio::test]
async fn s13_14_without_network_fetch_says_so() {
    let call = Turn::call("fetch", json!({"url": "https://example.com/"}));
    let model = ScriptedModel::new([call, Turn::text("done")]);
    let web = web(&json!({}), None).unwrap();
    let agent = Agent::builder(model.clone()).capability(web).build().unwrap();
    agent.run("go").await.unwrap();
    let told = model.asked()[1].results().concat();
    assert!(told.contains("the network is off"), "{told}");
}

#[test]
fn settings_that_do_not_fit_say_so() {
    assert!(refused(&json!({"network": 7})).contains("`off`, `all` or a list of hosts"));
    assert!(refused(&json!({"deny": ["http://x.org"]})).contains("`deny`: "));
    assert!(refused(&json!({"search": "gogle"})).contains("brave, tavily, searxng"));
    assert!(refused(&json!({"search": "brave"})).contains("BRAVE_API_KEY"));
    assert!(refused(&json!({"sreach": "brave"})).contains("sreach"));
}

#[test]
fn the_registry_of_the_environment_has_it() {
    let registry: Registry = capability::shipped_from_env();
    assert_eq!(registry.make("web", &json!({"network": "all"})).unwrap().name(), "web");
}
