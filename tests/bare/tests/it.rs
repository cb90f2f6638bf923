//! What works without features, and the errors of what does not.

use legwork::agent::driver::{Line, NoModel, Scripted};
use legwork::prelude::*;
use legwork::{capability, store};
use serde_json::json;

/// The part of an error that says which feature to enable.
fn enable(feature: &str) -> String {
    format!("it needs the feature `{feature}` of the crate `legwork`")
}

#[tokio::test]
async fn an_agent_with_closures_for_tools_runs() {
    let lines = [Line::call("greet", json!(null)), Line::text("Greeted.")];
    let agent = Agent::builder(NoModel)
        .driver(Scripted::new(lines))
        .tool(tool::from_fn("greet", "Greets.", || "Good morning."))
        .store("memory:")
        .build()
        .unwrap();
    assert_eq!(agent.run("Greet me.").await.unwrap().text(), "Greeted.");
}

#[test]
fn a_model_names_the_feature_that_it_needs() {
    for error in [
        model::from_env("openai:gpt-5-mini").err().unwrap(),
        model::at("ollama:qwen3", Some("http://127.0.0.1:1/v1"), None).err().unwrap(),
    ] {
        let error = error.to_string();
        assert!(error.contains(&enable("openai")), "{error}");
    }
    for error in [
        embedder::from_env("openai:text-embedding-3-small").err().unwrap(),
        embedder::at("ollama:m", Some("http://127.0.0.1:1/v1"), None).err().unwrap(),
    ] {
        assert!(error.to_string().contains(&enable("openai")), "{error}");
    }
    let error = model::from_env("gpt-5-mini").err().unwrap().to_string();
    assert!(error.contains("provider:name"), "{error}");
}

#[test]
fn a_store_names_the_feature_that_it_needs() {
    let error = Agent::builder(NoModel).store("sqlite:clerk.db").build().unwrap_err().to_string();
    assert!(error.contains("sqlite:clerk.db") && error.contains(&enable("sqlite")), "{error}");
    let error = store::open_inline("sqlite:clerk.db").err().unwrap().to_string();
    assert!(error.contains(&enable("sqlite")), "{error}");
    assert!(store::open("memory:").is_ok());
}

#[test]
fn a_capability_names_the_feature_that_it_needs() {
    let registry = capability::shipped_from_env();
    for name in ["bash", "coding", "files"] {
        let error = registry.make(name, &json!({})).err().unwrap().to_string();
        assert!(error.contains(&enable("tools")), "{error}");
    }
    assert!(registry.make("guards", &json!({"steps": 5})).is_ok());
}
