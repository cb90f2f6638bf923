//! Requests over real HTTP.

use legwork_models::openai;
use legwork_port::model::Kind;
use legwork_port::{Delta, Model};
use serde_json::json;

use super::{completed, delta, item, said};
use crate::answers::{Seen, events};
use crate::clock::Turned;
use crate::server::{Act, Server, answer, open_stream};
use crate::traffic::question;

#[tokio::test]
async fn a_streamed_answer_ends_with_its_last_event() {
    let output = [delta("output_text", 0, "Hel"), item("done", 0, said("msg_1", "Hello."))];
    let stream = events(&output) + &events(&[completed(json!([]))]);
    // The server leaves the connection open.
    let server = Server::start([Act::Stall(open_stream(&stream))]).await;
    let model = openai::responses(&server.base_url, "m").api_key("sk-secret");
    let model = model.clock(Turned::new()).build().unwrap();
    let mut seen = Seen::default();
    let mut show = |delta: Delta<'_>| seen.take(delta);
    let response = model.infer(question("Hi?"), Some(&mut show)).await.unwrap();
    assert_eq!((response.text().as_str(), seen.text.as_str()), ("Hello.", "Hello."));
    assert_eq!((response.incomplete, response.usage.unwrap().total()), (None, 5));
    let requests = server.requests();
    assert!(requests[0].starts_with("POST /v1/responses HTTP/1.1"));
    assert!(requests[0].contains("authorization: Bearer sk-secret"));
}

#[tokio::test]
async fn an_answer_in_one_piece_comes_back() {
    let whole = completed(json!([said("msg_1", "Hello.")]))["response"].to_string();
    let act = Act::Close(answer("200 OK", "application/json", "", &whole));
    let server = Server::start([act]).await;
    let model = openai::responses(&server.base_url, "m").clock(Turned::new()).build().unwrap();
    let response = model.infer(question("Hi?"), None).await.unwrap();
    assert_eq!((response.text().as_str(), response.id.as_deref()), ("Hello.", Some("r1")));
    assert!(!server.requests()[0].contains("\"stream\""));
}

#[tokio::test]
async fn an_answer_of_another_wire_is_an_error() {
    let act = Act::Close(answer("200 OK", "application/json", "", r#"{"choices": []}"#));
    let server = Server::start([act]).await;
    let model = openai::responses(&server.base_url, "m").clock(Turned::new()).build().unwrap();
    let error = model.infer(question("Hi?"), None).await.unwrap_err();
    assert_eq!(error.kind, Kind::Malformed);
    assert!(error.message.contains("not an answer of Responses"), "{error}");
}
