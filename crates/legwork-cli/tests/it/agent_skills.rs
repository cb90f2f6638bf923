//! Skills and subagents of agents that are run by the command.

use legwork_testkit::{Asked, Script, Server, Turn};
use serde_json::json;

use crate::agent_runs::asked_all;
use crate::agents::agent;
use crate::home::{Home, started, text};

fn skill(front: &str, body: &str) -> String {
    format!("---\nname: pdf\ndescription: Reads PDF\n{front}---\n\n{body}\n")
}

fn using_a_skill(asked: &Asked) -> Turn {
    match asked.turn() {
        0 => Turn::call("load_skill", json!({"name": "pdf", "arguments": "a.pdf"})),
        1 => Turn::call("write", json!({"path": "x", "content": "x"})),
        2 => Turn::call("read", json!({"path": "notes.txt"})),
        _ => Turn::text("Done."),
    }
}

#[test]
fn a_skill_of_the_user_is_loaded_held_and_its_files_are_readable() {
    let home = Home::new();
    home.file(".config/legwork/agents/a.md", &agent("a", "skills: [pdf]\n", "Be a."));
    let front = "allowed-tools: Read\nmodel: test:deep\n";
    home.file(".config/legwork/skills/pdf/SKILL.md", &skill(front, "Open $1."));
    let file = home.file(".config/legwork/skills/pdf/notes.txt", "Noted.");
    let path = file.canonicalize().unwrap();
    let server = Server::start(Script::from_fn(move |asked| match asked.turn() {
        2 => Turn::call("read", json!({"path": path})),
        _ => using_a_skill(asked),
    }))
    .unwrap();
    home.ran_with(&server, &["run", "--agent", "a", "Go"]).ends(0);
    let asked = asked_all(&server);
    let models: Vec<_> = asked.iter().map(|asked| asked.model.as_str()).collect();
    assert_eq!(models, ["scripted", "deep", "deep", "deep"]);
    assert!(asked[0].instructions.contains("- pdf: Reads PDF"));
    assert!(asked[1].last().contains("Open a.pdf.") && asked[1].last().contains("- notes.txt"));
    assert_eq!(asked[1].tools, ["read", "load_skill"]);
    assert!(!home.work().join("x").exists());
    assert!(asked[3].last().contains("Noted."), "{}", asked[3].last());
}

#[test]
fn a_skill_holds_after_a_kill_and_the_session_keeps_its_own_model() {
    let home = Home::new();
    home.file("work/.legwork/agents/a.md", &agent("a", "skills: [pdf]\n", "Be a."));
    let front = "allowed-tools: Read\nmodel: test:deep\n";
    home.file("work/.legwork/skills/pdf/SKILL.md", &skill(front, "Open $1."));
    let server = Server::start(Script::from_fn(using_a_skill)).unwrap();
    server.hold(2);
    let mut running = started(home.with(&server, &["run", "--json", "--agent", "a", "Go"]));
    let id = text(&running.until("tool_finished"), "session");
    server.arrived_blocking(2);
    running.kill();
    server.release(2);
    home.ran_with(&server, &["resume", &id]).ends(0);
    let asked = asked_all(&server);
    let models: Vec<_> = asked.iter().map(|asked| asked.model.as_str()).collect();
    // The third request was cut off, and asked again of the same model.
    assert_eq!(models, ["scripted", "deep", "deep", "deep", "deep"]);
    assert!(asked.iter().skip(1).all(|asked| asked.tools == ["read", "load_skill"]));
    assert!(!home.work().join("x").exists());
    home.ran_with(&server, &["run", "--session", &id, "More"]).ends(0);
    assert_eq!(asked_all(&server).pop().unwrap().model, "scripted");
}

/// A model that leads by spawning `counter`, and counts to 42.
pub(super) fn delegating() -> Server {
    Server::start(Script::from_fn(|asked: &Asked| {
        match (asked.turn(), asked.instructions.starts_with("Lead.")) {
            (0, true) => {
                Turn::call("spawn_subagent", json!({"agent": "counter", "prompt": "Count"}))
            }
            _ => Turn::text("42"),
        }
    }))
    .unwrap()
}

#[test]
fn other_agents_are_subagents_and_a_wrong_one_is_told() {
    let home = Home::new();
    home.file(".config/legwork/agents/boss.md", &agent("boss", "", "Lead."));
    home.file(
        ".config/legwork/agents/counter.md",
        &agent("counter", "model: test:small\ntools: [list]\n", "Count."),
    );
    home.file(".config/legwork/agents/lost.md", &agent("lost", "skills: [none-such]\n", ""));
    let server = delegating();
    let ran = home.ran_with(&server, &["run", "--agent", "boss", "Go"]).ends(0);
    ran.says("lost.md:4: skills[0]: there is no skill `none-such`");
    let asked = asked_all(&server);
    let models: Vec<_> = asked.iter().map(|asked| asked.model.as_str()).collect();
    assert_eq!(models, ["scripted", "small", "scripted"]);
    assert_eq!(asked[1].tools, ["list"]);
    assert!(
        asked[1].instructions.starts_with("Count.\n\nWorkspace: "),
        "{}",
        asked[1].instructions
    );
}

#[test]
fn models_that_came_after_the_beginning_are_not_asked() {
    let home = Home::new();
    home.file(
        "work/.legwork/agents/boss.md",
        &agent("boss", "tools: [spawn_subagent, list]\n", "Lead."),
    );
    home.file(
        "work/.legwork/agents/counter.md",
        &agent("counter", "model: test:small\n", "Count."),
    );
    let server = Server::start(Script::from_fn(|asked: &Asked| match asked.turn() {
        0 => Turn::call("list", json!({})),
        _ => Turn::text("42"),
    }))
    .unwrap();
    let args = ["run", "--json", "--agent", "boss", "--max-steps", "1", "Go"];
    let id = home.ran_with(&server, &args).ends(3).session();
    home.file("work/.legwork/agents/counter.md", &agent("counter", "model: test:evil\n", "Count."));
    let ran = home.ran_with(&server, &["resume", &id, "--max-steps", "5"]).ends(0);
    ran.says("`test:evil` cannot be used: it was not there when the session began");
    let last = asked_all(&server).pop().unwrap();
    assert!(!last.tools.contains(&"spawn_subagent".to_owned()), "{:?}", last.tools);
}
