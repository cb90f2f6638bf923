//! What a subagent leaves of a reserve is there for what comes next in the tree.

use legwork_agent::{Agent, Subagent};
use legwork_core::budget::MicroUsd;
use legwork_core::{EffectClass, ModelSettings, ToolOutcome};
use legwork_testkit::Turn;
use serde_json::json;

use crate::subagents::spawn;
use crate::tools::{World, noting, outcomes};
use crate::trees::{micros, priced, usage};

#[tokio::test]
async fn s5_4_what_an_inference_of_a_subagent_did_not_use_is_there_for_its_next_one() {
    // Each inference holds more than 600 of the 2,100, and uses 20.
    let look = || Turn::call("look", json!({"n": 1})).with_usage(usage(10, 10));
    let ok = |text: &str| Turn::text(text).with_usage(usage(10, 10));
    let child = priced([look(), look(), look(), look(), ok("seen")]).named("x:child");
    let root = priced([Turn::calls([spawn("a", "go")]).with_usage(usage(10, 10)), ok("done")]);
    let settings = ModelSettings { max_output: Some(600), ..ModelSettings::default() };
    let agent = Agent::builder(root.named("x:root"))
        .settings(settings)
        .budget(micros(2_100))
        .tool(noting("look", EffectClass::ReadOnly, &World::default()))
        .subagent(Subagent::new("a", "Works.", "").model(child))
        .build()
        .unwrap();
    let run = agent.run("go").await.unwrap();
    assert_eq!(outcomes(run.state()), [ToolOutcome::text("seen")]);
    assert_eq!(run.text(), "done");
    assert_eq!(run.state().ledger().lifetime.cost, MicroUsd(7 * 20));
    assert!(run.state().ledger().reserved.is_empty());
}
