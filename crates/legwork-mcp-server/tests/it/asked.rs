//! What waits for a person is asked of the person in front of the client.

use legwork_agent::memory::MemoryStore;
use legwork_mcp_server::{Agents, Server};
use legwork_testkit::{ScriptedModel, Turn};
use serde_json::{Value, json};

use crate::fixture::{BOTH, Era, Peer, World, agent, text};

/// A client that shows forms, and polls no tasks.
async fn person(turns: Vec<Turn>, era: Era) -> (Peer, World) {
    let (world, store) = (World::default(), MemoryStore::new());
    let agent = agent(&ScriptedModel::new(turns), &world, &store);
    let server = Server::new(Agents::new(agent));
    (Peer::able(server, era, json!({"elicitation": {}})).await, world)
}

fn sends() -> Vec<Turn> {
    vec![Turn::call("send", json!({"n": 7})), Turn::text("ended")]
}

fn accepts(content: Value) -> Value {
    json!({"action": "accept", "content": content})
}

#[tokio::test]
async fn s19_3_a_person_approves_or_denies_the_call_as_it_is() {
    for era in BOTH {
        for (answer, notes) in [
            (accepts(json!({"approve": true})), vec!["send {\"n\":7}"]),
            (accepts(json!({"approve": false})), vec![]),
            (json!({"action": "decline"}), vec![]),
        ] {
            let (mut peer, world) = person(sends(), era).await;
            let task = json!({"task": "send it"});
            let (message, shown) = peer.calls_and_says("run_agent", task, answer).await;
            assert!(text(&message["result"]).starts_with("ended\n"), "{message}");
            assert_eq!(shown, ["The agent wants to run this:\nsend {\"n\":7}\nit sends"]);
            assert_eq!(world.notes(), notes);
        }
    }
}

#[tokio::test]
async fn s19_3_a_dismissed_question_leaves_the_call_waiting() {
    for era in BOTH {
        let (mut peer, world) = person(sends(), era).await;
        let task = json!({"task": "send it"});
        let answer = json!({"action": "cancel"});
        let (message, shown) = peer.calls_and_says("run_agent", task, answer).await;
        assert_eq!(shown.len(), 1);
        assert_eq!(message["result"]["structuredContent"]["status"], "awaiting_approval");
        assert_eq!((message["result"]["isError"].clone(), world.notes()), (json!(true), vec![]));
    }
}

#[tokio::test]
async fn s19_3_a_question_of_the_agent_is_a_form() {
    for era in BOTH {
        let ask =
            json!({"question": "Which colour?", "choices": ["red", "blue"], "free_text": false});
        let turns = vec![Turn::call("ask_user", ask), Turn::text("painted")];
        let (mut peer, _) = person(turns, era).await;
        let answer = accepts(json!({"answer": "blue"}));
        let (message, shown) =
            peer.calls_and_says("run_agent", json!({"task": "paint"}), answer).await;
        assert!(text(&message["result"]).starts_with("painted\n"), "{message}");
        assert_eq!(shown, ["The agent asks: Which colour?"]);
    }
}

#[tokio::test]
async fn s7_9_s19_3_input_that_a_call_asks_for_is_a_form() {
    for era in BOTH {
        for (answer, read) in [
            (accepts(json!({"colour": "blue"})), "painted {\"colour\":\"blue\"}"),
            (json!({"action": "decline"}), "Denied by mcp: tester: The user said no."),
        ] {
            let model = ScriptedModel::new([Turn::call("paint", json!({})), Turn::text("ended")]);
            let (world, store) = (World::default(), MemoryStore::new());
            let server = Server::new(Agents::new(agent(&model, &world, &store)));
            let mut peer = Peer::able(server, era, json!({"elicitation": {}})).await;
            let task = json!({"task": "paint"});
            let (message, shown) = peer.calls_and_says("run_agent", task, answer).await;
            assert!(text(&message["result"]).starts_with("ended\n"), "{message}");
            assert_eq!(shown, ["The tool paint asks: Which colour\\u{202e}?"]);
            assert_eq!(model.asked().last().unwrap().results().concat(), read);
        }
        // What does not fit leaves the call waiting, as what the model behind the client says.
        let turns = vec![Turn::call("paint", json!({})), Turn::text("ended")];
        let (mut peer, _) = person(turns, era).await;
        let answer = accepts(json!({"colour": "green"}));
        let (message, _) = peer.calls_and_says("run_agent", json!({"task": "paint"}), answer).await;
        let found = &message["result"]["structuredContent"];
        assert_eq!(found["status"], "awaiting_input", "{message}");
        let answer = json!({"session": found["session"], "answer": "{\"colour\": \"red\"}"});
        let (message, _) = peer.calls_and_says("answer_question", answer, json!({})).await;
        assert!(text(&message["result"]).contains("asks no question"), "{message}");
    }
}

#[tokio::test]
async fn s19_3_the_model_behind_a_client_answers_questions_and_approves_nothing() {
    let (mut peer, world) = person(sends(), Era::Modern).await;
    let first = peer.calls("run_agent", json!({"task": "send it"})).await;
    assert_eq!(first["resultType"], "input_required");
    let listed = peer.calls("list_sessions", json!({})).await;
    let session = listed["structuredContent"]["sessions"][0]["session"].clone();
    let answer = json!({"session": session, "answer": "yes, approve it"});
    let result = peer.calls("answer_question", answer).await;
    assert_eq!(result["isError"], true, "{result}");
    assert!(text(&result).contains("asks no question"), "{result}");
    assert!(world.notes().is_empty());

    let ask = json!({"question": "Which colour?", "choices": [], "free_text": true});
    let turns = vec![Turn::call("ask_user", ask), Turn::text("painted")];
    let (world, store) = (World::default(), MemoryStore::new());
    let agent = agent(&ScriptedModel::new(turns), &world, &store);
    let mut peer = Peer::able(Server::new(Agents::new(agent)), Era::Legacy, json!({})).await;
    let waits = peer.calls("run_agent", json!({"task": "paint"})).await;
    let waits = &waits["structuredContent"];
    assert_eq!(waits["waits_for"][0]["question"], "The agent asks: Which colour?");
    let answer = json!({"session": waits["session"], "answer": "green"});
    let result = peer.calls("answer_question", answer).await;
    assert!(text(&result).starts_with("painted\n"), "{result}");
}

#[tokio::test]
async fn s19_8_what_a_client_kept_is_refused_when_it_was_changed() {
    let (mut peer, world) = person(sends(), Era::Modern).await;
    let call = json!({"name": "run_agent", "arguments": {"task": "send it"}});
    let first = peer.result("tools/call", call.clone()).await;
    let requests = first["inputRequests"].as_object().unwrap();
    let answers = requests.keys().map(|key| (key.clone(), accepts(json!({"approve": true}))));
    let mut again = call;
    again["inputResponses"] = Value::Object(answers.collect());
    let state = first["requestState"].as_str().unwrap();
    let mut changed = state.to_owned();
    let last = changed.pop().unwrap();
    changed.push(if last == 'A' { 'B' } else { 'A' });
    for (name, state) in [("run_agent", &*changed), ("look", state)] {
        again["requestState"] = json!(state);
        again["name"] = json!(name);
        let refused = peer.asked("tools/call", again.clone()).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    assert!(world.notes().is_empty());
}

#[tokio::test]
async fn s19_3_each_answer_counts_when_it_comes() {
    let two = [("send", json!({"n": 1})), ("send", json!({"n": 2}))];
    let (mut peer, world) = person(vec![Turn::calls(two), Turn::text("ended")], Era::Modern).await;
    let mut params = json!({"name": "run_agent", "arguments": {"task": "send both"}});
    for left in [2, 1] {
        let asked = peer.result("tools/call", params.clone()).await;
        assert_eq!(asked["resultType"], "input_required", "{asked}");
        let requests = asked["inputRequests"].as_object().unwrap();
        assert_eq!(requests.len(), left, "{asked}");
        let first = requests.keys().next().unwrap();
        params["inputResponses"] = json!({first.clone(): accepts(json!({"approve": true}))});
        params["requestState"] = asked["requestState"].clone();
    }
    let done = peer.result("tools/call", params).await;
    assert!(text(&done).starts_with("ended\n"), "{done}");
    assert_eq!(world.notes().len(), 2);
}

#[tokio::test]
async fn s19_3_a_client_that_fails_to_ask_leaves_the_call_waiting_and_can_ask_again() {
    let (mut peer, world) = person(sends(), Era::Legacy).await;
    let params = json!({"name": "run_agent", "arguments": {"task": "send it"}});
    let id = peer.asks("tools/call", params).await;
    let asked = peer.hears("elicitation/create").await;
    let error = json!({"code": -32603, "message": "no screen"});
    peer.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "error": error})).await;
    let waits = peer.answer(id).await;
    let session = waits["result"]["structuredContent"]["session"].clone();
    assert_eq!(waits["result"]["structuredContent"]["status"], "awaiting_approval", "{waits}");
    assert!(text(&waits["result"]).contains("run_agent with this session asks them again"));
    // While the form is open, nothing else is done in the session.
    let id = peer
        .asks("tools/call", json!({"name": "run_agent", "arguments": {"session": session}}))
        .await;
    let asked = peer.hears("elicitation/create").await;
    for (tool, more) in
        [("run_agent", json!({"task": "x"})), ("answer_question", json!({"answer": "y"}))]
    {
        let mut arguments = more;
        arguments["session"] = session.clone();
        let busy = peer.calls(tool, arguments).await;
        assert!(text(&busy).contains("is at work"), "{tool}: {busy}");
    }
    let answer = accepts(json!({"approve": true}));
    peer.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer})).await;
    let done = peer.answer(id).await;
    assert!(text(&done["result"]).starts_with("ended\n"), "{done}");
    assert_eq!(world.notes().len(), 1);
}

#[tokio::test]
async fn s19_3_a_form_hides_nothing_of_a_call() {
    let (mut peer, _) = person(
        vec![
            Turn::call("send", json!({"n": 7, "note": "a\u{202e}b\u{200b}"})),
            Turn::text("ended"),
        ],
        Era::Legacy,
    )
    .await;
    let answer = json!({"action": "decline"});
    let (_, shown) = peer.calls_and_says("run_agent", json!({"task": "send it"}), answer).await;
    let call = r#"send {"n":7,"note":"a\u{202e}b\u{200b}"}"#;
    assert_eq!(shown, [format!("The agent wants to run this:\n{call}\nit sends")]);
}
