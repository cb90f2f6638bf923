//! What a worker does, for people and for programs.

use std::time::Duration;

use legwork::agent::Rest;
use legwork::worker::WorkerEvent;
use serde_json::{Value, json};

use crate::commands::{print, print_json};
use crate::display::text::{count, time, visible};

/// Prints an event, in words or as a line of JSON.
pub(in crate::commands) fn report(event: &WorkerEvent<'_>, json: bool) {
    if json {
        // A reader that is gone does not end the work.
        let _ = print_json(&format!("{}\n", line(event)));
        return;
    }
    if let Some(text) = words(event) {
        let _ = print(&format!("{text}\n"));
    }
}

/// An event in words.
fn words(event: &WorkerEvent<'_>) -> Option<String> {
    Some(match event {
        WorkerEvent::Began(due) => format!("{}  begins", visible(due.session.as_str())),
        WorkerEvent::Rested { session, rest } => {
            format!("{}  {}", visible(session.as_str()), stands(rest))
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
