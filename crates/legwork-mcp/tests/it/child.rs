//! A server that is a real child process: this test binary, in another role.

use std::path::Path;

use legwork_agent::Agent;
use legwork_mcp::{Program, Server};
use legwork_testkit::{ScriptedModel, Turn};
use rmcp::ServiceExt as _;
use serde_json::json;

use crate::calls::results;
use crate::fixture::Fixture;

const ROLE: &str = "LEGWORK_MCP_ROLE";

/// The child: a server over its standard streams, if it is one.
#[test]
fn plays_its_role() {
    let Ok(role) = std::env::var(ROLE) else { return };
    // One that a test has lost goes with the test.
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL)).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        if role.starts_with("speaks") {
            eprintln!("I am the child");
            std::process::exit(3);
        }
        // Its own environment, as the name of a tool.
        let fixture = Fixture::legacy();
        let names: Vec<_> = std::env::vars().map(|(name, _)| name).collect();
        let schema = json!({"description": names.join(" ")});
        *fixture.0.tools.lock().unwrap() = vec![crate::fixture::tool("env", schema)];
        println!("a line that is no message");
        let (from, to) = (tokio::io::stdin(), tokio::io::stdout());
        let running = fixture.serve((from, to)).await.unwrap();
        let _ = running.waiting().await;
        if role.starts_with("stays") {
            std::future::pending::<()>().await;
        }
    });
}

/// The role as this process gives it, which no other one does.
fn own(role: &str) -> String {
    format!("{role} {}", std::process::id())
}

fn child(role: &str) -> Program {
    let program = Program::unconfined(std::env::current_exe().unwrap());
    let program = program.arg("child::plays_its_role").arg("--exact").arg("--nocapture");
    program.env(ROLE, own(role))
}

/// The processes that play a role, as their environment says.
fn playing(role: &str) -> Vec<String> {
    let wanted = format!("{ROLE}={}", own(role));
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let plays = |path: &Path| {
        let environment = std::fs::read(path.join("environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|one| one == wanted.as_bytes())
    };
    let found = processes.filter(|process| plays(&process.path()));
    found.map(|process| process.file_name().to_string_lossy().into_owned()).collect()
}

/// The children of this process that are dead and not waited for.
fn zombies() -> usize {
    let own = format!(") Z {} ", std::process::id());
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let stats = processes.filter_map(|one| std::fs::read_to_string(one.path().join("stat")).ok());
    stats.filter(|stat| stat.contains(&own)).count()
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn s18_10_a_child_has_the_environment_it_is_given_and_is_gone_with_the_run() {
    for role in ["serves", "stays"] {
        let turns = [Turn::call("my_env", json!({})), Turn::text("Done.")];
        let model = ScriptedModel::new(turns);
        let agent = Agent::builder(model.clone()).toolset(Server::new("my", child(role)));
        let run = agent.build().unwrap().run("go").await.unwrap();
        assert_eq!(results(&run), ["{}"]);
        let tools = &model.requests()[0].tools;
        let names = tools.iter().next().unwrap().parameters["description"].as_str().unwrap();
        assert_eq!(names, ROLE, "no other variable reaches it");
        assert_eq!(playing(role), Vec::<String>::new());
        assert_eq!(zombies(), 0);
    }
}

#[tokio::test]
async fn s18_10_a_program_that_does_not_start_says_why() {
    for (program, expected) in [
        (child("speaks"), "I am the child"),
        (Program::unconfined("/no/such/program"), "there is no program `/no/such/program`"),
    ] {
        let model = ScriptedModel::new([Turn::text("Done.")]);
        let observer = legwork_testkit::RecordingObserver::new();
        let agent = Agent::builder(model).toolset(Server::new("my", program));
        agent.observer(observer.clone()).build().unwrap().run("go").await.unwrap();
        let told = observer.events().into_iter().any(|event| match event.kind {
            legwork_agent::EventKind::Warning { message } => message.contains(expected),
            _ => false,
        });
        assert!(told, "no warning says: {expected}");
    }
}
