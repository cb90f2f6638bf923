//! `legwork doctor`: what it finds, and how it ends.

use std::os::unix::fs::PermissionsExt as _;

use legwork_testkit::{Server, Turn};
use serde_json::Value;

use crate::home::{Home, ran, text};

fn check(report: &Value, name: &str) -> Value {
    let checks = report["checks"].as_array().unwrap();
    checks.iter().find(|check| check["name"] == name).cloned().unwrap_or_default()
}

#[test]
fn it_names_what_it_looked_at_and_makes_nothing() {
    let home = Home::untrusted();
    let told = home.ran(&["doctor"]);
    let names = [
        "bubblewrap",
        "namespaces",
        "landlock",
        "seccomp",
        "processes",
        "sandbox",
        "shell",
        "store",
        "model",
        "project",
        "git",
        "terminal",
    ];
    for name in names {
        let line = told.out.lines().find(|line| line.contains(&format!(" {name} ")));
        let line = line.unwrap_or_else(|| panic!("no {name} in {}", told.out));
        assert!(["✓", "!", "✗"].iter().any(|sign| line.starts_with(sign)), "{line}");
    }
    assert!(!home.store().exists() && !home.work().join("../.local").exists());
    assert_eq!(told.err, "");
}

#[test]
fn programs_are_told_the_same() {
    let home = Home::new();
    let told = home.ran(&["doctor", "--json"]);
    assert_eq!(told.out.lines().count(), 1);
    let report = told.last();
    assert_eq!(report["type"], "doctor");
    let confined = report["sandbox"].is_string();
    assert_eq!(report["ok"], confined);
    assert_eq!(told.code, Some(if confined { 0 } else { 1 }));
    assert_eq!(check(&report, "sandbox")["state"] == "good", confined, "{report}");
}

#[test]
fn without_bubblewrap_it_says_what_landlock_does_not_hold() {
    let home = Home::new();
    let mut command = home.legwork(&["doctor", "--json"]);
    command.env("PATH", home.work());
    let told = ran(command);
    let report = told.last();
    assert!(text(&check(&report, "bubblewrap"), "found").contains("not on the PATH"), "{report}");
    assert!(text(&check(&report, "bubblewrap"), "hint").contains("install bubblewrap"));
    // Without a shell no command runs, confined or not.
    assert_eq!((&check(&report, "shell")["state"], told.code), (&"bad".into(), Some(1)));
    match report["sandbox"].as_str() {
        Some("landlock") => {
            let gaps = report["gaps"].as_array().unwrap();
            assert!(
                gaps.iter().any(|gap| gap.as_str().unwrap().contains(".git/hooks")),
                "{report}"
            );
        }
        other => println!("skipped: Landlock does not work here ({other:?})"),
    }
}

#[test]
fn where_nothing_works_it_ends_with_1() {
    let home = Home::new();
    std::fs::create_dir(home.work().join(".ssh")).unwrap();
    let mut command = home.legwork(&["doctor"]);
    command.env("PATH", home.work()).env("HOME", home.work());
    let told = ran(command).ends(1);
    assert!(told.out.contains("✗ sandbox") && told.out.contains("✗ bubblewrap"), "{}", told.out);
}

#[test]
fn a_key_is_never_shown() {
    let home = Home::new();
    for args in [&["doctor"][..], &["doctor", "--json"]] {
        let mut command = home.legwork(args);
        command.env("OPENAI_API_KEY", "sk-very-secret").env("LEGWORK_MODEL", "openai:gpt-5");
        let told = ran(command);
        assert!(!told.out.contains("secret") && !told.err.contains("secret"), "{}", told.out);
        assert!(told.out.contains(", key from OPENAI_API_KEY"), "{}", told.out);
        assert!(told.out.contains("openai:gpt-5"), "{}", told.out);
    }
}

#[test]
fn a_store_that_is_unusable_is_bad() {
    let home = Home::new();
    std::fs::write(home.work().join("no.db"), "this is no database, but long enough to be one")
        .unwrap();
    let told = home.ran(&["doctor", "--store", "sqlite:no.db"]).ends(1);
    assert!(told.out.contains("✗ store"), "{}", told.out);
    let told = home.ran(&["doctor", "--store", "sqlite:/proc/none/no.db"]).ends(1);
    assert!(told.out.contains("✗ store") && told.out.contains("cannot be made"), "{}", told.out);
}

#[test]
fn names_from_outside_move_no_terminal() {
    let home = Home::new();
    let bin = home.work().join("bin");
    std::fs::create_dir(&bin).unwrap();
    let script = "#!/bin/sh\nprintf 'git \\033[2J\\033]0;title\\007 version\\n'\n";
    std::fs::write(bin.join("git"), script).unwrap();
    std::fs::set_permissions(bin.join("git"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = home.legwork(&["doctor"]);
    command.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
    command.env("LEGWORK_MODEL", "a:\u{1b}[2Jb");
    let told = ran(command);
    assert!(told.out.contains("version") && !told.out.contains('\u{1b}'), "{:?}", told.out);
}

#[test]
fn settings_that_cannot_be_used_do_not_keep_it_from_looking() {
    let home = Home::new();
    std::fs::write(home.work().join("legwork.toml"), "modle = 'a:b'\n").unwrap();
    let told = home.ran(&["doctor"]).ends(1);
    assert!(told.out.contains("✗ settings") && told.out.contains("`model`"), "{}", told.out);
    assert!(told.out.contains("✓ shell"), "{}", told.out);
    home.settings("budget.steps = 'many'\n");
    let told = home.ran(&["doctor", "--json"]).ends(1);
    let checks = told.last()["checks"].as_array().unwrap().clone();
    let settings = checks.iter().find(|check| check["name"] == "settings").unwrap();
    assert_eq!(settings["state"], "bad");
}

#[test]
fn the_model_is_asked_and_what_that_cost_is_told() {
    let (home, server) = (Home::new(), Server::start([Turn::text("pong")]).unwrap());
    let told = home.ran_with(&server, &["doctor", "--json", "--model", "openai:gpt-5-mini"]);
    let model = check(&told.last(), "model");
    assert_eq!(model["state"], "good", "{model}");
    let found = text(&model, "found");
    assert!(found.starts_with("openai:gpt-5-mini (--model), no key; asked for a few"), "{found}");
    assert!(found.ends_with(" ms; 10 tokens in, 5 out; $0.000013"), "{found}");
    assert_eq!(server.requests().len(), 1);
    // It can be told not to.
    let told = home.ran_with(&server, &["doctor", "--json", "--offline"]);
    let found = text(&check(&told.last(), "model"), "found");
    assert_eq!(found, "test:scripted (LEGWORK_MODEL), no key; not asked (--offline)");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_model_that_does_not_answer_is_bad() {
    let (home, server) = (Home::new(), Server::start([Turn::status(401)]).unwrap());
    let told = home.ran_with(&server, &["doctor", "--json"]).ends(1);
    let report = told.last();
    let model = check(&report, "model");
    assert_eq!((&model["state"], &report["ok"]), (&"bad".into(), &false.into()), "{report}");
    assert!(text(&model, "hint").contains("key"), "{model}");
}

#[test]
fn a_store_on_a_server_is_asked_whether_it_answers() {
    let home = Home::new();
    // A port that is bound and listens to nobody.
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = nobody.local_addr().unwrap().port();
    drop(nobody);
    for scheme in ["redis", "postgres"] {
        let address = format!("{scheme}://ann:secret@127.0.0.1:{port}/1");
        let args = ["doctor", "--json", "--store", &address];
        let told = home.ran(&args).ends(1);
        let checks = told.last()["checks"].clone();
        let store = checks.as_array().unwrap().iter().find(|it| it["name"] == "store").unwrap();
        assert_eq!(store["state"], "bad", "{store}");
        assert!(text(store, "hint").contains("start the server"), "{store}");
        assert!(!told.out.contains("secret") && !told.err.contains("secret"), "{}", told.out);
        let told = home.ran(&[&args[..], &["--offline"]].concat());
        assert!(told.out.contains("not asked (--offline)"), "{}", told.out);
    }
}
