//! Tasks of clients that poll.

use legwork_agent::memory::MemoryStore;
use legwork_mcp_server::{Agents, Server};
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::{Value, json};

use crate::fixture::{Era, Peer, World, agent, text};

/// Polls until a task has one of these statuses.
async fn polled(peer: &mut Peer, id: &Value, wanted: &[&str]) -> Value {
    loop {
        let task = peer.result("tasks/get", json!({"taskId": id})).await;
        if wanted.contains(&task["status"].as_str().unwrap()) {
            return task;
        }
        tokio::task::yield_now().await;
    }
}

/// Begins a task; gives its id.
async fn begins(peer: &mut Peer, task: &str) -> Value {
    let created = peer.calls("run_agent", json!({"task": task})).await;
    assert_eq!(created["resultType"], "task", "{created}");
    created["taskId"].clone()
}

#[tokio::test]
async fn s19_4_a_task_is_polled_to_its_result() {
    let turns = [Turn::call("wait", json!({"n": 1})), Turn::text("done")];
    let (mut peer, world, _) = Peer::with(turns, Era::Modern).await;
    let id = begins(&mut peer, "wait").await;
    world.gate.arrived(1).await;
    let task = polled(&mut peer, &id, &["working"]).await;
    assert!(task.get("result").is_none());
    world.gate.open();
    let task = polled(&mut peer, &id, &["completed", "failed"]).await;
    assert!(text(&task["result"]).starts_with("done\n"), "{task}");
    assert_eq!(task["result"]["isError"], false);
    // The session goes on with another task, and the first one stays what it was.
    let session = task["result"]["structuredContent"]["session"].clone();
    let (_, result) = (session, task["result"].clone());
    let again = polled(&mut peer, &id, &["completed"]).await;
    assert_eq!(again["result"], result);
    for unknown in [json!("no-such"), json!("x~1")] {
        let refused = peer.asked("tasks/get", json!({"taskId": unknown})).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
}

#[tokio::test]
async fn s19_4_an_earlier_task_of_a_session_keeps_its_result() {
    let turns = [Turn::text("first"), Turn::text("second")];
    let (mut peer, _, _) = Peer::with(turns, Era::Modern).await;
    let one = begins(&mut peer, "one").await;
    let first = polled(&mut peer, &one, &["completed"]).await;
    let session = first["result"]["structuredContent"]["session"].clone();
    let created = peer.calls("run_agent", json!({"task": "two", "session": session})).await;
    let two = created["taskId"].clone();
    assert_ne!(one, two);
    let second = polled(&mut peer, &two, &["completed"]).await;
    assert!(text(&second["result"]).starts_with("second\n"), "{second}");
    let first = polled(&mut peer, &one, &["completed"]).await;
    assert!(text(&first["result"]).starts_with("first\n"), "{first}");
}

#[tokio::test]
async fn s19_4_a_task_asks_the_person_and_goes_on() {
    let turns = [Turn::call("send", json!({"n": 7})), Turn::text("sent")];
    let (mut peer, world, _) = Peer::with(turns, Era::Modern).await;
    let id = begins(&mut peer, "send it").await;
    let task = polled(&mut peer, &id, &["input_required"]).await;
    let requests = task["inputRequests"].as_object().unwrap();
    assert_eq!(requests.len(), 1);
    let answer = json!({"action": "accept", "content": {"approve": true}});
    let answers: serde_json::Map<_, _> =
        requests.keys().map(|key| (key.clone(), answer.clone())).collect();
    peer.result("tasks/update", json!({"taskId": id, "inputResponses": answers})).await;
    let task = polled(&mut peer, &id, &["completed"]).await;
    assert!(text(&task["result"]).starts_with("sent\n"), "{task}");
    assert_eq!(world.notes(), ["send {\"n\":7}"]);
    // An answer that comes again changes nothing.
    peer.result("tasks/update", json!({"taskId": id, "inputResponses": answers})).await;
    assert_eq!(world.notes().len(), 1);
}

#[tokio::test]
async fn s19_4_a_cancelled_task_is_cancelled_and_one_that_is_over_stays() {
    let turns = [Turn::call("wait", json!({"n": 1})), Turn::text("done")];
    let (mut peer, world, _) = Peer::with(turns, Era::Modern).await;
    let id = begins(&mut peer, "wait").await;
    world.gate.arrived(1).await;
    peer.result("tasks/cancel", json!({"taskId": id})).await;
    polled(&mut peer, &id, &["cancelled"]).await;
    assert!(world.notes().is_empty());

    let (mut peer, _, _) = Peer::with([Turn::text("done")], Era::Modern).await;
    let id = begins(&mut peer, "say it").await;
    polled(&mut peer, &id, &["completed"]).await;
    peer.result("tasks/cancel", json!({"taskId": id})).await;
    polled(&mut peer, &id, &["completed"]).await;
}

#[tokio::test]
async fn s19_4_a_task_goes_on_after_a_restart() {
    let (world, store) = (World::default(), MemoryStore::new());
    let model = ScriptedModel::new([Turn::call("wait", json!({"n": 1})), Turn::text("done")]);
    let agents = Agents::new(agent(&model, &world, &store));
    let mut peer = Peer::of(Server::new(agents.clone()), Era::Modern).await;
    let id = begins(&mut peer, "wait").await;
    world.gate.arrived(1).await;
    // The server ends while the call runs; what runs is left for whoever comes next.
    drop(peer);
    agents.end().await;
    assert!(world.notes().is_empty());
    world.gate.open();
    let agents = Agents::new(agent(&model, &world, &store));
    let mut peer = Peer::of(Server::new(agents), Era::Modern).await;
    let task = polled(&mut peer, &id, &["completed", "failed"]).await;
    assert!(text(&task["result"]).starts_with("done\n"), "{task}");
    assert_eq!(world.notes().len(), 1);
}
