use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};

/// Posts a body to a fresh server over a real socket: status and frames.
async fn post(body: Value) -> (u16, Vec<Bytes>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(super::serve(listener, None));
    let stream = TcpStream::connect(address).await.unwrap();
    let io = hyper_util::rt::TokioIo::new(stream);
    let (mut sender, connection) = hyper::client::conn::http1::handshake(io).await.unwrap();
    tokio::spawn(connection);
    let request = hyper::Request::post("/v1/chat/completions")
        .header("host", "loopback")
        .body(Full::new(Bytes::from(body.to_string())))
        .unwrap();
    let mut response = sender.send_request(request).await.unwrap();
    let mut frames = Vec::new();
    while let Some(frame) = response.frame().await {
        frames.push(frame.unwrap().into_data().unwrap());
    }
    (response.status().as_u16(), frames)
}

fn assistant() -> Value {
    json!({"role": "assistant", "content": null})
}

#[tokio::test]
async fn an_early_turn_asks_for_tools() {
    let body = json!({"model": "script-n3-k2", "messages": [assistant()]});
    let (status, frames) = post(body).await;
    let answer: Value = serde_json::from_slice(&frames.concat()).unwrap();
    assert_eq!(status, 200);
    let calls = answer["choices"][0]["message"]["tool_calls"].as_array().unwrap();
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[1]["id"], "call_1_1");
    assert_eq!(calls[1]["function"]["arguments"], r#"{"a":1,"b":1}"#);
    assert_eq!(answer["choices"][0]["finish_reason"], "tool_calls");
}

#[tokio::test]
async fn the_last_turn_answers_with_text() {
    let body = json!({"model": "script-n2-t3", "messages": [assistant()]});
    let (_, frames) = post(body).await;
    let answer: Value = serde_json::from_slice(&frames.concat()).unwrap();
    assert_eq!(answer["choices"][0]["message"]["content"], "word word word ");
    assert_eq!(answer["choices"][0]["finish_reason"], "stop");
}

#[tokio::test]
async fn a_stream_has_one_chunk_a_token() {
    let (_, frames) = post(json!({"model": "script-t40", "stream": true})).await;
    let with_token = |frame: &&Bytes| memchr::memmem::find(frame, b"word ").is_some();
    assert_eq!(frames.iter().filter(with_token).count(), 40);
    assert!(frames.concat().ends_with(b"data: [DONE]\n\n"));
}

#[tokio::test]
async fn a_streamed_call_comes_in_pieces() {
    let (_, frames) = post(json!({"model": "script-n2-k2", "stream": true})).await;
    let calls =
        frames.iter().filter(|frame| memchr::memmem::find(frame, b"tool_calls\":[").is_some());
    assert_eq!(calls.count(), 4);
}

#[tokio::test]
async fn a_model_that_is_no_script_is_refused() {
    let (status, frames) = post(json!({"model": "gpt-5"})).await;
    let answer: Value = serde_json::from_slice(&frames.concat()).unwrap();
    assert_eq!(status, 400);
    assert!(answer["error"]["message"].as_str().unwrap().contains("not a script"));
}
