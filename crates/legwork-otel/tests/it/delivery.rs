//! Collectors that are well, slow, or gone.

use std::net::TcpListener;
use std::time::Duration;

use legwork_agent::Agent;
use legwork_otel::{Otlp, Telemetry};
use legwork_testkit::{ScriptedModel, Turn};

use crate::receiver::Receiver;
use crate::story::delivered;

async fn run(telemetry: &Telemetry) {
    let agent = Agent::builder(ScriptedModel::new([Turn::text("ok")]));
    let agent = agent.observer(telemetry.clone()).build().unwrap();
    assert_eq!(agent.run("go").await.unwrap().text(), "ok");
}

#[tokio::test]
async fn s16_8_a_collector_gets_the_headers_and_reads_whose_spans_they_are() {
    let receiver = Receiver::start();
    let otlp = Otlp::to(format!("{}/", receiver.endpoint)).header("x-key", "abc");
    let otlp = otlp.service("clerk").attribute("deployment.environment.name", "test");
    let telemetry = otlp.start().unwrap();
    run(&telemetry).await;
    delivered(telemetry).await.unwrap();
    assert!(receiver.headers().contains(&"x-key: abc".to_owned()));
    let resource = receiver.resource();
    assert_eq!(resource["service.name"], "clerk");
    assert_eq!(resource["deployment.environment.name"], "test");
}

#[tokio::test]
async fn s16_8_spans_are_delivered_soon_after_they_ended() {
    let receiver = Receiver::start();
    let telemetry = Otlp::to(&receiver.endpoint).start().unwrap();
    run(&telemetry).await;
    receiver.until(2);
    telemetry.flush(Duration::from_secs(20)).unwrap();
    assert_eq!(receiver.spans().len(), 2);
    assert!(!receiver.metrics().is_empty());
}

#[tokio::test]
async fn s16_8_a_collector_that_is_gone_costs_the_spans_and_nothing_else() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let telemetry = Otlp::to(format!("http://{gone}")).start().unwrap();
    run(&telemetry).await;
    let error = delivered(telemetry).await.unwrap_err().to_string();
    assert!(error.starts_with("telemetry was not delivered: "), "{error}");
    assert!(error.contains(&gone.to_string()), "{error}");
}

#[tokio::test]
async fn s16_8_a_collector_that_refuses_is_named() {
    let receiver = Receiver::answering(403);
    let telemetry = Otlp::to(&receiver.endpoint).start().unwrap();
    run(&telemetry).await;
    let error = delivered(telemetry).await.unwrap_err().to_string();
    assert!(error.contains("answered with status 403"), "{error}");
}

#[tokio::test]
async fn s16_8_no_run_waits_for_a_collector_that_does_not_answer() {
    // It accepts connections and says nothing: whoever waited for it would wait for ever.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap();
    let otlp = Otlp::to(format!("http://{address}")).timeout(Duration::from_secs(3600));
    let telemetry = otlp.start().unwrap();
    for _ in 0..20 {
        run(&telemetry).await;
    }
    let end = telemetry.clone();
    let ended = tokio::task::spawn_blocking(move || end.shutdown(Duration::from_millis(300)));
    ended.await.unwrap().unwrap_err();
}

#[test]
fn s16_8_an_endpoint_that_is_no_url_is_an_error() {
    for wrong in ["localhost:4318", "", "ftp://x", "http://"] {
        let error = Otlp::to(wrong).start().err().unwrap_or_else(|| panic!("{wrong}"));
        assert!(error.to_string().contains("cannot be set up"), "{error}");
    }
}

#[test]
fn s16_8_a_header_that_cannot_be_sent_is_an_error_without_its_value() {
    for (name, value) in [("a key", "canary"), ("x-key", "canary\n")] {
        let error = Otlp::to("http://127.0.0.1:1").header(name, value).start().unwrap_err();
        let error = error.to_string();
        assert!(error.contains(name) && !error.contains("canary"), "{error}");
    }
}
