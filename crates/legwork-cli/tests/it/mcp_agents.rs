//! The field `mcp` of an agent's file: which servers the agent has, and those that it starts.

use std::fs;

use legwork_testkit::{Asked, Script, Server, Turn};
use serde_json::json;

use crate::agents::agent;
use crate::home::{Home, Ran};
use crate::mcp::{CONFIG, write_server};

const OFF: [&str; 2] = ["--sandbox", "off"];

/// A home whose user has the servers `git` and `docs`, each of which leaves a mark when it starts.
fn home() -> Home {
    let home = Home::new();
    write_server(&home);
    let table = |name: &str| {
        let script = format!("touch {name}.started; exec sh server.sh");
        format!("[mcp.{name}]\ncommand = [\"sh\", \"-c\", {script:?}]\ntools = [\"env\"]\n")
    };
    // It is missing what it is to be given, which is told where it is to be started.
    let un = "[mcp.un]\nurl = \"http://127.0.0.1:1/mcp\"\nheaders = { A = { env = \"NONE\" } }\n";
    home.file(CONFIG, &[table("git"), table("docs"), un.to_owned()].concat());
    home
}

fn write_agent(home: &Home, name: &str, front: &str) {
    home.file(&format!(".config/legwork/agents/{name}.md"), &agent(name, front, "Work."));
}

fn of_servers(asked: &Asked) -> Vec<String> {
    asked.tools.iter().map(ToString::to_string).filter(|name| name.ends_with("_env")).collect()
}

/// Runs; the tools of servers that the model is offered, and what the command printed.
fn offered(home: &Home, args: &[&str]) -> (Vec<String>, Ran) {
    let server = Server::start(Script::from_fn(|_| Turn::text("Done."))).unwrap();
    let ran = home.ran_with(&server, &[&["run"], &OFF[..], args, &["Go"]].concat());
    (of_servers(&server.requests().pop().unwrap().asked), ran)
}

/// Which servers were started since this was last asked.
fn started(home: &Home) -> Vec<&'static str> {
    let mark = |name: &&str| fs::remove_file(home.work().join(format!("{name}.started"))).is_ok();
    ["docs", "git"].into_iter().filter(mark).collect()
}

#[test]
fn s18_16_an_agent_has_the_servers_of_its_list_and_starts_no_others() {
    let home = home();
    for (front, tools, servers) in [
        ("", &["docs_env", "git_env"][..], &["docs", "git"][..]),
        ("mcp: [git]\n", &["git_env"], &["git"]),
        ("mcp: []\n", &[], &[]),
        ("mcp: [docs, git]\ndenied_tools: [git_env]\n", &["docs_env"], &["docs", "git"]),
        ("mcp: [docs]\ntools: [read, docs_env, git_env]\n", &["docs_env"], &["docs"]),
    ] {
        write_agent(&home, "viewer", front);
        let (offered, ran) = offered(&home, &["--agent", "viewer"]);
        assert_eq!(offered, tools, "{front}: {}", ran.err);
        assert_eq!(started(&home), servers, "{front}");
        // Nothing is fetched for a server that it does not have.
        assert_eq!(ran.err.contains("the MCP server un is left out"), front.is_empty(), "{front}");
        ran.ends(0);
        home.ran(&["agents", "check"]).ends(0);
    }
}

#[test]
fn s18_16_a_subagent_has_the_servers_of_its_list_that_the_one_above_it_has() {
    for (boss, counter, tools) in [
        ("", "mcp: [docs]\n", &["docs_env"][..]),
        ("mcp: [git]\n", "mcp: [docs]\n", &[]),
        ("mcp: [git]\n", "", &["git_env"]),
    ] {
        let home = home();
        write_agent(&home, "boss", boss);
        write_agent(&home, "counter", counter);
        let script = |asked: &Asked| match asked.turn() {
            0 if asked.tools.contains(&"spawn_subagent".to_owned())
                && !asked.messages.iter().any(|message| message.text.contains("Count it")) =>
            {
                Turn::call("spawn_subagent", json!({"agent": "counter", "prompt": "Count it"}))
            }
            _ => Turn::text("Done."),
        };
        let server = Server::start(Script::from_fn(script)).unwrap();
        let args = [&["run"], &OFF[..], &["--agent", "boss", "Go"]].concat();
        home.ran_with(&server, &args).ends(0);
        let [_, child, _] = &server.requests()[..] else { panic!("{boss} {counter}") };
        assert_eq!(of_servers(&child.asked), tools, "{boss} {counter}");
    }
}

#[test]
fn s18_16_a_server_that_is_not_there_is_told_with_its_place_and_what_was_meant() {
    let home = home();
    write_agent(&home, "viewer", "mcp:\n- docs\n- gti\n");
    let ran = home.ran(&["agents", "check"]).ends(1);
    let expected = "~/.config/legwork/agents/viewer.md:6: error: mcp[1]: there is no MCP server \
                    `gti`\n  did you mean `git`?\n1 agent, 0 skills: 1 error, 0 warnings\n";
    assert_eq!(ran.out, expected);
    let server = Server::start([Turn::text("Done.")]).unwrap();
    let ran = home.ran_with(&server, &["run", "--agent", "viewer", "Go"]).ends(2);
    ran.says("mcp[1]: there is no MCP server `gti`; did you mean `git`?");
    assert_eq!((server.requests().len(), started(&home)), (0, vec![]));
    // As a subagent it is left out.
    write_agent(&home, "boss", "mcp: []\n");
    let ran = home.ran_with(&server, &["run", "--agent", "boss", "Go"]).ends(0);
    ran.says("mcp[1]: there is no MCP server `gti`");
    assert!(!server.requests()[0].asked.tools.contains(&"spawn_subagent".to_owned()));
}

#[test]
fn s18_16_a_session_goes_on_with_no_more_servers_than_its_agent_had() {
    let home = home();
    write_agent(&home, "viewer", "mcp: [git]\n");
    let (tools, ran) = offered(&home, &["--json", "--agent", "viewer"]);
    assert_eq!(tools, ["git_env"]);
    let session = ran.ends(0).session();
    for (front, tools) in [("mcp: [git, docs]\n", &["git_env"][..]), ("mcp: [docs]\n", &[])] {
        write_agent(&home, "viewer", front);
        let (offered, ran) = offered(&home, &["--session", &session]);
        assert_eq!(offered, tools, "{front}: {}", ran.err);
    }
    // A new session has what the file says now.
    assert_eq!(offered(&home, &["--agent", "viewer"]).0, ["docs_env"]);
}

#[test]
fn s18_16_an_agent_of_a_project_names_servers_that_the_settings_have() {
    let home = Home::untrusted();
    write_server(&home);
    home.file("work/legwork.toml", "[mcp.my]\ncommand = [\"sh\", \"server.sh\"]\n");
    home.file("work/.legwork/agents/a.md", &agent("a", "mcp: [my]\ntools: [my_env]\n", "Work."));
    // They are looked at, though they are not used yet.
    let ran = home.ran(&["agents", "check"]).ends(0);
    assert_eq!(ran.out, "1 agent, 0 skills: nothing is wrong\n");
    home.ran(&["trust", "add"]).ends(0);
    assert_eq!(offered(&home, &["--agent", "a"]).0, ["my_env"]);
    fs::remove_file(home.work().join("legwork.toml")).unwrap();
    let server = Server::start([Turn::text("Done.")]).unwrap();
    home.ran_with(&server, &["run", "--agent", "a", "Go"]).ends(2).says("cannot be used");
    let ran = home.ran(&["agents", "check"]).ends(1);
    assert!(ran.out.contains("mcp[0]: there is no MCP server `my`"), "{}", ran.out);
}

#[test]
fn s18_16_show_tells_the_servers_of_an_agent() {
    let home = home();
    for (front, line) in [
        ("", "\nmcp           docs, git, un\n"),
        ("mcp: [git]\n", "\nmcp           git\n"),
        ("mcp: []\n", "\nmcp           none\n"),
    ] {
        write_agent(&home, "viewer", front);
        let shown = home.ran(&["agents", "show", "viewer"]).ends(0);
        assert!(shown.out.contains(line), "{front}: {}", shown.out);
    }
    write_agent(&home, "viewer", "mcp: [git]\n");
    let shown = home.ran(&["agents", "show", "viewer", "--json"]).ends(0).last();
    assert_eq!((&shown["mcp"], &shown["definition"]["mcp"]), (&json!(["git"]), &json!(["git"])));
    let markdown = home.ran(&["agents", "show", "viewer", "--markdown"]).ends(0).out;
    assert!(markdown.contains("mcp:\n- git\n"), "{markdown}");
}
