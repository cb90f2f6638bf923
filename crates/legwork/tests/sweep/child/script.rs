//! The model: each answer is a function of the request, so a run that resumes is given the same.

use std::collections::BTreeSet;

use legwork::core::Role;
use legwork_testkit::asked::Said;
use legwork_testkit::{Asked, Script, ScriptedModel, Turn};
use serde_json::{Value, json};

/// The words that a task begins with, and those of what is said in between.
const TASK: &str = "Task: ";
const STEERING: &str = "Steering: ";

/// The tasks of the program, and that of its subagent.
pub(super) const FAIR: &str = "Task: fair";
pub(super) const MUSIC: &str = "Task: music";
pub(super) const DANCE: &str = "Task: dance";
pub(super) const PLAYS: &str = "Task: plays";
const ERRAND: &str = "Task: errand";

/// What is said while the first task is under way.
pub(super) const CHAIRS: &str = "Steering: bring chairs";

/// The tools whose calls are told to the model as interrupted if a crash left them in doubt.
pub(crate) const TOLD: [&str; 2] = ["write", "seal"];

/// The result of a call that did something.
pub(crate) fn done(what: &str) -> String {
    format!("done: {what}")
}

/// The result of a call that looks at something.
pub(super) fn seen(what: &str) -> String {
    format!("seen: {what}")
}

pub(super) fn model() -> ScriptedModel {
    ScriptedModel::new(Script::from_fn(answer))
}

fn answer(asked: &Asked) -> Turn {
    let is_task = |said: &Said| said.role == Role::User && said.text.starts_with(TASK);
    let at = asked.messages.iter().rposition(is_task).unwrap();
    let (task, since) = (&*asked.messages[at].text, &asked.messages[at..]);
    match (task, &*last_called(since)) {
        (FAIR, "") => calls(&[("look", "a"), ("write", "1"), ("seal", "2"), ("look", "b")]),
        (FAIR, "look b") => calls(&[("ring", "3")]),
        (FAIR, "ring 3") => calls(&[("pay", "4"), ("look", "c"), ("write", "5")]),
        (FAIR, "write 5") => {
            let errand = json!({"agent": "helper", "prompt": ERRAND});
            Turn::calls([("spawn_subagent", errand), ("put", json!({"what": "put 6"}))])
        }
        (ERRAND, "") => calls(&[("write", "7"), ("look", "d")]),
        (MUSIC, "") => calls(&[("write", "8"), ("write", "9")]),
        (DANCE, "") => calls(&[("look", "e"), ("write", "10")]),
        (DANCE, "write 10") => calls(&[("put", "11")]),
        (PLAYS, "") => calls(&[("look", "f"), ("write", "12")]),
        (task, _) => Turn::text(format!("{task} is over. {}", heard(asked))),
    }
}

/// What the last call was to do; empty if there is none.
fn last_called(since: &[Said]) -> String {
    let last = since.iter().filter_map(|said| said.calls.last()).next_back();
    let arguments = last.and_then(|call| call.parse().ok()).unwrap_or_default();
    arguments["what"].as_str().unwrap_or_default().to_owned()
}

fn calls(all: &[(&str, &str)]) -> Turn {
    let call = |(tool, what): &(&str, &str)| -> (String, Value) {
        ((*tool).to_owned(), json!({"what": format!("{tool} {what}")}))
    };
    Turn::calls(all.iter().map(call))
}

/// All of the conversation that is the same however often the run was cut off: what was asked,
/// said in between and looked at.
fn heard(asked: &Asked) -> String {
    let words = |said: &Said| match said.role {
        Role::User => said.text.starts_with(TASK) || said.text.starts_with(STEERING),
        Role::Tool => said.text.starts_with(&seen("")),
        _ => false,
    };
    let heard: BTreeSet<_> =
        asked.messages.iter().filter(|said| words(said)).map(|said| &*said.text).collect();
    format!("I heard: {}", heard.into_iter().collect::<Vec<_>>().join("; "))
}
