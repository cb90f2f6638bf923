//! Which sandbox commands run in, and what the person is told and asked.

use std::process::Command;

use legwork_testkit::{Server, Turn};
use serde_json::json;

use crate::home::{Home, Ran, fed, ran};

/// A model that runs one command, for each task that a session is given.
fn server(command: &str) -> Server {
    let task = || [Turn::call("bash", json!({ "command": command })), Turn::text("Done.")];
    Server::start([task(), task(), task()].concat()).unwrap()
}

/// A `PATH` with a shell, and no bubblewrap.
fn shell_only(home: &Home) -> std::path::PathBuf {
    // Next to the workspace: a shell in it could be any program.
    let bin = home.work().with_file_name("bin");
    std::fs::create_dir(&bin).unwrap();
    std::os::unix::fs::symlink("/bin/sh", bin.join("sh")).unwrap();
    bin
}

/// Whether one of the sandboxes works here, by the command's own word.
pub(crate) fn works(home: &Home, name: &str) -> bool {
    let checks = home.ran(&["doctor", "--offline", "--json"]).last()["checks"].clone();
    let checks = checks.as_array().cloned().unwrap_or_default();
    // One that does not work is a warning only where the other does.
    let does = |found: &str| found.contains("its trial run works") || found.starts_with("ABI ");
    let found = |check: &serde_json::Value| does(check["found"].as_str().unwrap_or_default());
    let works = checks.iter().any(|check| check["name"] == name && found(check));
    if !works {
        println!("skipped: {name} does not work here");
    }
    works
}

#[test]
fn one_that_does_not_work_refuses_and_says_so() {
    let home = Home::new();
    let server = server(": >ran");
    let mut command = home.with(&server, &["run", "--sandbox", "bubblewrap", "Work"]);
    command.env("PATH", shell_only(&home));
    let told = ran(command).ends(0);
    let told = told.says("warning: no command is run: there is no sandbox").says("--sandbox off");
    assert!(told.err.contains("✗ bash : >ran"), "{}", told.err);
    assert!(!home.work().join("ran").exists());
}

#[test]
fn without_bubblewrap_landlock_stands_in_and_says_what_it_does_not_hold() {
    let home = Home::new();
    let server = server("echo kept >here; echo lost >../outside");
    let mut command = home.with(&server, &["run", "Work"]);
    command.env("PATH", shell_only(&home));
    if !works(&home, "landlock") {
        return;
    }
    let told = ran(command).ends(0);
    let told = told.says("warning: commands are confined by landlock, which does not hold: ");
    assert_eq!(told.err.matches("warning").count(), 1, "{}", told.err);
    assert!(home.work().join("here").exists() && !home.work().join("../outside").exists());
    let result = server.requests()[1].asked.results()[0].to_owned();
    assert!(result.contains("[the sandbox here, landlock, does not hold: "), "{result}");
}

#[test]
fn with_bubblewrap_nothing_is_warned_of() {
    let home = Home::new();
    if !works(&home, "bubblewrap") {
        return;
    }
    let server = server("echo kept >here; ls -A ~");
    let told = home.ran_with(&server, &["run", "Work"]).ends(0);
    assert!(!told.err.contains("warning"), "{}", told.err);
    let result = server.requests()[1].asked.results()[0].to_owned();
    // Of the home, only what leads to the workspace.
    assert_eq!(result, "work\n");
}

#[test]
fn s13_9_the_network_is_off_until_told_each_time() {
    let home = Home::new();
    if !works(&home, "bubblewrap") {
        return;
    }
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let reach = format!("exec 3<>/dev/tcp/127.0.0.1/{port}");
    let run = |args: &[&str]| home.ran_with(&server(&reach), args).ends(0).session();
    run(&["run", "--json", "Work"]);
    assert!(listener.accept().is_err(), "off by default");
    let session = run(&["run", "--json", "--network", "all", "Work"]);
    assert!(listener.accept().is_ok(), "on when told");
    run(&["run", "--json", "--session", &session, "Work again"]);
    assert!(listener.accept().is_err(), "a journal cannot give it");
    run(&["run", "--json", "--session", &session, "--network", "all", "Work again"]);
    assert!(listener.accept().is_ok(), "on when told again");
}

#[test]
fn s13_7_a_command_reaches_the_hosts_that_are_named() {
    let home = Home::new();
    if !works(&home, "bubblewrap") {
        return;
    }
    let reached = Server::start([Turn::text("pong")]).unwrap();
    let host = reached.base_url().split('/').nth(2).unwrap().to_owned();
    let asks = format!(
        "ask() {{ exec 3<>/dev/tcp/127.0.0.1/3128; printf 'POST http://%s HTTP/1.1\\r\\n\
         Connection: close\\r\\nContent-Length: 2\\r\\n\\r\\n{{}}' \"$1\" >&3; cat <&3; }}; \
         ask {host}/v1/x; ask 127.0.0.1:1/; ask example.com/"
    );
    let server = server(&asks);
    let told = home.ran_with(&server, &["run", "--json", "--network", &host, "Work"]).ends(0);
    let session = told.session();
    for line in [
        format!("network: connected to {host}"),
        "network: not connected to 127.0.0.1:1: it is not on the list of hosts".to_owned(),
        "network: not connected to example.com:80: it is not on the list of hosts".to_owned(),
    ] {
        assert!(told.out.contains(&line), "{line} in {}", told.out);
        let result = server.requests()[1].asked.results()[0].to_owned();
        assert!(result.contains(&line), "{line} in {result}");
    }
    let result = server.requests()[1].asked.results()[0].to_owned();
    assert_eq!(result.matches("HTTP/1.1 403 Forbidden").count(), 2, "{result}");
    assert_eq!(result.matches("HTTP/1.1 ").count(), 3, "{result}");
    // What the session had has to be named again; less than what is set now is remembered.
    let again = |settings: &str| {
        home.settings(settings);
        let server = self::server(&asks);
        home.ran_with(&server, &["run", "--session", &session, "More"]).ends(0)
    };
    let told = again("network = 'all'");
    assert!(told.err.contains(&format!("network: connected to {host}")), "{}", told.err);
    assert!(told.err.contains("network: not connected to 127.0.0.1:1:"), "{}", told.err);
    again("").says(&format!("the session had --network {host}, which is not taken from a journal"));
}

#[test]
fn s13_7_what_is_no_host_is_a_usage_error() {
    let home = Home::new();
    for (given, said) in [
        ("Work", "\"Work\" is not a host: it has no dot"),
        ("example.com,", "\"\" is not a host"),
        ("https://example.com", "is not a host"),
    ] {
        let told = home.ran(&["run", "--model", "test:x", "--network", given, "Go"]).ends(2);
        assert!(told.err.contains(said), "{given}: {}", told.err);
    }
    let off = ["run", "--model", "test:x", "--sandbox", "off", "--network", "example.com", "Go"];
    home.ran(&off).ends(2).says("without a sandbox the network cannot be held to a list of hosts");
}

/// A home that no sandbox can be had for: there is no bubblewrap, and the keys
/// lie in the workspace, where Landlock cannot hide them.
fn hopeless(home: &Home, args: &[&str]) -> Command {
    std::fs::create_dir(home.work().join(".ssh")).unwrap();
    let mut command = home.legwork(args);
    command.env("PATH", shell_only(home)).env("HOME", home.work());
    command
}

/// Gives what it runs a terminal.
const SCRIPT: &str = "/usr/bin/script";

fn asked(answer: &str) -> Option<(Home, Ran)> {
    let home = Home::new();
    let server = server(": >ran");
    let program = env!("CARGO_BIN_EXE_legwork");
    let hopeless = hopeless(&home, &[]);
    let mut command = Command::new(SCRIPT);
    command.args(["-qec", &format!("{program} run --model test:scripted Work"), "/dev/null"]);
    command.current_dir(home.work()).env_clear().env("TERM", "dumb").env("SHELL", "/bin/sh");
    for (name, value) in hopeless.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    command.env("OPENAI_BASE_URL", server.base_url());
    if !std::path::Path::new(SCRIPT).exists() {
        println!("skipped: there is no script(1) to make a terminal");
        return None;
    }
    let told = fed(command, answer.as_bytes());
    Some((home, told))
}

#[test]
fn where_nothing_works_the_person_is_asked() {
    let Some((home, told)) = asked("y\n") else { return };
    assert!(told.out.contains("run commands unconfined"), "{}", told.out);
    assert!(home.work().join("ran").exists(), "{}", told.out);
}

#[test]
fn who_does_not_say_yes_has_nothing_run() {
    for answer in ["n\n", "\n", "sure\n"] {
        let Some((home, told)) = asked(answer) else { return };
        assert!(told.out.contains("run commands unconfined"), "{}", told.out);
        assert!(!home.work().join("ran").exists(), "{answer:?}: {}", told.out);
    }
}

#[test]
fn without_a_terminal_nobody_is_asked_and_nothing_runs() {
    let home = Home::new();
    let server = server(": >ran");
    let mut command = hopeless(&home, &["run", "Work"]);
    command.env("OPENAI_BASE_URL", server.base_url()).env("LEGWORK_MODEL", "test:scripted");
    let told = fed(command, b"y\n").ends(0);
    let told = told.says("no sandbox works here; bubblewrap: ").says("Landlock: ");
    assert!(!told.err.contains("[y/N]"), "{}", told.err);
    assert!(!home.work().join("ran").exists());
}
