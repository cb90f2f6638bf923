//! The words of a journal: tasks, answers, tool arguments and results.

use legwork::core::{Entry, Event, Response, Seq};
use serde::Serialize;

/// The kind of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    Task,
    Answer,
    Arguments,
    Result,
    Error,
}

/// The text of an entry, and the step that it belongs to.
#[derive(Debug)]
pub(super) struct Words {
    pub(super) entry: Seq,
    /// The step, counted over all of the session; none before the first.
    pub(super) step: u64,
    pub(super) kind: Kind,
    pub(super) text: String,
}

impl Kind {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Answer => "answer",
            Self::Arguments => "call",
            Self::Result => "result",
            Self::Error => "error",
        }
    }
}

/// The words of all entries, also of branches that were left, one entry at a time.
pub(super) fn all<'j>(entries: impl IntoIterator<Item = &'j Entry>) -> impl Iterator<Item = Words> {
    let (mut step, mut open) = (0, false);
    entries.into_iter().flat_map(move |entry| {
        match &entry.event {
            Event::InferenceStarted(_) if !open => (step, open) = (step + 1, true),
            Event::StepFinished(_) => open = false,
            _ => {}
        }
        let words = words(&entry.event);
        words.into_iter().map(move |(kind, text)| Words { entry: entry.seq, step, kind, text })
    })
}

fn words(event: &Event) -> Vec<(Kind, String)> {
    match event {
        Event::ExecutionStarted(started) => {
            started.input.iter().map(|message| (Kind::Task, message.text())).collect()
        }
        Event::Steered(message) | Event::FollowedUp(message) | Event::MessageAdded(message) => {
            vec![(Kind::Task, message.text())]
        }
        Event::Responded(body) => response(&body.response),
        Event::ResponseChanged(body) => response(&body.response),
        Event::ToolFinished(body) => vec![(Kind::Result, body.outcome.to_text())],
        Event::ToolChanged(body) => vec![(Kind::Result, body.outcome.to_text())],
        Event::InferenceFailed(body) => vec![(Kind::Error, body.error.message.clone())],
        Event::Failed(error) => vec![(Kind::Error, error.message.clone())],
        _ => Vec::new(),
    }
}

fn response(response: &Response) -> Vec<(Kind, String)> {
    let calls = response.message.tool_calls();
    // Arguments are searched as they were meant, not as JSON escapes them.
    let calls = calls.map(|call| {
        let parsed = call.parse();
        let text = parsed.map_or_else(|_| call.arguments.to_string(), |value| plain(&value));
        (Kind::Arguments, format!("{} {text}", call.name))
    });
    std::iter::once((Kind::Answer, response.text())).chain(calls).collect()
}

/// The values of arguments, one a line: text as it is, all else as JSON.
fn plain(arguments: &serde_json::Value) -> String {
    let line = |(name, value): (&String, &serde_json::Value)| match value.as_str() {
        Some(text) => format!("{name}: {text}"),
        None => format!("{name}: {value}"),
    };
    match arguments.as_object() {
        Some(fields) => fields.iter().map(line).collect::<Vec<_>>().join("\n"),
        None => arguments.to_string(),
    }
}
