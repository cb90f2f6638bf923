//! Traces and metrics of runs, to a collector.

use std::net::TcpListener;
use std::process::Command;

use legwork_testkit::{Server, Turn};
use serde_json::json;

use crate::home::{Home, Ran, ran, started, text};

#[allow(dead_code, reason = "its own tests look at more of what came")]
#[path = "../../../legwork-otel/tests/it/receiver.rs"]
mod receiver;

use receiver::{Receiver, attribute};

const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";

fn to(mut command: Command, endpoint: &str) -> Command {
    command.env(ENDPOINT, endpoint);
    command
}

fn run_to(home: &Home, server: &Server, endpoint: &str) -> Ran {
    ran(to(home.with(server, &["run", "--sandbox", "off", "Work"]), endpoint))
}

#[test]
fn s16_6_a_run_that_was_killed_and_resumed_is_one_trace() {
    let endless = json!({"command": "echo begun > begun; sleep 600"});
    let turns = [
        Turn::call("list", json!({"path": "."})),
        Turn::call("bash", endless),
        Turn::text("Done."),
    ];
    let (home, server, receiver) = (Home::new(), Server::start(turns).unwrap(), Receiver::start());
    let pipe = home.pipe("begun");
    let args = ["run", "--json", "--sandbox", "off", "Work"];
    let mut run = started(to(home.with(&server, &args), &receiver.endpoint));
    let session = text(&run.until("tool_started"), "session");
    std::fs::read_to_string(pipe).unwrap();
    receiver.until(3);
    run.kill();
    let args = ["resume", &session, "--sandbox", "off", "--on-doubt", "tell"];
    ran(to(home.with(&server, &args), &receiver.endpoint)).ends(0);
    let spans = receiver.spans();
    let names: Vec<_> = spans.iter().map(|span| span.name.as_str()).collect();
    let chat = names[0];
    assert!(chat.starts_with("chat "), "{chat}");
    assert_eq!(names, [chat, "execute_tool list", chat, chat, "invoke_agent legwork"]);
    let root = spans.last().unwrap();
    assert!(root.parent_span_id.is_empty());
    assert!(spans.iter().all(|span| span.trace_id == root.trace_id));
    assert!(spans.iter().take(4).all(|span| span.parent_span_id == root.span_id));
    assert_eq!(attribute(root, "gen_ai.conversation.id"), session);
}

#[test]
fn s16_8_the_usual_variables_say_the_headers_and_the_service() {
    let (home, server, receiver) =
        (Home::new(), Server::start([Turn::text("Done.")]).unwrap(), Receiver::start());
    let mut run = to(home.with(&server, &["run", "--sandbox", "off", "Work"]), &receiver.endpoint);
    run.env("OTEL_EXPORTER_OTLP_HEADERS", "x-key=abc").env("OTEL_SERVICE_NAME", "clerk");
    ran(run).ends(0);
    assert!(receiver.headers().contains(&"x-key: abc".to_owned()), "{:?}", receiver.headers());
    assert_eq!(receiver.resource()["service.name"], "clerk");
}

#[test]
fn s16_8_a_collector_that_is_gone_is_a_warning() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (home, server) = (Home::new(), Server::start([Turn::text("Done.")]).unwrap());
    let ran = run_to(&home, &server, &format!("http://{gone}")).ends(0);
    assert_eq!(ran.out, "Done.\n");
    ran.says("warning: telemetry was not delivered: ").says(&gone.to_string());
}

#[test]
fn s16_8_an_endpoint_that_is_no_url_is_an_error_before_anything_runs() {
    let (home, server) = (Home::new(), Server::start([Turn::text("Done.")]).unwrap());
    let ran = run_to(&home, &server, "localhost:4318").ends(2);
    ran.says("telemetry to localhost:4318 cannot be set up").says(ENDPOINT);
    assert!(server.requests().is_empty());
}

#[test]
fn s16_4_the_users_settings_name_the_collector_and_what_it_is_sent() {
    let (home, server, receiver) =
        (Home::new(), Server::start([Turn::text("Done.")]).unwrap(), Receiver::start());
    let telemetry = format!("telemetry = '{}'\n", receiver.endpoint);
    for (content, said) in [("off", false), ("on", true)] {
        home.settings(&format!("{telemetry}telemetry_content = '{content}'"));
        home.ran_with(&server, &["run", "--sandbox", "off", "A private matter"]).ends(0);
        assert_eq!(receiver.all().contains("A private matter"), said, "{content}");
    }
    let shown = home.ran(&["config", "show"]).ends(0).out;
    assert!(shown.contains(&receiver.endpoint), "{shown}");
    let mut off = home.with(&server, &["run", "--sandbox", "off", "Work"]);
    off.env("OTEL_SDK_DISABLED", "true");
    let before = receiver.spans().len();
    ran(off).ends(0);
    assert_eq!(receiver.spans().len(), before);
}

#[test]
fn s16_4_a_project_names_no_collector() {
    for line in ["telemetry = 'http://127.0.0.1:1'", "telemetry_content = 'on'"] {
        let (home, server) = (Home::new(), Server::start([Turn::text("Done.")]).unwrap());
        home.file("work/legwork.toml", line);
        let refused = home.ran_with(&server, &["run", "--sandbox", "off", "Work"]).ends(2);
        refused.says("cannot be set in a project's file");
    }
}
