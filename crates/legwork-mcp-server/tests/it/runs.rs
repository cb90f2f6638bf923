//! Tasks that a client waits for.

use legwork_agent::StoredSession;
use legwork_core::ExecutionStatus;
use legwork_testkit::Turn;
use serde_json::json;
use std::sync::Arc;

use crate::fixture::{BOTH, Era, Peer, text};

/// A client that waits for its calls.
async fn waits(
    turns: Vec<Turn>,
    era: Era,
) -> (Peer, crate::fixture::World, legwork_agent::memory::MemoryStore) {
    let (world, store) =
        (crate::fixture::World::default(), legwork_agent::memory::MemoryStore::new());
    let agent = crate::fixture::agent(&legwork_testkit::ScriptedModel::new(turns), &world, &store);
    let server = legwork_mcp_server::Server::new(legwork_mcp_server::Agents::new(agent));
    (Peer::able(server, era, json!({})).await, world, store)
}

#[tokio::test]
async fn s19_2_a_task_gives_the_answer_and_its_session_goes_on() {
    for era in BOTH {
        let turns =
            vec![Turn::call("look", json!({"n": 1})), Turn::text("two"), Turn::text("three")];
        let (mut peer, world, store) = waits(turns, era).await;
        let params = json!({"name": "run_agent", "arguments": {"task": "count"}, "_meta": {"progressToken": "p"}});
        let result = peer.result("tools/call", params).await;
        assert_eq!(result["isError"], false, "{result}");
        let session = result["structuredContent"]["session"].as_str().unwrap().to_owned();
        assert_eq!(text(&result), format!("two\n\n[session {session}]"));
        assert_eq!(world.notes(), ["look {\"n\":1}"]);
        let told = peer.others.iter().filter(|other| other["method"] == "notifications/progress");
        let told: Vec<_> = told.map(|other| other["params"]["message"].as_str().unwrap()).collect();
        assert_eq!(told, ["step 1", "look", "step 2"]);
        let again = json!({"task": "go on", "session": session});
        let result = peer.calls("run_agent", again).await;
        assert!(text(&result).starts_with("three\n"), "{result}");
        let stored = StoredSession::new(Arc::new(store), session.as_str());
        let asked = stored.state().await.unwrap().context().transcript.messages().len();
        assert_eq!(asked, 6, "both tasks are in one conversation");
    }
}

#[tokio::test]
async fn s19_2_a_task_that_does_not_complete_says_how_to_go_on() {
    let (mut peer, _, _) = waits(vec![Turn::call("send", json!({"n": 1}))], Era::Legacy).await;
    let result = peer.calls("run_agent", json!({"task": "send it"})).await;
    assert_eq!(result["isError"], true);
    assert!(text(&result).starts_with("It did not complete: "), "{result}");
    assert_eq!(result["structuredContent"]["status"], "awaiting_approval");
    assert_eq!(result["structuredContent"]["waits_for"][0]["tool"], "send");
    for (arguments, says) in [
        (json!({}), "run_agent: the argument \"task\" is missing"),
        (json!({"task": "go", "session": "no-such"}), "there is no session \"no-such\""),
    ] {
        let params = json!({"name": "run_agent", "arguments": arguments});
        let answer = peer.asked("tools/call", params).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(says), "{answer}");
    }
}

#[tokio::test]
async fn s19_2_a_cancelled_task_is_interrupted_and_can_be_resumed() {
    let turns = vec![Turn::call("wait", json!({"n": 1})), Turn::text("done")];
    let (mut peer, world, store) = waits(turns, Era::Legacy).await;
    let params = json!({"name": "run_agent", "arguments": {"task": "wait"}});
    let id = peer.asks("tools/call", params).await;
    world.gate.arrived(1).await;
    peer.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id},
    }))
    .await;
    // Its session is given back, and what is left of it is shown.
    let session = loop {
        let listed = peer.calls("list_sessions", json!({})).await;
        let session =
            listed["structuredContent"]["sessions"][0]["session"].as_str().map(str::to_owned);
        let Some(session) = session else { continue };
        let busy = peer.calls("run_agent", json!({"task": "x", "session": session})).await;
        if !text(&busy).contains("is at work") {
            break session;
        }
        tokio::task::yield_now().await;
    };
    let stored = StoredSession::new(Arc::new(store), session.as_str());
    let state = stored.state().await.unwrap();
    assert_eq!(state.status(), Some(&ExecutionStatus::Completed), "the new task ran");
    assert!(world.notes().is_empty(), "the call was ended");
}

#[tokio::test]
async fn s19_1_the_end_of_the_input_ends_the_server() {
    let (peer, _, _) = waits(vec![Turn::text("done")], Era::Legacy).await;
    peer.ends().await;
}
