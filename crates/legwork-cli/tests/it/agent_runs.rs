//! `legwork run --agent`: what an agent of a file decides, and what it may not.

use legwork_testkit::{Asked, Script, Server, Turn};
use serde_json::{Value, json};

use crate::agents::agent;
use crate::home::Home;

/// A server of one answer, and what it is asked.
fn server() -> Server {
    Server::start(Script::from_fn(|_| Turn::text("Done."))).unwrap()
}

/// All that a server was asked, in order.
pub(crate) fn asked_all(server: &Server) -> Vec<Asked> {
    server.requests().into_iter().map(|request| request.asked).collect()
}

fn asked(server: &Server, at: usize) -> Asked {
    asked_all(server)[at].clone()
}

#[test]
fn an_agent_decides_instructions_model_tools_and_limits() {
    let home = Home::new();
    home.file("work/AGENTS.md", "Use tabs.");
    let front = "model: test:reviewer\ntools: [read, list, spawn_subagent]\nbudget: {steps: 3, tool_calls: 9}\n";
    home.file(".config/legwork/agents/reviewer.md", &agent("reviewer", front, "Be strict."));
    let server = server();
    let ran = home.ran_with(&server, &["run", "--json", "--agent", "reviewer", "Go"]).ends(0);
    let told = asked(&server, 0);
    assert_eq!(
        (told.model.as_str(), told.tools.as_slice()),
        ("reviewer", &["read", "list"].map(String::from)[..])
    );
    assert!(told.instructions.starts_with("Be strict.\n\nWorkspace: "), "{}", told.instructions);
    assert!(
        told.instructions.contains("Use tabs.") && !told.instructions.contains("You are Legwork")
    );
    let id = ran.session();
    let shown = home.ran(&["sessions", "show", &id, "--json"]).ends(0);
    assert!(shown.out.contains("\"tool_calls\":9"), "{}", shown.out);
    // Flags go before.
    let args = ["run", "--agent", "reviewer", "--model", "test:mine", "--tools", "list,bash", "Go"];
    home.ran_with(&server, &args).ends(0);
    let told = asked(&server, 1);
    assert_eq!((told.model.as_str(), told.tools.as_slice()), ("mine", &["list".to_owned()][..]));
}

#[test]
fn without_the_flag_nothing_is_otherwise() {
    let home = Home::new();
    home.file(
        "work/.legwork/agents/legwork.md",
        &agent("legwork", "model: test:other\n", "Be bad."),
    );
    home.file("work/.legwork/agents/broken.md", "---\n");
    home.file("work/.legwork/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Reads PDF\n---\n");
    let server = server();
    let ran = home.ran_with(&server, &["run", "--json", "Go"]).ends(0);
    let told = asked(&server, 0);
    assert!(told.instructions.starts_with("You are Legwork") && !told.instructions.contains("pdf"));
    assert_eq!((told.model.as_str(), told.tools.len(), ran.err.as_str()), ("scripted", 8, ""));
}

#[test]
fn an_agent_that_is_not_there_or_wrong_runs_nothing() {
    let home = Home::new();
    home.file("work/.legwork/agents/reviewer.md", &agent("reviewer", "tools: [raed]\n", ""));
    home.file("work/.legwork/agents/bad.md", "---\nname: bad\n---\n");
    let server = server();
    let run = |name: &str| home.ran_with(&server, &["run", "--agent", name, "Go"]).ends(2);
    run("reviewr").says("there is no agent \"reviewr\"").says("did you mean `reviewer`?");
    run("reviewer").says("tools[0]: there is no tool `raed`; did you mean `read`?");
    run("bad").says("cannot be used").says("bad.md").says("description");
    run("./none.md").says("cannot be read");
    run("").says("there is no agent \"\"");
    assert_eq!(asked_all(&server).len(), 0);
    assert!(!home.store().exists());
}

#[test]
fn a_file_may_be_named_itself_and_folders_be_given() {
    let home = Home::new();
    home.file("work/x.yaml", "name: x\ndescription: X\ninstructions: By file.\n");
    home.file("more/y.md", &agent("y", "", "By folder."));
    let server = server();
    home.ran_with(&server, &["run", "--agent", "x.yaml", "Go"]).ends(0);
    home.ran_with(&server, &["run", "--agents-dir", "../more", "--agent", "y", "Go"]).ends(0);
    assert!(asked(&server, 0).instructions.starts_with("By file."));
    assert!(asked(&server, 1).instructions.starts_with("By folder."));
}

#[test]
fn a_session_goes_on_with_its_agent() {
    let home = Home::new();
    let front = "model: test:small\ntools: [list]\nbudget: {steps: 1}\n";
    let file = home.file(".config/legwork/agents/a.md", &agent("a", front, "Be a."));
    let script = |asked: &Asked| match asked.turn() {
        0 => Turn::call("list", json!({})),
        _ => Turn::text("Done."),
    };
    let server = Server::start(Script::from_fn(script)).unwrap();
    let id = home.ran_with(&server, &["run", "--json", "--agent", "a", "Go"]).ends(3).session();
    // By now it says more: instructions are told anew, nothing else is taken.
    let front = "model: test:large\nbudget: {steps: 99}\n";
    home.file(".config/legwork/agents/a.md", &agent("a", front, "Be b."));
    home.ran_with(&server, &["resume", &id]).ends(3);
    home.ran_with(&server, &["resume", &id, "--max-steps", "5"]).ends(0);
    let told = asked(&server, 1);
    assert_eq!((told.model.as_str(), told.tools.as_slice()), ("small", &["list".to_owned()][..]));
    assert!(told.instructions.starts_with("Be b."));
    std::fs::rename(&file, file.with_file_name("a.txt")).unwrap();
    let again = ["run", "--session", &id, "More"];
    home.ran_with(&server, &again)
        .ends(2)
        .says("which the session was begun with, no longer exists")
        .says("--agent");
    home.file(".config/legwork/agents/a.md", "---\nname: a\n---\n");
    home.ran_with(&server, &again).ends(2).says("cannot be used").says("description");
    home.file(".config/legwork/agents/b.md", &agent("b", "", "Be other."));
    home.ran_with(&server, &["run", "--session", &id, "--agent", "b", "More"]).ends(0);
    let told = asked_all(&server).pop().unwrap();
    assert!(told.instructions.starts_with("Be other.") && told.tools == ["list"], "{told:?}");
}

#[test]
fn a_project_may_not_widen_what_the_person_said() {
    let home = Home::new();
    home.settings("budget.steps = 1\n");
    let front = "model: test:theirs\nbudget: {steps: 50, usd: 100}\nmetadata: {cli: {sandbox: \"off\", allow_paths: [/]}}\n";
    home.file("work/.legwork/agents/a.md", &agent("a", front, "Be a."));
    let script = |asked: &Asked| match asked.turn() {
        0 => Turn::call("list", json!({})),
        _ => Turn::text("Done."),
    };
    let server = Server::start(Script::from_fn(script)).unwrap();
    // The environment names the model here, and that is the person's word.
    let args = ["run", "--json", "--agent", "a", "--max-tokens", "100000", "Go"];
    let ran = home.ran_with(&server, &args);
    assert_eq!(ran.code, Some(2), "{} {}", ran.out, ran.err);
    home.file("work/.legwork/agents/a.md", &agent("a", &front.replace(", usd: 100", ""), "Be a."));
    let ran = home.ran_with(&server, &args).ends(3);
    assert_eq!(ran.last()["stop_reason"], "steps_limit");
    assert_eq!(asked(&server, 0).model, "scripted");
    let state = home.ran(&["sessions", "show", &ran.session(), "--json"]).ends(0).out;
    assert!(!state.contains("allow_paths\":[\"/\"]},\"key\":\"cli\""), "{state}");
    let cli: Vec<Value> = state
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|line| line.to_string().contains("\"key\":\"cli\""))
        .collect();
    assert!(cli.iter().all(|line| !line.to_string().contains("\"off\"")), "{cli:?}");
    // The same agent of the person's own may say more.
    let own = front.replace(", usd: 100", "");
    home.file(".config/legwork/agents/b.md", &agent("b", &own.replace("theirs", "mine"), "Be b."));
    home.ran_with(&server, &["run", "--agent", "b", "Go"]).ends(0);
    assert_eq!(asked_all(&server).pop().unwrap().model, "mine");
}

#[test]
fn capabilities_that_open_nothing_are_given_and_others_refused() {
    let home = Home::new();
    let tasks = "tools: [list]\ncapabilities: [tasks, history]\n";
    home.file("work/.legwork/agents/b.md", &agent("b", tasks, ""));
    let able = self::server();
    home.ran_with(&able, &["run", "--agent", "b", "Go"]).ends(0);
    home.file("work/.legwork/agents/b.md", &agent("b", &tasks.replace("tools: [list]\n", ""), ""));
    home.ran_with(&able, &["run", "--agent", "b", "Go"]).ends(0);
    assert_eq!(asked(&able, 0).tools, ["list"]);
    assert!(asked(&able, 1).tools.contains(&"update_tasks".to_owned()));
    let front = "capabilities: [{name: bash, settings: {sandbox: \"off\"}}]\n";
    home.file("work/.legwork/agents/a.md", &agent("a", front, ""));
    let server = server();
    let ran = home.ran_with(&server, &["run", "--agent", "a", "Go"]).ends(2);
    ran.says("capabilities[0]: `bash` cannot be installed");
}
