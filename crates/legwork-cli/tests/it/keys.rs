//! Keys by environment, file and command; never in a journal, an output or an error.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use legwork_testkit::{Script, Server, Turn};
use serde_json::json;

use crate::home::{Home, Ran, ran, text};

const KEY: &str = "sk-canary-d41d8cd98f00b204e9800998ecf8427e";
/// Enough of it to tell that it leaked.
const CANARY: &str = "canary";

/// A file with the key in it, outside of the workspace.
fn key_file(home: &Home, mode: u32) -> PathBuf {
    let path = home.work().parent().unwrap().join("key");
    fs::write(&path, format!("  {KEY} \r\nsecond line\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    path
}

/// A server that takes the key only.
fn server() -> Server {
    Server::start(Script::from([Turn::text("in")]).only_key(KEY)).unwrap()
}

/// Runs a task with a model of `openai` at a server.
fn run(home: &Home, server: &Server, environment: &[(&str, &str)]) -> Ran {
    let mut command = home.legwork(&["run", "--json", "--model", "openai:gpt-5", "open"]);
    command.env("OPENAI_BASE_URL", server.base_url()).envs(environment.iter().copied());
    ran(command)
}

/// Checks that the key is nowhere but in the files that hold it.
fn assert_nowhere(home: &Home, told: &[&Ran]) {
    for ran in told {
        assert!(!ran.out.contains(CANARY) && !ran.err.contains(CANARY), "{ran:?}");
    }
    let mut folders = vec![home.work().parent().unwrap().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => assert!(holds_key(&path) || !has_canary(&path), "{path:?}"),
            }
        }
    }
}

fn holds_key(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "key" || name == "link" || name == "legwork.toml")
}

fn has_canary(path: &Path) -> bool {
    let bytes = fs::read(path).unwrap();
    bytes.windows(CANARY.len()).any(|part| part == CANARY.as_bytes())
}

#[test]
fn a_key_is_sent_from_each_place_and_is_found_nowhere() {
    let file = |home: &Home| format!("file = '{}'", key_file(home, 0o600).display());
    let places: [&dyn Fn(&Home) -> String; 7] = [
        &file,
        &|home| format!("file = '{}'", key_file(home, 0o400).display()),
        &|home| {
            key_file(home, 0o600);
            "file = '~/key'".to_owned()
        },
        &|home| {
            symlink(key_file(home, 0o600), home.work().parent().unwrap().join("link")).unwrap();
            "file = '../../link'".to_owned()
        },
        &|_| format!("command = 'printf %s {KEY} | cat'"),
        &|_| format!("command = ['echo', '{KEY}']"),
        &|_| "env = 'MY_KEY'".to_owned(),
    ];
    for place in places {
        let (home, server) = (Home::new(), server());
        home.settings(&format!("[keys.openai]\n{}", place(&home)));
        let environment = [("MY_KEY", KEY)];
        let done = run(&home, &server, &environment).ends(0);
        assert_eq!(done.last()["text"], "in");
        let resumed = home.ran(&["resume", "--json", &done.session()]);
        let shown = home.ran(&["config", "show"]).ends(0);
        let as_json = home.ran(&["config", "show", "--json"]).ends(0);
        let journal = home.ran(&["sessions", "show", "--json", &done.session()]).ends(0);
        assert_nowhere(&home, &[&done, &resumed, &shown, &as_json, &journal]);
    }
}

#[test]
fn the_providers_variable_comes_before_the_file() {
    let (home, server) = (Home::new(), server());
    home.settings("[keys.openai]\ncommand = 'touch ran; echo wrong'");
    let told = run(&home, &server, &[("OPENAI_API_KEY", KEY)]).ends(0);
    assert!(!home.work().join("../.config/legwork/ran").exists());
    assert_nowhere(&home, &[&told]);
}

#[test]
fn a_command_runs_only_when_a_model_is_asked_and_then_once() {
    let (home, server) = (Home::new(), server());
    home.settings(&format!("[keys.openai]\ncommand = 'echo >> ran; echo {KEY}'"));
    let log = home.work().join("../.config/legwork/ran");
    for args in [&["sessions", "list"][..], &["config", "show"], &["config", "path"]] {
        home.ran(args).ends(0);
    }
    home.ran(&["run", "--model", "ollama:q", "--dir", "nowhere", "x"]).ends(2);
    assert!(!log.exists());
    run(&home, &server, &[]).ends(0);
    assert_eq!(fs::read_to_string(log).unwrap(), "\n");
}

#[test]
fn s11_5_a_key_that_the_server_refuses_is_printed_again() {
    let key = |number: usize| format!("{KEY}-{number}");
    let turns = Script::from([
        Turn::call("list", json!({"path": "."})),
        Turn::text(format!("It is {}.", key(2))),
    ]);
    let (home, server) = (Home::new(), Server::start(turns.only_key(key(2))).unwrap());
    let command = format!("echo >> ran; echo {KEY}-$(wc -l < ran)");
    home.settings(&format!("[keys.openai]\ncommand = '{command}'"));
    let ran = run(&home, &server, &[]).ends(0);
    let sent: Vec<_> = server.requests();
    let sent = sent.iter().map(|request| request.headers["authorization"].as_str());
    let expected = [key(1), key(2), key(2)].map(|key| format!("Bearer {key}"));
    assert!(sent.eq(expected.iter().map(String::as_str)));
    assert_nowhere(&home, &[&ran]);
}

#[test]
fn s11_5_a_key_in_a_file_is_read_again_when_the_server_refuses_it() {
    let (home, path) = (Home::new(), Arc::new(OnceLock::<PathBuf>::new()));
    let written = Arc::clone(&path);
    // The file is written anew before the server refuses the key that it had.
    let is_first = AtomicBool::new(true);
    let turns = Script::from_fn(move |_| match is_first.swap(false, Ordering::SeqCst) {
        false => Turn::text("Done."),
        true => {
            fs::write(written.get().unwrap(), format!("{KEY}-new\n")).unwrap();
            Turn::status(401)
        }
    });
    let server = Server::start(turns).unwrap();
    path.set(key_file(&home, 0o600)).unwrap();
    home.settings(&format!("[keys.openai]\nfile = {:?}", path.get().unwrap()));
    run(&home, &server, &[]).ends(0);
    let sent: Vec<_> = server.requests();
    let sent = sent.iter().map(|request| request.headers["authorization"].clone());
    assert!(sent.eq([format!("Bearer {KEY}"), format!("Bearer {KEY}-new")]));
}

#[test]
fn s13_1_a_program_where_the_agent_may_write_prints_no_key() {
    let (home, server) = (Home::new(), server());
    let program = home.work().join("token");
    fs::write(&program, format!("#!/bin/sh\necho {KEY}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    home.settings(&format!("[keys.openai]\ncommand = [{program:?}]"));
    run(&home, &server, &[]).ends(2).says("lies where the agent may write");
}

#[test]
fn a_provider_of_the_users_own_never_gets_the_key_of_another() {
    let (home, server) = (Home::new(), Server::start([Turn::text("in")]).unwrap());
    home.settings(&format!("[providers.my]\nbase_url = '{}'", server.base_url()));
    let mut command = home.legwork(&["run", "--model", "my:m", "x"]);
    command.env("OPENAI_API_KEY", KEY).env("OPENAI_BASE_URL", "http://127.0.0.1:9/v1");
    ran(command).ends(0);
    assert_eq!(server.requests()[0].headers.get("authorization"), None);
    home.settings(&format!(
        "[providers.my]\nbase_url = '{}'\n[keys.my]\nenv = 'MY'",
        server.base_url()
    ));
    let mut command = home.legwork(&["run", "--model", "my:m", "x"]);
    command.env("OPENAI_API_KEY", "wrong").env("MY", KEY);
    ran(command).ends(0);
    let sent = &server.requests()[1].headers["authorization"];
    assert_eq!(sent, &format!("Bearer {KEY}"));
}

/// Checks what is said of a place that gives no key.
fn refused(settings: &str, message: &str, hint: &str) {
    let (home, server) = (Home::new(), server());
    key_file(&home, 0o644);
    home.settings(&format!("[keys.openai]\n{settings}"));
    let told = run(&home, &server, &[("MY_KEY", "sk-canary\nsk-canary")]).ends(2);
    assert_eq!(told.kinds(), ["run_failed"]);
    let told = told.says(message).says(hint).says("(named in ~/.config/legwork/legwork.toml:1)");
    assert!(text(&told.last(), "message").contains(message));
    assert_nowhere(&home, &[&told]);
    assert_eq!(server.requests().len(), 0);
    assert!(!home.store().exists());
}

#[test]
fn a_place_that_gives_no_key_is_told_without_what_it_gave() {
    refused("file = '~/key'", "its mode is 0644, not 0600", "chmod 600 /");
    refused("file = '~/nosuch'", "No such file", "first line");
    refused("file = '~/work'", "it is not a regular file", "first line");
    refused("file = '/dev/null'", "it is not a regular file", "first line");
    refused("env = 'NOT_SET'", "in NOT_SET cannot be used: the variable is not set", "set NOT_SET");
    refused("env = 'MY_KEY'", "it has more than one line", "set MY_KEY");
    refused("command = 'exit 3'", "it failed (exit status: 3)", "run it yourself");
    refused("command = 'echo'", "it is empty", "run it yourself");
    refused("command = 'echo canary; echo why >&2; exit 1'", "why", "run it yourself");
    refused("command = 'echo canary; echo canary'", "more than one line", "the key alone");
    refused("command = 'printf \"canary\\000\"'", "a character that HTTP forbids", "the key alone");
    refused("command = 'echo canary canary'", "it has a space", "the key alone");
    refused("command = ['/nowhere/pass', 'show']", "it does not start", "run it yourself");
}

#[test]
fn a_pipe_as_a_key_file_does_not_hang() {
    let home = Home::new();
    let pipe = home.pipe("pipe");
    home.settings(&format!("[keys.openai]\nfile = '{}'", pipe.display()));
    home.ran(&["run", "x"]).ends(2).says("it is not a regular file");
}

#[test]
fn a_key_that_a_server_sends_back_is_found_nowhere() {
    let said = format!("you sent Authorization: Bearer {KEY}, is that right?");
    for echo in [
        Turn::status(401).with_message(&said),
        Turn::status(400).with_message(format!("{} {KEY}", "x".repeat(380))),
    ] {
        let (home, server) = (Home::new(), Server::start([echo]).unwrap());
        home.settings(&format!("[keys.openai]\ncommand = 'echo {KEY}'"));
        let failed = run(&home, &server, &[]).ends(1);
        let sent = &server.requests()[0].headers["authorization"];
        assert!(sent.contains(KEY), "{sent}");
        assert!(failed.out.contains("[redacted]"), "{}", failed.out);
        let journal = home.ran(&["sessions", "show", "--json", &failed.session()]).ends(0);
        let shown = home.ran(&["sessions", "show", &failed.session()]).ends(0);
        assert_nowhere(&home, &[&failed, &journal, &shown]);
    }
}

#[test]
fn commands_of_the_agent_do_not_see_the_key() {
    let home = Home::new();
    let look = serde_json::json!({"command": "env; cat /proc/self/environ"});
    let turns = [Turn::call("bash", look), Turn::text("Done.")];
    let server = Server::start(turns).unwrap();
    home.settings("[keys.openai]\nenv = 'MY_KEY'\n");
    let mut command =
        home.legwork(&["run", "--json", "--sandbox", "off", "--model", "openai:gpt-5", "x"]);
    command.env("OPENAI_BASE_URL", server.base_url()).env("MY_KEY", KEY);
    let done = ran(command).ends(0);
    assert_nowhere(&home, &[&done]);
}

/// Programs that an agent may have put where an environment of a language has its own.
#[test]
fn s13_1_no_program_that_lies_in_the_workspace_is_started_outside() {
    let home = Home::new();
    let work = home.work();
    let outside = work.with_file_name("ran");
    for folder in [".venv/bin", "node_modules/.bin", ".git"] {
        fs::create_dir_all(work.join(folder)).unwrap();
    }
    fs::create_dir(work.join("sub")).unwrap();
    for (folder, name) in [
        (".venv/bin", "bwrap"),
        (".venv/bin", "git"),
        (".venv/bin", "bash"),
        ("node_modules/.bin", "print-key"),
    ] {
        let planted = work.join(folder).join(name);
        fs::write(&planted, format!("#!/bin/sh\necho {name} >>{}\n", outside.display())).unwrap();
        fs::set_permissions(planted, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path =
        format!("{0}/.venv/bin:{0}/node_modules/.bin:/usr/local/bin:/usr/bin:/bin", work.display());
    let server = Server::start([
        Turn::call("bash", serde_json::json!({ "command": "echo over" })),
        Turn::text("Done."),
    ])
    .unwrap();
    for command in ["'print-key'", "['print-key']"] {
        home.settings(&format!("[keys.openai]\ncommand = {command}"));
        // From a folder of the repository, too: another run may have worked in all of it.
        for dir in [work.clone(), work.join("sub")] {
            for args in [
                &["doctor", "--model", "openai:m"][..],
                &["run", "--model", "openai:m", "x"],
                &["models", "ping", "openai:m"],
                &["models", "list"],
            ] {
                let mut command = home.legwork(args);
                command
                    .current_dir(&dir)
                    .env("PATH", &path)
                    .env("OPENAI_BASE_URL", server.base_url());
                let ran = ran(command);
                assert!(!outside.exists(), "{dir:?} {args:?}: {:?} {ran:?}", fs::read(&outside));
            }
        }
    }
}

#[test]
fn s13_11_a_key_that_a_model_or_a_tool_says_is_found_nowhere() {
    let home = Home::new();
    fs::write(home.work().join("key"), format!("OPENAI_API_KEY={KEY}\n")).unwrap();
    let server = Server::start([
        Turn::call("read", serde_json::json!({"path": "key"})).with_text(format!("I saw {KEY}")),
        Turn::call("bash", serde_json::json!({"command": "cat key; base64 -w0 key"})),
        Turn::text(format!("It is {KEY}.")).with_finish(KEY.into()),
    ])
    .unwrap();
    let key = [("OPENAI_API_KEY", KEY)];
    let of = |args: &[&str]| {
        let mut command = home.legwork(args);
        command.env("OPENAI_BASE_URL", server.base_url()).envs(key);
        ran(command)
    };
    let flags = ["--model", "openai:gpt-5", "--sandbox", "off", "open"];
    let told = of(&[&["run", "--json"], &flags[..]].concat()).ends(0);
    let shown = home.ran(&["sessions", "show", "--json", &told.session()]).ends(0);
    assert!(shown.out.matches("[redacted]").count() > 5, "{}", shown.out);
    let server = Server::start([Turn::text(format!("It is {KEY}."))]).unwrap();
    let mut command = home.legwork(&[&["run"], &flags[..]].concat());
    command.env("OPENAI_BASE_URL", server.base_url()).envs(key);
    let plain = ran(command).ends(0);
    assert_eq!(plain.out, "It is [redacted].\n");
    let encoded = "c2stY2FuYXJ5";
    assert!(!shown.out.contains(encoded), "{}", shown.out);
    assert_nowhere(&home, &[&told, &shown, &plain]);
}

#[test]
fn s13_11_a_key_in_clear_is_warned_of() {
    let home = Home::new();
    let of = |url: &str| {
        let mut command = home.legwork(&["run", "--model", "openai:gpt-5", "--base-url", url, "x"]);
        command.env("OPENAI_API_KEY", KEY).env("LEGWORK_RETRY_FOR", "0s");
        ran(command)
    };
    of("http://server.invalid/v1").says("goes to server.invalid over plain HTTP");
    for quiet in ["http://127.0.0.1:9/v1", "https://server.invalid/v1"] {
        let told = of(quiet);
        assert!(!told.err.contains("plain HTTP"), "{}", told.err);
    }
}
