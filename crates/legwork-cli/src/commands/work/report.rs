//! What a worker does, for people and for programs.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use legwork::agent::Rest;
use legwork::core::SessionId;
use legwork::worker::{Failure, WorkerEvent};
use serde_json::{Value, json};

use crate::commands::{print, print_json};
use crate::display::text::{count, time, visible};

/// Prints what happens: lines for people, or JSON.
#[derive(Debug)]
pub(in crate::commands) struct Report {
    json: bool,
    /// The sessions of other agents that were reported: they stay due, and are reported once.
    left: Mutex<BTreeSet<SessionId>>,
}

impl Report {
    pub(in crate::commands) fn new(json: bool) -> Self {
        Self { json, left: Mutex::default() }
    }

    /// Prints an event. A reader that is gone does not end the work.
    pub(in crate::commands) fn event(&self, event: &WorkerEvent<'_>) {
        if self.json {
            let _ = print_json(&format!("{}\n", line(event)));
        } else if let Some(text) = words(event).filter(|_| self.is_news(event)) {
            let _ = print(&format!("{text}\n"));
        }
    }

    fn is_news(&self, event: &WorkerEvent<'_>) -> bool {
        let WorkerEvent::Failed { session, failure: Failure::NoAgent(_), .. } = event else {
            return true;
        };
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.insert((*session).clone())
    }
}

/// An event in words.
fn words(event: &WorkerEvent<'_>) -> Option<String> {
    Some(match event {
        WorkerEvent::Failed { session, failure: Failure::NoAgent(agent), .. } => {
            let agent = agent.as_ref().map_or("?", |agent| agent.as_str());
            let (session, agent) = (visible(session.as_str()), visible(agent));
            format!("{session}  left to other workers: its agent is {agent}")
        }
        WorkerEvent::Began(due) => format!("{}  begins", visible(due.session.as_str())),
        WorkerEvent::Rested { session, rest } => {
            format!("{}  {}", visible(session.as_str()), stands(rest))
        }
        WorkerEvent::TakenOver { session } => {
            format!("{}  another process took it over", visible(session.as_str()))
        }
        WorkerEvent::Failed { session, failure, wait } => {
            let (session, wait) = (visible(session.as_str()), time(*wait));
            format!("{session}  not run, left alone for {wait}: {}", visible(&failure.to_string()))
        }
        WorkerEvent::StoreFailed { error, wait } => {
            format!(
                "the store cannot be asked, again in {}: {}",
                time(*wait),
                visible(&error.to_string())
            )
        }
        WorkerEvent::Stopping { sessions } => {
            format!("stopping: {} to rest", count(*sessions as u64, "session"))
        }
        _ => return None,
    })
}

/// How a session rests, in words.
fn stands(rest: &Rest) -> String {
    match rest {
        Rest::Completed => "completed".to_owned(),
        Rest::Stopped => "stopped".to_owned(),
        Rest::Failed => "failed".to_owned(),
        Rest::Cancelled => "cancelled".to_owned(),
        Rest::AwaitingAnswer { calls, .. } => {
            format!("waits for an answer to {}", count(calls.len() as u64, "call"))
        }
        Rest::AwaitingUntil(time) => format!("waits until {time}"),
        Rest::Suspended => "suspended".to_owned(),
        Rest::Interrupted => "rests between two steps".to_owned(),
        _ => "rests".to_owned(),
    }
}

/// An event for programs.
fn line(event: &WorkerEvent<'_>) -> Value {
    let millis = |wait: &Duration| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
    match event {
        WorkerEvent::Began(due) => {
            json!({"type": "began", "session": due.session, "agent": due.agent})
        }
        WorkerEvent::Rested { session, rest } => json!({
            "type": "rested", "session": session, "rest": name(rest), "until": rest.until(),
        }),
        WorkerEvent::TakenOver { session } => json!({"type": "taken_over", "session": session}),
        WorkerEvent::Failed { session, failure, wait } => json!({
            "type": "failed", "session": session, "error": failure.to_string(),
            "wait_ms": millis(wait),
        }),
        WorkerEvent::StoreFailed { error, wait } => {
            json!({"type": "store_failed", "error": error.to_string(), "wait_ms": millis(wait)})
        }
        WorkerEvent::Stopping { sessions } => json!({"type": "stopping", "sessions": sessions}),
        _ => json!({"type": "other"}),
    }
}

fn name(rest: &Rest) -> &'static str {
    match rest {
        Rest::Idle => "idle",
        Rest::Completed => "completed",
        Rest::Stopped => "stopped",
        Rest::Failed => "failed",
        Rest::Cancelled => "cancelled",
        Rest::AwaitingAnswer { .. } => "awaiting_answer",
        Rest::AwaitingUntil(_) => "awaiting_until",
        Rest::Suspended => "suspended",
        Rest::Busy => "busy",
        _ => "interrupted",
    }
}
