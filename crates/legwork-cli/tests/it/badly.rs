//! Commands that cannot be begun: each says why, what to do, and does nothing.

use legwork_testkit::{Server, Turn};

use crate::home::{Home, fed, ran};

/// Checks that it ends as wrong usage, for people and for programs.
fn check(args: &[&str], environment: &[(&str, &str)], message: &str, hint: &str) {
    let home = Home::new();
    let with = |args: &[&str]| {
        let mut command = home.legwork(args);
        command.envs(environment.iter().copied());
        ran(command).ends(2)
    };
    let told = with(args);
    assert_eq!(told.out, "");
    let told = told.says("error: ").says(message).says("hint: ").says(hint);
    assert!(told.err.lines().count() <= 3, "{}", told.err);

    let mut json = args.to_vec();
    json.insert(1, "--json");
    let told = with(&json).says(message);
    assert_eq!(told.kinds(), ["run_failed"]);
    assert!(told.last()["message"].as_str().unwrap().contains(message), "{}", told.out);
    assert!(told.last()["hint"].as_str().unwrap().contains(hint), "{}", told.out);
    assert!(!home.store().exists());
}

#[test]
fn no_model_and_no_key() {
    check(&["run", "x"], &[], "no model is set up", "OPENAI_API_KEY");
}

#[test]
fn a_server_without_a_key_needs_the_name_of_a_model() {
    let server = Server::start([Turn::text("Hi.")]).unwrap();
    let url = server.base_url();
    let told = "names a server, and nothing says which";
    check(&["run", "--base-url", &url, "x"], &[], told, "also give --model openai:NAME");
    check(&["run", "x"], &[("OPENAI_BASE_URL", &url)], told, "`legwork models list openai");
    let home = Home::new();
    home.ran(&["run", "--base-url", &url, "--model", "openai:m", "x"]).ends(0);
}

#[test]
fn a_model_that_wants_a_key() {
    check(&["run", "--model", "openai:gpt-5", "x"], &[], "set OPENAI_API_KEY", "--model");
}

#[test]
fn an_unknown_provider() {
    let key = [("OPENAI_API_KEY", "sk-1")];
    check(&["run", "--model", "acme:gpt", "x"], &key, "`acme` is not known", "--base-url");
}

#[test]
fn a_name_that_is_none() {
    check(
        &["run", "--model", "gpt-5", "x"],
        &[],
        "its provider is missing",
        "--model openai:gpt-5?",
    );
}

#[test]
fn an_address_that_is_none() {
    check(&["run", "--model", "a:b", "--base-url", "here", "x"], &[], "base URL", "--base-url");
}

#[test]
fn a_directory_that_is_not_there() {
    check(&["run", "--model", "ollama:q", "--dir", "nowhere", "x"], &[], "nowhere", "--dir");
}

#[test]
fn a_store_that_is_none() {
    check(&["run", "--store", "redis:x", "x"], &[], "redis:x", "sqlite:PATH");
    check(&["run", "x"], &[("LEGWORK_STORE", "work.db")], "work.db", "sqlite:PATH");
}

#[test]
fn an_empty_task() {
    check(&["run", "  \n "], &[], "the task is empty", "legwork run");
    check(&["run"], &[], "the task is empty", "legwork run");
    check(&["run", "-"], &[], "the task is empty", "legwork run");
}

#[test]
fn a_task_that_is_no_text() {
    let home = Home::new();
    let server = Server::start([Turn::text("hi")]).unwrap();
    let told = fed(home.with(&server, &["run", "-"]), b"caf\xe9");
    told.ends(2).says("not UTF-8").says("iconv");
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn a_directory_that_may_not_be_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    let dir = home.work().join("closed");
    std::fs::create_dir(&dir).unwrap();
    std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read_dir(&dir).is_ok() {
        println!("skipped: this user may read everything");
        return;
    }
    home.ran(&["run", "--model", "ollama:q", "--dir", "closed", "x"]).ends(2).says("closed");
}

#[test]
fn nowhere_to_keep_sessions() {
    let home = Home::new();
    let mut command = home.legwork(&["run", "--model", "ollama:q", "x"]);
    command.env_remove("HOME");
    ran(command).ends(2).says("neither HOME nor XDG_STATE_HOME").says("--store");
    for args in [&["doctor"][..], &["config", "show"]] {
        let mut command = home.legwork(args);
        command.env_remove("HOME");
        let shown = ran(command).out;
        let wanted = "no store of sessions: neither HOME nor XDG_STATE_HOME";
        assert!(shown.contains(wanted) && shown.contains("model"), "{args:?}: {shown}");
    }
}

#[test]
fn an_id_that_is_empty() {
    let home = Home::new();
    for args in [["resume", ""].as_slice(), &["sessions", "show", ""]] {
        home.ran(args).ends(2).says("the id of the session is empty").says("sessions list");
    }
}

#[test]
fn a_limit_that_is_no_number_of_use() {
    let home = Home::new();
    for wrong in ["--max-steps=0", "--max-tokens=-1", "--max-steps=-1"] {
        home.ran(&["run", wrong, "x"]).ends(2).says("must be a whole number from 1 on");
    }
    for flag in ["--max-steps", "--max-tokens"] {
        home.ran(&["run", flag, "-1", "x"]).ends(2).says("must be a whole number from 1 on");
    }
    home.ran(&["run", "--max-usd", "-1", "x"]).ends(2).says("must be an amount above 0");
    for wrong in ["9", "-1", "0s", "1ns"] {
        let told = home.ran(&["run", "--max-time", wrong, "x"]).ends(2);
        told.says("must be a length of time above 0");
    }
}

#[test]
fn a_provider_with_a_typing_error() {
    let (home, server) = (Home::new(), Server::start([Turn::text("Hi.")]).unwrap());
    for (typed, meant) in [("opnai", "openai"), ("olama", "ollama"), ("vlm", "vllm")] {
        let args = ["run", "--model", &format!("{typed}:m"), "x"];
        let told = home.ran_with(&server, &args).ends(2);
        let told = told.says(&format!("`{typed}` is not known: did you mean `{meant}`?"));
        told.says(&format!("--base-url or in [providers.{typed}]"));
    }
    assert_eq!(server.requests().len(), 0);
    let url = server.base_url();
    home.ran(&["run", "--model", "opnai:m", "--base-url", &url, "x"]).ends(0);
    home.ran_with(&server, &["run", "--model", "mine:m", "x"]).ends(0);
}

#[test]
fn a_device_for_a_picture() {
    let args = ["run", "--model", "ollama:q", "--image", "/dev/zero", "x"];
    let ran = Home::new().ran(&args).ends(2).says("not a regular file");
    ran.says("hint: name a picture with --image");
}
