//! Answers that are not quite as their API says.

use legwork_core::{FinishReason, Response};
use serde_json::json;

use super::{Asked, wires};
use crate::server::{Act, answer};

/// It has one call, which got an id, and whose arguments are read.
fn check(asked: &Asked, came: &Response) {
    let calls: Vec<_> = came.message.tool_calls().collect();
    let [call] = calls.as_slice() else { panic!("{asked}: {came:?}") };
    assert_eq!((&*call.name, call.parse().unwrap()), ("", json!({"a": 1})), "{asked}");
    assert!(!call.id.as_str().is_empty(), "{asked}");
    assert_eq!(came.incomplete, None, "{asked}");
}

#[tokio::test]
async fn a_call_without_id_and_name_and_with_an_object_as_arguments_is_read() {
    for asked in wires() {
        let odd = answer("200 OK", "application/json", "", &asked.said.odd_call.to_string());
        check(&asked, &asked.once_whole(Act::Close(odd)).await.unwrap());
        check(&asked, &asked.once(asked.stream(&asked.said.odd_call_in_stream)).await.unwrap());
    }
}

#[tokio::test]
async fn usage_may_be_missing() {
    for asked in wires() {
        let stream = asked.stream(&asked.said.whole());
        for came in [asked.once_whole(asked.body()).await, asked.once(stream).await] {
            let came = came.unwrap();
            assert_eq!((came.text().as_str(), came.usage), ("Héllo", None), "{asked}");
            assert_eq!((came.finish, came.incomplete), (FinishReason::Stop, None), "{asked}");
        }
    }
}
