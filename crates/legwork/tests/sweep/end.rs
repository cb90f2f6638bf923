//! How a run ended, without what differs from run to run.
//!
//! Numbers of entries, times, ids of subagents' sessions and what was used differ. A call of class
//! `Once(Tell)` that was cut off between its intent and its outcome is told to the model as
//! interrupted: its effect may be there or not, and its result counts as the one of the
//! undisturbed run. Everything else is equal.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use legwork::core::journal::Journal;
use legwork::core::{Event, Message, Part, SessionId, ToolCall, ToolOutcome};
use legwork::port::store::Query;
use legwork_testkit::invariants;
use serde_json::Value;

use crate::child::{TOLD, done};
use crate::place::Place;
use crate::{listed, sound, world};

/// What came of all sessions and of the world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct End {
    sessions: BTreeMap<String, Session>,
    /// What happened, or was told as interrupted.
    effects: BTreeSet<String>,
}

/// What came of one session.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Session {
    /// As it is listed: title, labels and status.
    listed: (String, BTreeSet<String>, String),
    executions: usize,
    steps: usize,
    tool_calls: u64,
    items: usize,
    was_moved: bool,
    compactions: usize,
    /// The answers of the model, on all branches.
    answers: Vec<String>,
    /// The conversation on the path to the head.
    conversation: Vec<String>,
}

/// Reads the end of a run, and checks that the store is sound.
pub(crate) async fn read(place: &Place) -> Result<End, String> {
    let journals = sound::check(place).await?;
    invariants::of_tree(&journals).map_err(|broken| broken.to_string())?;
    let store = place.open()?;
    listed::catch_up(&*store, &journals).await?;
    let page = store.sessions(&Query::all()).await.map_err(|error| error.to_string())?;
    let mut interrupted = BTreeSet::new();
    let mut sessions = BTreeMap::new();
    for info in page.sessions {
        let summary = info.summary;
        let status = format!("{:?}", summary.status);
        let listed = (summary.title, summary.labels, status);
        let session =
            Session::of(&info.session, &journals[&info.session], listed, &mut interrupted);
        // A subagent's session has the number of an entry in its name.
        let name = info.session.as_str();
        let name = if name.contains('.') { "work.helper" } else { name };
        if sessions.insert(name.to_owned(), session).is_some() {
            return Err("there are two sessions of the subagent".to_owned());
        }
    }
    let effects = world::read(&place.effects());
    let effects = effects.into_iter().map(|effect| effect.what).chain(interrupted).collect();
    Ok(End { sessions, effects })
}

impl Session {
    fn of(
        id: &SessionId,
        journal: &Journal,
        listed: (String, BTreeSet<String>, String),
        interrupted: &mut BTreeSet<String>,
    ) -> Self {
        let state = journal.fold(id);
        let own = journal.entries().iter().filter(|entry| !state.facts().is_copied(entry.seq));
        let own: Vec<_> = own.map(|entry| &entry.event).collect();
        interrupted.extend(told(&own));
        let count = |is_it: fn(&Event) -> bool| own.iter().filter(|event| is_it(event)).count();
        let answers = own.iter().filter_map(|event| match event {
            Event::Responded(responded) => Some(answer(&responded.response.message)),
            _ => None,
        });
        Self {
            listed,
            executions: count(|event| matches!(event, Event::ExecutionFinished(_))),
            steps: count(|event| matches!(event, Event::StepFinished(_))),
            tool_calls: state.ledger().lifetime.tool_calls,
            items: count(|event| matches!(event, Event::Steered(_))),
            was_moved: count(|event| matches!(event, Event::HeadMoved(_))) > 0,
            compactions: count(|event| matches!(event, Event::Compacted(_))),
            answers: answers.collect(),
            conversation: conversation(state.context().transcript.messages().iter()),
        }
    }
}

/// A message as a line: its text, and what it calls.
fn answer(message: &Message) -> String {
    let calls = message.tool_calls().map(|call| format!("{}({})", call.name, call.arguments));
    let calls: Vec<_> = calls.collect();
    format!("{:?}: {}{}", message.role, message.text(), calls.join(", "))
}

/// All messages and results, those of calls that were told as interrupted as if they were done.
fn conversation<'m>(messages: impl IntoIterator<Item = &'m Arc<Message>>) -> Vec<String> {
    let mut called = BTreeMap::new();
    let mut lines = Vec::new();
    for message in messages {
        called.extend(message.tool_calls().map(|call| (call.id.clone(), what(call))));
        let results = message.parts.iter().filter_map(|part| match part {
            Part::ToolResult(result) => Some(result),
            _ => None,
        });
        let before = lines.len();
        lines.extend(results.map(|result| {
            let what = &called[&result.call];
            let is_interrupted = result.parts == ToolOutcome::Interrupted.for_model();
            let text = match is_interrupted && TOLD.contains(&&*result.name) {
                true => done(what),
                false => result.text().into_owned(),
            };
            format!("{} {what}: {text}", result.name)
        }));
        if lines.len() == before {
            lines.push(answer(message));
        }
    }
    lines
}

/// The calls that were told to the model as interrupted, on all branches.
fn told(events: &[&Event]) -> BTreeSet<String> {
    let (mut calls, mut told) = (Vec::new(), BTreeSet::new());
    for event in events {
        match event {
            Event::Responded(responded) => {
                calls = responded.response.message.tool_calls().cloned().collect();
            }
            Event::ToolFinished(finished) if *finished.outcome == ToolOutcome::Interrupted => {
                told.insert(what(&calls[finished.index as usize]));
            }
            _ => {}
        }
    }
    told
}

/// What a call is to do.
fn what(call: &ToolCall) -> String {
    let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
    arguments["what"].as_str().unwrap_or_default().to_owned()
}

impl End {
    /// Whether all happened that the program is to do.
    pub(crate) fn is_whole(&self) -> bool {
        let told = |session: &Session| {
            let Session { executions, items, was_moved, compactions, .. } = session;
            (*executions, *items, *was_moved, *compactions)
        };
        let told: Vec<_> = self.sessions.iter().map(|(id, of)| (&**id, told(of))).collect();
        let fork = ("fork", (1, 0, false, 1));
        told == [fork, ("work", (3, 1, true, 1)), ("work.helper", (1, 0, false, 0))]
            && self.effects.len() == 12
    }

    /// What differs from the end of the undisturbed run.
    pub(crate) fn compare(&self, undisturbed: &Self) -> Result<(), String> {
        let [own, other] = [self, undisturbed].map(|end| format!("{end:#?}"));
        let lines = own.lines().zip(other.lines());
        match lines.enumerate().find(|(_, (own, other))| own != other) {
            None if own == other => Ok(()),
            None => Err(format!("it ends as\n{own}\ninstead of\n{other}")),
            Some((at, _)) => {
                let part = |text: &str| -> String {
                    let from = at.saturating_sub(8);
                    text.lines().skip(from).take(16).map(|line| format!("{line}\n")).collect()
                };
                Err(format!("it ends as\n{}instead of\n{}", part(&own), part(&other)))
            }
        }
    }
}
