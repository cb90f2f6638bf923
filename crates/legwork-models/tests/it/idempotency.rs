//! Keys by which a server tells a repeated request from a new one.

use std::sync::atomic::{AtomicUsize, Ordering};

use legwork_models::{Builder, openai, providers};
use legwork_port::Model as _;
use legwork_testkit::{Server, Turn};

use crate::clock::Turned;
use crate::layers::request;

const HEADER: &str = "idempotency-key";

/// A server that fails twice, and then answers.
fn server() -> Server {
    let failed = [Turn::status(503), Turn::status(429)];
    Server::start([Turn::text("Hi.").after(failed)]).unwrap()
}

/// The keys of the requests that a model makes for two questions.
async fn keys(server: &Server, builder: Builder) -> Vec<Option<String>> {
    let model = builder.clock(Turned::new()).build().unwrap();
    for _ in 0..2 {
        assert_eq!(model.infer(request("Hi?"), None).await.unwrap().text(), "Hi.");
    }
    let requests = server.requests();
    requests.iter().map(|request| request.headers.get(HEADER).cloned()).collect()
}

fn model(server: &Server) -> Builder {
    openai::chat(server.base_url(), "m")
}

#[tokio::test]
async fn s11_5_each_attempt_at_a_request_has_its_key_and_the_next_request_another() {
    let (server, count) = (server(), AtomicUsize::new(0));
    let next = move || format!("key-{}", count.fetch_add(1, Ordering::Relaxed));
    let keys =
        keys(&server, model(&server).idempotency_header("Idempotency-Key").idempotency_keys(next))
            .await;
    let expected = ["key-0", "key-0", "key-0", "key-1"].map(|key| Some(key.to_owned()));
    assert_eq!(keys, expected);
}

#[tokio::test]
async fn keys_are_random_where_the_program_gives_none() {
    let server = server();
    let keys = keys(&server, model(&server).idempotency_header("Idempotency-Key")).await;
    let [first, .., last] = keys.as_slice() else { panic!("{keys:?}") };
    assert!(first.is_some() && keys[1] == *first && first != last, "{keys:?}");
}

#[tokio::test]
async fn a_server_gets_no_keys_unless_the_program_says_that_it_takes_them() {
    for provider in ["openai", "groq", "vllm"] {
        let server = server();
        let provider = providers::find(provider).unwrap();
        let plain = provider.model("m", Some(&server.base_url())).unwrap();
        assert_eq!(keys(&server, plain).await, [None, None, None, None], "{}", provider.name);
    }
    assert!(openai::chat("http://x/v1", "m").idempotency_header("a b").build().is_err());
}
