//! The agent's own tools, called one by one.

use legwork_agent::StoredSession;
use legwork_core::Event;
use legwork_testkit::Turn;
use serde_json::json;
use std::sync::Arc;

use crate::fixture::{BOTH, Peer, text};

#[tokio::test]
async fn s19_5_the_tools_of_the_agent_are_those_of_the_server() {
    for era in BOTH {
        let (mut peer, world, store) = Peer::with(Vec::<Turn>::new(), era).await;
        let listed = peer.result("tools/list", json!({})).await;
        let tools = listed["tools"].as_array().unwrap();
        let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        let own = [
            "run_agent",
            "list_sessions",
            "show_session",
            "steer_session",
            "stop_session",
            "answer_question",
        ];
        assert_eq!(names, [&own[..], &["look", "wait", "paint", "send"]].concat());
        let look = &tools[6];
        assert_eq!(look["inputSchema"]["properties"]["n"]["type"], "integer");
        assert_eq!(look["annotations"]["readOnlyHint"], true);
        let result = peer.calls("look", json!({"n": 3})).await;
        assert_eq!((text(&result), &result["isError"]), ("did look {\"n\":3}", &json!(false)));
        assert_eq!(world.notes(), ["look {\"n\":3}"]);
        assert_eq!(result.get("structuredContent"), None, "the content is the result");
        let listed = peer.calls("list_sessions", json!({})).await;
        let session = &listed["structuredContent"]["sessions"][0]["session"];
        let session = session.as_str().unwrap();
        let journal = StoredSession::new(Arc::new(store), session).journal().await.unwrap();
        let is_call = |event: &Event| matches!(event, Event::ToolFinished(_));
        let calls = journal.entries().iter().filter(|entry| is_call(&entry.event)).count();
        assert_eq!(calls, 1, "the call is journaled");
    }
}

#[tokio::test]
async fn s19_5_a_call_is_judged_and_approved_as_one_of_the_agent() {
    for era in BOTH {
        let (mut peer, world, _) = Peer::with(Vec::<Turn>::new(), era).await;
        let answer = json!({"action": "accept", "content": {"approve": true}});
        let (message, shown) = peer.calls_and_says("send", json!({"n": 1}), answer).await;
        assert_eq!(shown, ["The agent wants to run this:\nsend {\"n\":1}\nit sends"]);
        assert_eq!(text(&message["result"]), "did send {\"n\":1}");
        let answer = json!({"action": "decline"});
        let (message, _) = peer.calls_and_says("send", json!({"n": 2}), answer).await;
        assert_eq!(message["result"]["isError"], true, "{message}");
        let result = peer.calls("look", json!({"n": "three"})).await;
        assert_eq!(result["isError"], true, "{result}");
        assert_eq!(world.notes(), ["send {\"n\":1}"]);
        let unknown = peer.asked("tools/call", json!({"name": "fly", "arguments": {}})).await;
        assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    }
}
