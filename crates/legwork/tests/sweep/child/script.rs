//! The model: each answer is a function of the request, so a run that resumes is given the same.

use std::collections::BTreeSet;

use legwork::core::{Role, Usage};
use legwork::port::model::{Ability, Error, Kind, Profile};
use legwork_testkit::asked::Said;
use legwork_testkit::{Asked, Script, ScriptedModel, Turn};
use serde_json::{Value, json};

/// The tokens that the model may read.
const WINDOW: u64 = 100_000;

/// The words that a task begins with, and those of what is said in between.
const TASK: &str = "Task: ";
const STEERING: &str = "Steering: ";

/// What a summary begins with, and what the list of all that was heard begins with.
const SUMMARY: &str = "Summary of ";
const HEARD: &str = "I heard: ";

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
    let profile = Profile::new().with(Ability::Tools).with_context_window(WINDOW);
    ScriptedModel::new(Script::from_fn(answer)).with_profile(profile)
}

fn tokens(input: u64) -> Usage {
    Usage { input, output: 5, ..Usage::default() }
}

fn answer(asked: &Asked) -> Turn {
    let (task, since) = task(asked);
    let is_asked_for_summary = asked.messages.last().is_some_and(|last| {
        last.role == Role::User && !is_said(last) && !last.text.contains(SUMMARY)
    });
    if is_asked_for_summary {
        return Turn::text(format!("{SUMMARY}{task}. {}", heard(asked)));
    }
    let is_summarised = asked.messages.iter().any(|said| said.text.contains(SUMMARY));
    match (&*task, &*last_called(since)) {
        (FAIR, "") => calls(&[("look", "a"), ("write", "1"), ("seal", "2"), ("look", "b")]),
        (FAIR, "look b") => calls(&[("ring", "3")]),
        (FAIR, "ring 3") => calls(&[("pay", "4"), ("look", "c"), ("write", "5")]),
        (FAIR, "write 5") => {
            let errand = json!({"agent": "helper", "prompt": ERRAND});
            Turn::calls([("spawn_subagent", errand), ("put", json!({"what": "put 6"}))])
        }
        (ERRAND, "") => calls(&[("write", "7"), ("look", "d")]),
        (MUSIC, "") => calls(&[("write", "8"), ("write", "9")]),
        // The provider counts more than the policy allows.
        (DANCE, "") => calls(&[("look", "e"), ("write", "10")]).with_usage(tokens(90_000)),
        (DANCE, "write 10") => calls(&[("put", "11")]),
        (PLAYS, "") => calls(&[("look", "f"), ("write", "12")]).with_usage(tokens(400)),
        // The provider refuses the conversation as too long.
        (PLAYS, "write 12") if !is_summarised => {
            Turn::error(Error::new(Kind::ContextOverflow, "the prompt is too long"))
        }
        (task, _) => Turn::text(format!("{task} is over. {}", heard(asked))),
    }
}

/// The task under way, and the messages since it was given; that of a summary where a compaction
/// left it out.
fn task(asked: &Asked) -> (String, &[Said]) {
    let is_task = |said: &Said| said.role == Role::User && said.text.starts_with(TASK);
    if let Some(at) = asked.messages.iter().rposition(is_task) {
        return (asked.messages[at].text.clone(), &asked.messages[at..]);
    }
    let summary = asked.messages.iter().find_map(|said| said.text.split_once(SUMMARY)).unwrap().1;
    (summary.split_once(". ").unwrap().0.to_owned(), &asked.messages)
}

/// Whether a user or a program said it, in place of the framework.
fn is_said(said: &Said) -> bool {
    said.text.starts_with(TASK) || said.text.starts_with(STEERING)
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
/// said in between and looked at, also before a summary.
fn heard(asked: &Asked) -> String {
    let of = |said: &Said| -> Vec<String> {
        if let Some((_, summary)) = said.text.split_once(SUMMARY) {
            let items = summary.lines().next().and_then(|line| line.split_once(HEARD));
            return items.map_or_else(Vec::new, |(_, items)| {
                items.split("; ").map(str::to_owned).collect()
            });
        }
        let counts = match said.role {
            Role::User => is_said(said),
            Role::Tool => said.text.starts_with(&seen("")),
            _ => false,
        };
        if counts { vec![said.text.clone()] } else { Vec::new() }
    };
    let heard: BTreeSet<_> = asked.messages.iter().flat_map(of).collect();
    format!("{HEARD}{}", heard.into_iter().collect::<Vec<_>>().join("; "))
}
