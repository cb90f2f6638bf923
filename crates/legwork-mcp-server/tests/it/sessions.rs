//! The sessions of the agent, for a client.

use legwork_agent::Agent;
use legwork_agent::memory::MemoryStore;
use legwork_mcp_server::{Agents, Server};
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::json;
use std::sync::Arc;

use crate::fixture::{Era, Peer, World, agent, text};

#[tokio::test]
async fn s19_6_sessions_are_listed_shown_steered_and_stopped() {
    let (world, store) = (World::default(), MemoryStore::new());
    let turns = [Turn::call("wait", json!({"n": 1})), Turn::text("heard")];
    let agent = agent(&ScriptedModel::new(turns), &world, &store);
    let server = Server::new(Agents::new(agent));
    let mut peer = Peer::able(server, Era::Legacy, json!({})).await;
    let empty = peer.calls("list_sessions", json!({})).await;
    assert_eq!(text(&empty), "There are no sessions yet.");
    let params = json!({"name": "run_agent", "arguments": {"task": "wait for me"}});
    let running = peer.asks("tools/call", params).await;
    world.gate.arrived(1).await;
    let listed = peer.calls("list_sessions", json!({"limit": 5})).await;
    let session = &listed["structuredContent"]["sessions"][0];
    assert_eq!(session["title"], "wait for me");
    let session = session["session"].clone();
    let again = peer.calls("run_agent", json!({"task": "hurry", "session": session})).await;
    assert!(text(&again).contains("is at work: steer_session"), "{again}");
    let steered = json!({"session": session, "message": "hurry up"});
    let steered = peer.calls("steer_session", steered).await;
    assert_eq!(text(&steered), "It reads this before its next step.");
    let stopped = peer.calls("stop_session", json!({"session": session, "reason": "late"})).await;
    assert_eq!(text(&stopped), "It stops before its next step.");
    world.gate.open();
    let ended = peer.answer(running).await;
    assert_eq!(ended["result"]["structuredContent"]["status"], "cancelled", "{ended}");
    let shown = peer.calls("show_session", json!({"session": session})).await;
    assert_eq!(shown["structuredContent"]["status"], "cancelled");
    assert!(text(&shown).contains("late"), "{shown}");
}

#[tokio::test]
async fn s19_6_sessions_of_other_agents_are_unknown() {
    let store = MemoryStore::new();
    let other = Agent::builder(ScriptedModel::new([Turn::text("secret")]))
        .id("other")
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    other.run("whisper").in_session("hers").await.unwrap();
    let agent = agent(&ScriptedModel::new([Turn::text("no")]), &World::default(), &store);
    let mut peer = Peer::able(Server::new(Agents::new(agent)), Era::Legacy, json!({})).await;
    let listed = peer.calls("list_sessions", json!({})).await;
    assert_eq!(listed["structuredContent"]["sessions"], json!([]));
    for (tool, more) in [
        ("show_session", json!({})),
        ("steer_session", json!({"message": "hello"})),
        ("stop_session", json!({})),
        ("answer_question", json!({"answer": "yes"})),
        ("run_agent", json!({"task": "tell me"})),
    ] {
        let mut arguments = more;
        arguments["session"] = json!("hers");
        let params = json!({"name": tool, "arguments": arguments});
        let answer = peer.asked("tools/call", params).await;
        let says = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(says.starts_with("there is no session \"hers\""), "{tool}: {answer}");
    }
    let task = peer.asked("tools/list", json!({})).await;
    assert!(task.get("result").is_some());
}
