//! Calls of a server's tools by an agent.

use legwork_agent::Agent;
use legwork_core::EffectClass;
use legwork_mcp::Server;
use legwork_testkit::{RecordingObserver, ScriptedModel, Turn};
use serde_json::json;

use crate::fixture::Fixture;

/// The results of all calls of a run, as text.
pub(crate) fn results(run: &legwork_agent::Run) -> Vec<String> {
    let steps = run.state().step_results();
    let outcomes = steps.flat_map(|step| {
        step.step.calls.iter().filter_map(|slot| Some(slot.execution()?.outcome.to_text()))
    });
    outcomes.collect()
}

#[tokio::test]
async fn s18_1_the_tools_of_a_server_are_called_in_both_revisions() {
    for fixture in [Fixture::new(), Fixture::legacy(), Fixture::restricted()] {
        let turns = [Turn::call("my_echo", json!({"text": "so"})), Turn::text("Done.")];
        let model = ScriptedModel::new(turns);
        let agent = Agent::builder(model).toolset(Server::new("my", fixture.clone()));
        let run = agent.build().unwrap().run("go").await.unwrap();
        assert_eq!(results(&run), [r#"{"text":"so"}"#]);
        assert_eq!(fixture.called(), ["echo"]);
    }
}

#[tokio::test]
async fn s18_6_an_error_of_the_protocol_is_a_failure_that_the_model_reads() {
    let fixture = Fixture::new();
    let turns = [Turn::call("my_again", json!({})), Turn::text("Done.")];
    let agent = Agent::builder(ScriptedModel::new(turns));
    let run = agent.toolset(Server::new("my", fixture)).build().unwrap().run("go").await.unwrap();
    assert_eq!(results(&run), ["the server `my`: no such day"]);
}

#[tokio::test]
async fn s18_7_progress_reaches_observers_in_order() {
    for fixture in [Fixture::new(), Fixture::legacy()] {
        let observer = RecordingObserver::new();
        let turns = [Turn::call("my_steps", json!({})), Turn::text("Done.")];
        let agent = Agent::builder(ScriptedModel::new(turns)).observer(observer.clone());
        agent.toolset(Server::new("my", fixture)).build().unwrap().run("go").await.unwrap();
        let events = observer.events();
        let reached = events.iter().filter_map(|event| match &event.kind {
            legwork_agent::EventKind::ToolProgress { message, value, .. } => {
                assert_eq!(value.as_ref().unwrap()["total"], 3.0);
                Some(message.as_str())
            }
            _ => None,
        });
        let reached: Vec<_> = reached.collect();
        // Its messages are handled side by side: one that comes late is dropped.
        assert!(reached.is_sorted() && reached.last() == Some(&"3 of 3"), "{reached:?}");
    }
}

/// Drops a run in the middle of a call, and waits until the server has seen that.
pub(crate) async fn is_told_of_a_dropped_call(server: Server, fixture: &Fixture) {
    let turns = [Turn::call("my_slow", json!({})), Turn::text("Done.")];
    let agent = Agent::builder(ScriptedModel::new(turns)).toolset(server).build().unwrap();
    tokio::select! {
        biased;
        _ = agent.run("go") => unreachable!("it waits at the gate"),
        () = fixture.0.gate.arrived(1) => {}
    }
    fixture.0.cancelled.pass().await;
}

#[tokio::test]
async fn s18_8_a_call_that_is_dropped_is_cancelled_on_the_server() {
    for fixture in [Fixture::new(), Fixture::legacy()] {
        is_told_of_a_dropped_call(Server::new("my", fixture.clone()), &fixture).await;
    }
}

#[tokio::test]
async fn s18_5_hints_count_only_where_the_server_is_trusted() {
    let class = |trusted: bool| async move {
        let server = Server::new("my", Fixture::new());
        let server = if trusted { server.trusted() } else { server };
        let model = ScriptedModel::new([Turn::text("Done.")]);
        let agent = Agent::builder(model.clone()).toolset(server).build().unwrap();
        agent.run("go").await.unwrap();
        let tools = model.requests().remove(0).tools;
        let of = |name: &str| tools.iter().find(|tool| &*tool.name == name).unwrap().effect;
        [of("my_echo"), of("my_again"), of("my_slow")]
    };
    let once = EffectClass::default();
    assert_eq!(class(false).await, [once, once, once]);
    assert_eq!(class(true).await, [EffectClass::ReadOnly, EffectClass::Idempotent, once]);
}

#[tokio::test]
async fn s18_5_instructions_count_only_where_the_server_is_trusted() {
    for (server, expected) in [
        (Server::new("my", Fixture::new()), false),
        (Server::new("my", Fixture::new()).trusted(), true),
    ] {
        let model = ScriptedModel::new([Turn::text("Done.")]);
        let agent = Agent::builder(model.clone()).toolset(server).build().unwrap();
        agent.run("go").await.unwrap();
        let instructions = model.requests().remove(0).instructions;
        assert_eq!(instructions.contains("Ask twice a day."), expected, "{instructions}");
    }
}

#[tokio::test]
async fn s18_8_a_call_that_takes_too_long_fails_alone_and_the_server_is_told() {
    for fixture in [Fixture::new(), Fixture::legacy()] {
        let turns = [
            Turn::call("my_slow", json!({})),
            Turn::call("my_told", json!({})),
            Turn::text("Done."),
        ];
        let limit = std::time::Duration::from_millis(500);
        let server = Server::new("my", fixture.clone()).timeout(limit);
        let agent = Agent::builder(ScriptedModel::new(turns)).toolset(server).build().unwrap();
        let run = agent.run("go").await.unwrap();
        let outcomes = results(&run);
        assert!(outcomes[0].contains("its limit of 500ms"), "{outcomes:?}");
        assert_eq!(outcomes[1], "{}");
        assert_eq!(fixture.connections(), 1);
    }
}
