//! States that a caller feeds back, and the sources of tools that are open meanwhile.

use legwork_agent::Agent;
use legwork_core::EffectClass;
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::json;

use crate::sets::Set;
use crate::tools::{World, noting, said};

/// A source that notes when it is opened and closed, and what it is asked.
fn door(world: &World) -> Set {
    Set::new("door").noting(world).tools([noting("look", EffectClass::ReadOnly, world)])
}

#[tokio::test]
async fn s4_3_sources_are_opened_again_for_a_state_fed_back_after_the_end_and_only_then() {
    let world = World::default();
    let model = ScriptedModel::new([Turn::call("look", json!({"n": 1})), Turn::text("done")]);
    let agent = Agent::builder(model).toolset(door(&world)).build().unwrap();
    let mut run = agent.run("go").open().await.unwrap();
    let state = run.next().await.unwrap().unwrap();
    run.set(state.with_message("hurry")).unwrap();
    while run.next().await.unwrap().is_some() {}
    assert_eq!(said(run.state()), ["go", "1", "hurry", "done"]);
    assert_eq!(world.notes(), ["door opens", "look 1", "door closes"]);
    // At rest, it is neither opened nor closed once more.
    assert!(run.next().await.unwrap().is_none());
    run.set(run.state().clone()).unwrap();
    assert!(run.next().await.unwrap().is_none());
    assert_eq!(world.notes().len(), 3, "{:?}", world.notes());
    run.set(run.state().clone().with_metadata("seen", Some(json!(true)))).unwrap();
    assert!(run.next().await.unwrap().is_none());
    assert_eq!(world.notes()[3..], ["door opens", "door closes"]);
}
