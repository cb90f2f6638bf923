//! The events of a run, shown as they come.

use legwork_agent::capability::{Tasks, tasks};
use legwork_core::event::MetadataSet;
use legwork_core::metadata::Metadata;
use legwork_core::{Entry, Event, SessionId, ToolCall, ToolOutcome};
use legwork_port::event::Committed;
use legwork_port::{EventKind, Observer, RunEvent};
use serde_json::{Value, json};

use super::Editor;
use super::call::{self, Shown, kind_of, title_of};
use super::change::changes;
use crate::wire::update::{Speaker, text_block};

impl Observer for Editor {
    fn observe(&self, event: &RunEvent) {
        let Some(session) = &event.session else { return };
        let is_root = event.path.is_empty();
        let of = event.path.join("/");
        match &event.kind {
            EventKind::TextDelta { text } if is_root => {
                self.lock().speaks = true;
                self.says(Speaker::Agent, text);
            }
            EventKind::ThinkingDelta { text } if is_root => self.says(Speaker::Thought, text),
            EventKind::InferenceRetried { discarded: true, .. } if is_root => {
                self.notes("the answer broke off, and is asked for again");
            }
            EventKind::InferenceStarted { .. } if is_root => self.separates(),
            EventKind::InferenceFinished { usage: Some(usage), .. } if is_root => {
                self.lock().tokens = Some(usage.input.saturating_add(usage.output));
            }
            EventKind::ToolStarted { index, call } => {
                let shown = self.begun(&of, call, "in_progress");
                let id = self.shows_call(session, call, shown);
                self.lock().running.insert((session.clone(), *index), id);
            }
            EventKind::ToolProgress { index, message, .. } => {
                self.progresses(session, *index, message)
            }
            EventKind::ToolFinished { call, outcome, metadata, .. } => {
                self.finishes((session, &of), call, outcome, metadata);
            }
            EventKind::Committed(committed) if is_root => self.committed(committed),
            _ => {}
        }
    }
}

impl Editor {
    /// Keeps an answer apart from the one before, if no call stands between them.
    fn separates(&self) {
        let spoke = std::mem::take(&mut self.lock().speaks);
        if spoke {
            self.says(Speaker::Agent, "\n\n");
        }
    }

    /// A call that did not end yet.
    pub(crate) fn begun(&self, of: &str, call: &ToolCall, status: &'static str) -> Shown {
        let input = call.parse().unwrap_or_else(|_| Value::String(call.arguments.to_string()));
        let path = input.get("path").and_then(Value::as_str).map(|path| self.absolute(path));
        let title = match of.is_empty() {
            true => title_of(call),
            false => format!("{of}: {}", title_of(call)),
        };
        let locations = path.into_iter().map(|path| json!({"path": path})).collect();
        let kind = kind_of(&call.name);
        Shown { title, kind, status, locations, input: Some(input), ..Shown::default() }
    }

    fn progresses(&self, session: &SessionId, index: u32, message: &str) {
        let id = self.lock().running.get(&(session.clone(), index)).cloned();
        if let Some(id) = id {
            let content = json!([{"type": "content", "content": text_block(message)}]);
            self.changes_call(json!({"toolCallId": id, "content": content}));
        }
    }

    /// Shows how a call ended.
    pub(crate) fn finishes(
        &self,
        (session, of): (&SessionId, &str),
        call: &ToolCall,
        outcome: &ToolOutcome,
        metadata: &Metadata,
    ) {
        let status = if outcome.is_ok() { "completed" } else { "failed" };
        let (mut content, places) = changes(metadata, |path| self.absolute(path));
        // The text of such a result repeats what the diff shows.
        if content.is_empty() || kind_of(&call.name) != "edit" {
            content.extend(call::blocks(&outcome.for_model()));
        }
        let begun = self.begun(of, call, status);
        let locations = if places.is_empty() { begun.locations } else { places };
        let output = outcome.output().map(legwork_core::tool::Output::to_value);
        let shown = Shown { content: Some(content), locations, output, ..begun };
        self.ends_call(session, call, shown);
    }

    fn committed(&self, committed: &Committed) {
        committed.entries.iter().for_each(|entry| self.happened(entry));
        let mut now = self.lock();
        let Some(size) = now.window else { return };
        let Some(used) = now.tokens.take() else { return };
        drop(now);
        let mut update = json!({"sessionUpdate": "usage_update", "used": used, "size": size});
        let cost = committed.ledger.lifetime.cost.0;
        if let Some(update) = update.as_object_mut().filter(|_| cost > 0) {
            let amount = cost as f64 / 1e6;
            update.insert("cost".to_owned(), json!({"amount": amount, "currency": "USD"}));
        }
        self.update(&update);
    }

    /// Shows what others said to the session, and the list of tasks.
    fn happened(&self, entry: &Entry) {
        match &entry.event {
            Event::Steered(message) | Event::FollowedUp(message) => {
                self.says(Speaker::User, &message.text());
            }
            Event::MetadataSet(set) => self.plans(set),
            _ => {}
        }
    }

    /// Shows the tasks of the agent, if that is what was set.
    pub(crate) fn plans(&self, set: &MetadataSet) {
        let value = set.value.clone().filter(|_| set.key == tasks::KEY);
        let Some(tasks) = value.and_then(|value| serde_json::from_value::<Tasks>(value).ok())
        else {
            return;
        };
        let entry = |task: &tasks::Task| {
            let status = match task.state {
                tasks::TaskState::Done => "completed",
                tasks::TaskState::InProgress => "in_progress",
                _ => "pending",
            };
            json!({"content": task.title, "priority": "medium", "status": status})
        };
        let entries = tasks.tasks.iter().map(entry).collect::<Vec<_>>();
        self.update(&json!({"sessionUpdate": "plan", "entries": entries}));
    }
}
