//! Permission rules: `[permissions]` of the files, and `--approve FILE`.

use std::fs;

use legwork_testkit::{Server, Turn};
use serde_json::{Value, json};

use crate::home::{Home, text};

fn bash(command: &str) -> Turn {
    Turn::call("bash", json!({"command": command}))
}

fn write(path: &str) -> Turn {
    Turn::call("write", json!({"path": path, "content": "new\n"}))
}

const RUN: [&str; 4] = ["run", "--json", "--sandbox", "off"];

/// What the model read of each call, one a turn.
fn results(server: &Server) -> Vec<String> {
    let requests = server.requests();
    let last = requests.iter().filter_map(|request| request.asked.results().last().copied());
    last.map(str::to_owned).collect()
}

/// The home of a user whose file asks about writing, and says more.
fn home(rules: &str) -> Home {
    let home = Home::new();
    home.settings(&format!("approve = 'writes'\n[permissions]\n{rules}\n"));
    home
}

#[test]
fn s13_16_what_is_denied_never_runs_and_the_model_reads_the_rule() {
    let home = home("allow = ['bash']\ndeny = ['bash(rm:*)', 'write(keep/**)']");
    let turns = [bash("true && /bin/rm -f a.txt"), write("./x/../keep/b.txt"), Turn::text("No.")];
    let server = Server::start(turns).unwrap();
    fs::write(home.work().join("a.txt"), "a\n").unwrap();
    let args = [&RUN[..], &["Work"]].concat();
    home.ran_with(&server, &args).ends(0);
    assert!(home.work().join("a.txt").exists() && !home.work().join("keep").exists());
    let results = results(&server);
    assert!(results[0].contains("the rule `bash(rm:*)` denies this call"), "{results:?}");
    assert!(results[1].contains("the rule `write(keep/**)` denies this call"), "{results:?}");
}

#[test]
fn s13_16_what_is_allowed_runs_unasked_and_nothing_beside_it() {
    let home = home("allow = ['bash(echo:*)', 'write(out/**)']");
    let turns = [bash("echo 1"), write("out/a.txt"), bash("echo 2; true"), Turn::text("Done.")];
    let server = Server::start(turns).unwrap();
    let paused = home.ran_with(&server, &[&RUN[..], &["Work"]].concat()).ends(4).last();
    assert!(home.work().join("out/a.txt").exists());
    let waiting = home.ran(&["pending", &text(&paused, "session")]).ends(0).out;
    assert!(waiting.contains("echo 2; true"), "{waiting}");
}

#[test]
fn s13_16_what_is_asked_about_is_asked_each_time_and_deny_goes_before_ask_before_allow() {
    let home = home("allow = ['bash']\nask = ['bash(git push:*)']\ndeny = ['bash(git push -f:*)']");
    let turns = [
        bash("git -C sub push || true"),
        bash("git push || true"),
        bash("git push -f || true"),
        Turn::text("Done."),
    ];
    let server = Server::start(turns).unwrap();
    let paused = home.ran_with(&server, &[&RUN[..], &["Work"]].concat()).ends(4).last();
    let id = text(&paused, "session");
    let waiting = home.ran(&["pending", &id]).ends(0).out;
    assert!(waiting.contains("the rule `bash(git push:*)` asks"), "{waiting}");
    // Nothing is remembered of it.
    home.ran(&["approve", &id, "--always"]).ends(2).says("asked about each time");
    home.ran(&["approve", &id]).ends(0);
    let resume = ["resume", &id, "--sandbox", "off"];
    home.ran_with(&server, &resume).ends(4);
    home.ran(&["approve", &id]).ends(0);
    home.ran_with(&server, &resume).ends(0);
    let last = results(&server).pop().unwrap();
    assert!(last.contains("the rule `bash(git push -f:*)` denies"), "{last}");
}

#[test]
fn s13_16_a_project_denies_and_asks_and_the_session_remembers_it() {
    let home = Home::new();
    home.project("approve = 'all'\n[permissions]\ndeny = ['write(keep/**)']\nask = ['read']");
    let turns = [
        write("keep/a.txt"),
        Turn::text("No."),
        write("keep/a.txt"),
        Turn::call("list", json!({})),
        Turn::text("Done."),
    ];
    let server = Server::start(turns).unwrap();
    let ran = home.ran_with(&server, &[&RUN[..], &["Work"]].concat()).ends(0);
    assert!(results(&server)[0].contains("the rule `write(keep/**)` denies this call"));
    // By then the project says something else.
    home.project("");
    let args = ["run", "--session", &ran.session(), "--sandbox", "off", "More"];
    home.ran_with(&server, &args).ends(4);
    assert!(results(&server)[1].contains("the rule `write(keep/**)` denies this call"));
    let waiting = home.ran(&["pending"]).ends(0).out;
    assert!(waiting.contains("you asked to see each call"), "{waiting}");
}

#[test]
fn s13_16_a_project_allows_nothing_and_lowers_nothing() {
    let home = home("");
    home.project("[permissions]\nallow = ['bash']");
    let server = Server::start([write("a.txt"), Turn::text("Done.")]).unwrap();
    home.ran_with(&server, &[&RUN[..], &["Work"]].concat())
        .ends(2)
        .says("legwork.toml:2")
        .says("act without your approval");
    for lower in ["never", "ask"] {
        home.project(&format!("approve = '{lower}'"));
        let shown: Value = home.ran(&["config", "show", "--json"]).ends(0).last();
        assert_eq!(shown["values"]["approve"]["value"], "writes");
    }
    home.ran_with(&server, &[&RUN[..], &["Work"]].concat()).ends(4);
}

#[test]
fn s13_16_a_file_that_a_flag_names_says_all_and_the_agent_cannot_write_it() {
    let home = Home::new();
    home.file(
        "work/rules.toml",
        "approve = 'all'\n[permissions]\nallow = ['write', 'bash']\ndeny = ['read']\n",
    );
    let turns = [
        write("rules.toml"),
        write("a.txt"),
        Turn::call("read", json!({"path": "a.txt"})),
        Turn::text("Done."),
        write("b.txt"),
        Turn::text("Done."),
    ];
    let server = Server::start(turns).unwrap();
    let args = [&RUN[..], &["--approve", "rules.toml", "Work"]].concat();
    let ran = home.ran_with(&server, &args).ends(0);
    let results = results(&server);
    assert!(results[0].contains("no tool opens it"), "{results:?}");
    assert!(fs::read_to_string(home.work().join("rules.toml")).unwrap().contains("approve"));
    assert!(home.work().join("a.txt").exists());
    assert!(results[2].contains("the rule `read` denies"), "{results:?}");
    // What denies and asks stays with the session; what allows has to be given again.
    let args = ["run", "--session", &ran.session(), "--sandbox", "off", "More"];
    home.ran_with(&server, &args).ends(4).says("--approve ").says("rules.toml");
    assert!(!home.work().join("b.txt").exists());
}

#[test]
fn s13_16_what_is_wrong_in_rules_is_said_with_its_line() {
    let home = Home::new();
    for (rules, why) in [
        ("deny = ['bsh']", "did you mean `bash`?"),
        ("deny = ['bash(']", "`bash(` is no rule"),
        ("deny = 'bash'", "must be a list of rules"),
        ("refuse = ['bash']", "the key `permissions.refuse` is not known"),
    ] {
        home.settings(&format!("[permissions]\n{rules}"));
        home.ran(&["config", "show"]).ends(2).says("legwork.toml:2").says(why);
    }
    home.settings("approve = 'sometimes'");
    home.ran(&["config", "show"]).ends(2).says("never, ask, writes, all");
    home.settings("");
    home.file("work/rules.toml", "model = 'test:x'\n");
    home.ran(&["tools", "list", "--approve", "rules.toml"])
        .ends(2)
        .says("cannot be set in a file of permissions");
    home.ran(&["tools", "list", "--approve", "sometimes"])
        .ends(2)
        .says("never, ask, writes, all")
        .says("there is no file sometimes");
}

#[test]
fn s13_16_the_rules_are_listed_with_their_tools_and_their_places() {
    let home = home("allow = ['bash(echo:*)']\ndeny = ['bash(rm:*)']");
    let shown = home.ran(&["config", "show"]).ends(0).out;
    assert!(shown.contains("approve = \"writes\""), "{shown}");
    assert!(shown.contains("permissions.deny = [\n  \"bash(rm:*)\","), "{shown}");
    let shown = home.ran(&["config", "show", "--json"]).ends(0).last();
    assert_eq!(shown["permissions"]["allow"][0]["value"], "bash(echo:*)");
    assert_eq!(shown["permissions"]["allow"][0]["line"], 3);
    let listed = home.ran(&["tools", "list", "--json"]).ends(0).out;
    let chain = listed.lines().find(|line| line.contains("\"name\":\"bash\"")).unwrap();
    let rules = "permissions(deny bash(rm:*), allow bash(echo:*), otherwise ask each)";
    assert!(chain.contains(rules), "{chain}");
    // Others have no rules: they only ask.
    let chain = listed.lines().find(|line| line.contains("\"name\":\"edit\"")).unwrap();
    assert!(chain.contains("permissions(otherwise ask each)"), "{chain}");
}
