//! What a subscriber of `tracing` sees of an inference.

use std::ops::ControlFlow;

use legwork_port::{Delta, Model};
use serde_json::json;

use crate::answers::{delta, events};
use crate::clock::Turned;
use crate::recorder::Recorder;
use crate::server::{Act, Server, answer, open_stream};
use crate::traffic::{body, model_at, question, stream};

const CRATE: &str = "legwork_models";

fn refused(status: &str, headers: &str, message: &str) -> Act {
    let error = json!({"error": {"message": message, "code": message}});
    Act::Close(answer(status, "application/json", headers, &error.to_string()))
}

#[tokio::test]
async fn each_attempt_is_a_span_with_its_connection_and_its_answer() {
    let busy = refused("503 Service Unavailable", "retry-after: 7\r\n", "later");
    let server = Server::start([busy, Act::Keep(stream("Hello.")), Act::Keep(body("Hi."))]).await;
    let model = model_at(&server, &Turned::new()).build().unwrap();
    let (recorder, _guard) = Recorder::start();
    let mut show = |_: Delta<'_>| ControlFlow::Continue(());
    model.infer(question("Hi?"), Some(&mut show)).await.unwrap();
    model.infer(question("Hi?"), None).await.unwrap();

    let origin = server.base_url.strip_suffix("/v1").unwrap();
    let span = |attempt| format!("chat{{model=openai:m server={origin} attempt={attempt}}}");
    let opened = format!("a connection was opened server={origin} protocol=HTTP/1.1");
    let finished =
        "an answer finished status=200 finish_reason=stop input_tokens=3 output_tokens=2";
    let expected = [
        format!("DEBUG {}: {opened}", span(1)),
        "INFO an attempt failed and will be repeated model=openai:m attempt=1 status=503 \
         kind=Server wait_ms=7000"
            .to_owned(),
        format!("DEBUG {}: {opened}", span(2)),
        format!("DEBUG {}: {finished}", span(2)),
        // The next inference uses the same connection.
        format!("DEBUG {}: {finished}", span(1)),
    ];
    assert_eq!(recorder.lines(CRATE), expected);
}

#[tokio::test]
async fn an_answer_that_broke_off_and_one_of_a_new_word_are_named() {
    let cut = open_stream(&events(&[delta(json!({"content": "Hel"}))]));
    let odd = body("Hello.").replace(r#""finish_reason":"stop""#, r#""finish_reason":"s-k""#);
    let odd = odd.split_once("\r\n\r\n").unwrap().1.to_owned();
    let server = Server::start([
        Act::Close(cut),
        Act::Close(answer("200 OK", "application/json", "", &odd)),
    ])
    .await;
    let model = model_at(&server, &Turned::new()).build().unwrap();
    let (recorder, _guard) = Recorder::start();
    let mut show = |_: Delta<'_>| ControlFlow::Continue(());
    model.infer(question("Hi?"), Some(&mut show)).await.unwrap();
    let lines = recorder.lines(CRATE);
    assert!(lines[1].contains("an answer finished status=200 "), "{lines:?}");
    assert!(lines[1].contains(" incomplete=cut"), "{lines:?}");
    assert!(lines[2].starts_with("INFO an attempt failed"), "{lines:?}");
    assert!(!lines[2].contains("status=") && !lines[2].contains("kind="), "{lines:?}");
    assert!(lines[4].contains(" finish_reason=other "), "{lines:?}");
}

#[tokio::test]
async fn s13_11_no_key_prompt_or_answer_is_in_a_field() {
    let secrets = ["sk-secret", "x-secret-value", "the prompt", "the answer"];
    // A server that repeats what it was sent.
    let echo = secrets.join(" ");
    let acts = [
        refused("503 Service Unavailable", "", &echo),
        Act::Close(stream(&echo)),
        refused("401 Unauthorized", "", &echo),
    ];
    let server = Server::start(acts).await;
    let model = model_at(&server, &Turned::new()).header("x-api-key", "x-secret-value");
    let model = model.build().unwrap();
    let (recorder, _guard) = Recorder::start();
    let mut show = |_: Delta<'_>| ControlFlow::Continue(());
    model.infer(question("the prompt"), Some(&mut show)).await.unwrap();
    model.infer(question("the prompt"), None).await.unwrap_err();

    let last = recorder.lines(CRATE).pop().unwrap();
    let expected = "WARN an inference failed model=openai:m attempts=1 status=401 \
                    kind=Unauthorized reason=trying again does not help";
    assert_eq!(last, expected);
    let everything = recorder.everything();
    assert!(everything.contains("chat{model=openai:m "), "{everything}");
    for secret in secrets {
        assert!(!everything.contains(secret), "{secret}: {everything}");
    }
}

#[cfg(feature = "proxy")]
#[tokio::test]
async fn a_proxy_is_named_without_its_password() {
    use crate::proxy::{Manner, Proxy};
    let server = Server::start([Act::Close(body("Hi."))]).await;
    let proxy = Proxy::start(Manner::Open).await;
    let url = format!("http://me:canary-d41d8cd98f@{}", proxy.address);
    let proxies = legwork_models::http::Proxies::from_variables(|name| {
        (name == "http_proxy").then(|| url.clone())
    });
    let model = model_at(&server, &Turned::new()).proxies(proxies).build().unwrap();
    let (recorder, _guard) = Recorder::start();
    model.infer(question("Hi?"), None).await.unwrap();
    let shown = format!(" proxy=http://{} (http_proxy)", proxy.address);
    let lines = recorder.lines(CRATE);
    assert!(
        lines[0].contains("a connection was opened") && lines[0].ends_with(&shown),
        "{lines:?}"
    );
    assert!(!recorder.everything().contains("canary"), "{lines:?}");
}
