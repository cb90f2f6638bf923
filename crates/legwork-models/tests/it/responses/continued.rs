//! Requests that go on from a response that the server keeps.

use std::sync::Arc;

use legwork_agent::Agent;
use legwork_core::message::{Author, ToolResult};
use legwork_core::{CallId, Message, ModelRequest, Part, Response};
use legwork_models::answer::Streaming;
use legwork_models::{Builder, HttpModel, Named, openai};
use legwork_port::Model;
use legwork_port::model::Kind;
use serde_json::{Value, json};

use super::background::{FOUND, json_of, lines, underway};
use super::{completed, is_valid, said};
use crate::clock::Turned;
use crate::server::{Act, Server, answer};
use crate::traffic::question;

fn builder(server: &Server) -> Builder {
    openai::responses(&server.base_url, "m").clock(Turned::new()).continue_responses()
}

fn model(server: &Server) -> HttpModel {
    builder(server).build().unwrap()
}

/// A response with an id.
fn response(id: &str, output: Value) -> Value {
    let mut body = completed(output)["response"].clone();
    body["id"] = id.into();
    body
}

fn words(id: &str, text: &str) -> Value {
    response(id, json!([said("msg_1", text)]))
}

fn forgotten() -> Act {
    let error = json!({"error": {"message": "Previous response with id 'r1' not found.",
        "type": "invalid_request_error", "param": "previous_response_id",
        "code": "previous_response_not_found"}});
    Act::Keep(answer("400 Bad Request", "application/json", "", &error.to_string()))
}

/// The bodies that were sent, which the official schema takes.
fn bodies(server: &Server) -> Vec<Value> {
    let body = |request: String| {
        let body = serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap();
        assert!(is_valid(&body));
        body
    };
    let posts = server.requests().into_iter().filter(|request| request.starts_with("POST"));
    posts.map(body).collect()
}

/// The answer as a transcript has it that was read from a journal.
fn journaled(response: &Response) -> Message {
    let by = response.clone().by(|| Author::Model("openai:m".into()));
    serde_json::from_value(serde_json::to_value(&*by.message).unwrap()).unwrap()
}

fn user(text: &str) -> Message {
    Message::user(text)
}

/// A transcript of these messages, with instructions.
fn transcript(messages: impl IntoIterator<Item = Message>) -> ModelRequest {
    let blank = ModelRequest::blank(Arc::default());
    let mut request = messages.into_iter().fold(blank, ModelRequest::with_message);
    request.instructions = "Be brief.".into();
    request
}

/// What is sent of a transcript, whose answer is not awaited.
fn sent(model: &HttpModel, messages: impl IntoIterator<Item = Message>) -> Value {
    let body = model.body(&transcript(messages), Streaming::No).unwrap();
    let body = serde_json::from_slice(&body).unwrap();
    assert!(is_valid(&body));
    body
}

fn input(body: &Value) -> usize {
    body["input"].as_array().unwrap().len()
}

/// The first answer of a server, with the id `r1`.
fn one() -> Act {
    json_of(&words("r1", "One."))
}

/// The answer of a model to the first question, as it is journaled.
async fn asked(model: &HttpModel) -> Message {
    journaled(&model.infer(transcript([user("1?")]), None).await.unwrap())
}

/// A model that answered the first question, and its answer.
async fn first() -> (HttpModel, Message) {
    let server = Server::start([one()]).await;
    let model = model(&server);
    let answer = asked(&model).await;
    (model, answer)
}

#[tokio::test]
async fn s11_2_only_what_is_new_is_sent_after_a_response_that_the_server_keeps() {
    let acts = [words("r1", "One."), words("r2", "Two."), words("r3", "Three.")];
    let server = Server::start(acts.iter().map(json_of)).await;
    let model = model(&server);
    let mut said = vec![user("1?")];
    for question in ["2?", "3?", "4?"] {
        let response = model.infer(transcript(said.clone()), None).await.unwrap();
        said.extend([journaled(&response), user(question)]);
    }
    let bodies = bodies(&server);
    let previous = bodies.iter().map(|body| &body["previous_response_id"]).collect::<Vec<_>>();
    assert_eq!(previous, [&Value::Null, &json!("r1"), &json!("r2")]);
    for (body, question) in bodies.iter().zip(["1?", "2?", "3?"]) {
        assert_eq!(body["input"], json!([{"role": "user", "content": question}]));
        assert_eq!((&body["store"], &body["instructions"]), (&json!(true), &json!("Be brief.")));
    }
}

#[tokio::test]
async fn an_agent_goes_on_from_its_calls_by_what_is_journaled() {
    let call = json!({"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "add",
        "arguments": "{}", "status": "completed"});
    let acts = [response("r1", json!([call])), words("r2", "Done.")];
    let server = Server::start(acts.iter().map(json_of)).await;
    let agent = Agent::builder(model(&server)).build().unwrap();
    agent.run("Add.").await.unwrap();
    let bodies = bodies(&server);
    assert_eq!(bodies[1]["previous_response_id"], "r1");
    assert_eq!(input(&bodies[1]), 1);
    assert_eq!(bodies[1]["input"][0]["type"], "function_call_output");
}

#[tokio::test]
async fn a_fork_goes_on_from_the_last_response_that_both_have() {
    let (model, one) = first().await;
    let by_other = Message::assistant(vec![Part::text("Two.")]);
    let by_other = by_other.by(Author::Model("anthropic:claude".into()));
    // The server knows nothing of what another model said since.
    let body = sent(&model, [user("1?"), one.clone(), user("2?"), by_other, user("3?")]);
    assert_eq!((&body["previous_response_id"], input(&body)), (&json!("r1"), 3));
    let body = sent(&model, [user("1?"), one, user("2b?")]);
    assert_eq!((&body["previous_response_id"], input(&body)), (&json!("r1"), 1));
}

#[tokio::test]
async fn s11_2_the_whole_is_sent_where_the_server_knows_another_beginning() {
    let (model, one) = first().await;
    let changed = one.clone().with_parts(vec![Part::text("Another.")]);
    let elsewhere = one.clone().by(Author::Model("azure:m".into()));
    let told = user("Be kind.");
    let cases = [
        vec![user("1, changed?"), one.clone(), user("2?")],
        vec![one.clone(), user("2?")],
        vec![user("1?"), told, one.clone(), user("2?")],
        vec![user("1?"), changed, user("2?")],
        vec![user("1?"), elsewhere, user("2?")],
        // There is nothing to send behind it.
        vec![user("1?"), one.clone()],
    ];
    for messages in cases {
        let count = messages.len();
        let body = sent(&model, messages);
        assert_eq!((body.get("previous_response_id"), input(&body)), (None, count), "{body}");
    }
    let nothing = Message::assistant(Vec::new());
    let body = sent(&model, [user("1?"), one.clone(), nothing]);
    assert_eq!((body.get("previous_response_id"), input(&body)), (None, 2), "{body}");
    // Another server keeps nothing of it.
    let other = openai::responses("http://x/v1", "m").continue_responses().build().unwrap();
    let body = sent(&other, [user("1?"), one, user("2?")]);
    assert_eq!((body.get("previous_response_id"), input(&body)), (None, 3), "{body}");
}

#[tokio::test]
async fn s11_2_a_response_whose_calls_have_other_ids_here_is_not_gone_on_from() {
    let call = |id: &str| {
        json!({"type": "function_call", "id": "fc_1", "call_id": id, "name": "add",
            "arguments": "{}", "status": "completed"})
    };
    let cases = [
        (vec![call("c1"), call("c2")], Some("r1")),
        (vec![call("c1"), call("c1")], None),
        (vec![call("")], None),
        (vec![call("a.b")], None),
        (vec![call(&"x".repeat(80))], None),
    ];
    for (calls, previous) in cases {
        let server = Server::start([json_of(&response("r1", json!(calls)))]).await;
        let model = model(&server);
        let response = model.infer(transcript([user("1?")]), None).await.unwrap();
        let result = |id: &CallId| Message::tool_result(ToolResult::new(id.clone(), "add", "2"));
        let results = response.message.tool_calls().map(|call| result(&call.id));
        let body = sent(&model, [user("1?"), journaled(&response)].into_iter().chain(results));
        assert_eq!(body.get("previous_response_id").and_then(Value::as_str), previous, "{body}");
    }
}

#[tokio::test]
async fn s11_2_a_server_that_has_the_response_no_longer_gets_the_whole_once() {
    let server = Server::start([one(), forgotten(), json_of(&words("r2", "Two."))]).await;
    let keyed = builder(&server).idempotency_header("idempotency-key").build().unwrap();
    let said = [user("1?"), asked(&keyed).await, user("2?")];
    let response = keyed.infer(transcript(said.clone()), None).await.unwrap();
    assert_eq!((response.text().as_str(), response.charged_attempts), ("Two.", 0));
    let bodies = bodies(&server);
    assert_eq!((&bodies[1]["previous_response_id"], input(&bodies[1])), (&json!("r1"), 1));
    assert_eq!((bodies[2].get("previous_response_id"), input(&bodies[2])), (None, 3));
    // Another request has another key.
    let key = |at: usize| {
        let requests = server.requests();
        requests[at].lines().find(|line| line.starts_with("idempotency-key")).unwrap().to_owned()
    };
    assert_ne!(key(1), key(2));
    // The next request goes on from the answer to the whole.
    let body = sent(&keyed, said.clone().into_iter().chain([journaled(&response), user("3?")]));
    assert_eq!((&body["previous_response_id"], input(&body)), (&json!("r2"), 1));
    // Servers say it in other words, too.
    for (status, message) in [
        ("404 Not Found", "Response with id 'r1' not found."),
        ("400 Bad Request", "Invalid `previous_response_id`."),
        ("400 Bad Request", "Previous response cannot be used for this organization."),
    ] {
        let refused = json!({"error": {"message": message}}).to_string();
        let refused = Act::Keep(answer(status, "application/json", "", &refused));
        let server = Server::start([one(), refused, json_of(&words("r2", "Two."))]).await;
        let model = model(&server);
        let said = [user("1?"), asked(&model).await, user("2?")];
        let response = model.infer(transcript(said), None).await.unwrap();
        assert_eq!((response.text().as_str(), server.requests().len()), ("Two.", 3));
    }
    let stubborn = Server::start([one(), forgotten(), forgotten()]).await;
    let model = model(&stubborn);
    let said = [user("1?"), asked(&model).await, user("2?")];
    let error = model.infer(transcript(said), None).await.unwrap_err();
    assert_eq!((error.kind, error.status), (Kind::BadRequest, Some(400)));
    assert_eq!(stubborn.requests().len(), 3);
}

#[tokio::test]
async fn an_answer_that_is_not_whole_is_not_gone_on_from() {
    let mut cut = words("r1", "On");
    cut["status"] = json!("incomplete");
    cut["incomplete_details"] = json!({"reason": "max_output_tokens"});
    let server = Server::start([json_of(&cut)]).await;
    let model = model(&server);
    let response = model.infer(transcript([user("1?")]), None).await.unwrap();
    assert!(response.message.metadata.is_empty());
    let body = sent(&model, [user("1?"), journaled(&response), user("2?")]);
    assert_eq!((body.get("previous_response_id"), input(&body)), (None, 3));
}

#[tokio::test]
async fn it_goes_together_with_the_background() {
    let acts = [one(), forgotten(), json_of(&underway("queued")), json_of(&words("r1", "Two."))];
    let server = Server::start(acts).await;
    let model = builder(&server).in_background().build().unwrap();
    let one = asked(&model).await;
    let response = model.infer(transcript([user("1?"), one, user("2?")]), None).await.unwrap();
    assert_eq!((response.text().as_str(), response.charged_attempts), ("Two.", 0));
    assert_eq!(response.message.metadata.get("legwork.response").unwrap()["id"], "r1");
    assert_eq!(lines(&server)[3], FOUND);
    assert_eq!(bodies(&server)[2]["background"], true);
}

#[test]
fn it_is_an_option_and_an_id_of_ones_own_is_sent_as_it_is() {
    let with = || openai::responses("http://x/v1", "m");
    let named: Named = "a:m?previous_response_id=auto".parse().unwrap();
    let body = sent(&with().settings(named.settings).build().unwrap(), [user("1?")]);
    assert_eq!((&body["store"], body.get("previous_response_id")), (&json!(true), None));
    assert!("a:m?previous_response_id=r1".parse::<Named>().is_err());
    let own = with().field("previous_response_id", "r0").build().unwrap();
    let body = sent(&own, [user("1?")]);
    assert_eq!((&body["store"], &body["previous_response_id"]), (&json!(false), &json!("r0")));
    let refused = |model: Builder, says: &str| {
        let error = model.build().unwrap().body(&question("Hi?"), Streaming::No).unwrap_err();
        assert!(error.kind == Kind::BadRequest && error.message.contains(says), "{error}");
    };
    refused(with().continue_responses().field("store", false), "remove `store`");
    refused(with().continue_responses().field("conversation", "conv_1"), "remove `conversation`");
    refused(openai::chat("http://x/v1", "m").continue_responses(), "use the API `responses`");
    // To another API an id is a field as any other.
    let chat = openai::chat("http://x/v1", "m").field("previous_response_id", "r0");
    chat.build().unwrap().body(&question("Hi?"), Streaming::No).unwrap();
}
