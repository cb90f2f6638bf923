//! The model: each answer is a function of the request, so a run that resumes is given the same.

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
    let since = &asked.messages[at..];
    let turn = since.iter().filter(|said| said.role == Role::Assistant).count();
    match (&*since[0].text, turn) {
        (FAIR, 0) => calls(&[("look", "a"), ("write", "1"), ("look", "b"), ("write", "2")]),
        (FAIR, 1) => calls(&[("ring", "3")]),
        (FAIR, 2) => calls(&[("pay", "4"), ("look", "c"), ("write", "5")]),
        (FAIR, 3) => {
            let errand = json!({"agent": "helper", "prompt": ERRAND});
            Turn::calls([("spawn_subagent", errand), ("put", json!({"what": "put 6"}))])
        }
        (ERRAND, 0) => calls(&[("write", "7"), ("look", "d")]),
        (MUSIC, 0) => calls(&[("write", "8"), ("write", "9")]),
        (DANCE, 0) => calls(&[("write", "10"), ("look", "e")]),
        (DANCE, 1) => calls(&[("put", "11")]),
        (PLAYS, 0) => calls(&[("look", "f"), ("write", "12")]),
        (task, _) => Turn::text(format!("{task} is over. {}", heard(asked))),
    }
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
    let heard = asked.messages.iter().filter(|said| words(said)).map(|said| &*said.text);
    format!("I heard: {}", heard.collect::<Vec<_>>().join("; "))
}
