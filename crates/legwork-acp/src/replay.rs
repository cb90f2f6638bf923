//! An old conversation, told again.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::editor::Editor;
use crate::wire::update::{self, Speaker};
use legwork_core::journal::Journal;
use legwork_core::message::MediaSource;
use legwork_core::{AgentState, Event, Message, Part, ToolCall};

/// Tells the editor what was said and done on the path to the head.
pub(crate) fn replay(editor: &Editor, journal: &Journal, state: &AgentState) {
    let mut told = Told { editor, state, open: BTreeMap::new(), spoke: false };
    for entry in journal.path(journal.head()) {
        told.tell(&entry.event);
    }
    told.leaves_waiting();
}

struct Told<'e> {
    editor: &'e Editor,
    state: &'e AgentState,
    /// The calls of the last response that are not answered, by index.
    open: BTreeMap<u32, Arc<ToolCall>>,
    /// Whether the agent spoke last.
    spoke: bool,
}

impl Told<'_> {
    fn tell(&mut self, event: &Event) {
        match event {
            Event::ExecutionStarted(started) => {
                self.cuts_off();
                started.input.iter().for_each(|message| self.user(message));
            }
            Event::Steered(message) | Event::FollowedUp(message) => self.user(message),
            Event::Responded(responded) => {
                self.cuts_off();
                let is_whole = responded.response.incomplete.is_none();
                self.response(&responded.response.message, is_whole);
            }
            Event::ToolFinished(finished) => {
                if let Some(call) = self.open.remove(&finished.index) {
                    let place = (self.state.session(), "");
                    self.editor.finishes(place, &call, &finished.outcome, &finished.metadata);
                }
            }
            Event::MetadataSet(set) => self.editor.plans(set),
            _ => {}
        }
    }

    fn user(&mut self, message: &Message) {
        self.spoke = false;
        for part in &message.parts {
            match part {
                Part::Text(text) => self.editor.says(Speaker::User, &text.text),
                Part::Image(image) => {
                    if let MediaSource::Base64(data) = &image.source {
                        let block = update::image_block(data, &image.media_type);
                        self.editor.update(&update::shown(Speaker::User, block));
                    }
                }
                _ => {}
            }
        }
    }

    fn response(&mut self, message: &Message, is_whole: bool) {
        if std::mem::take(&mut self.spoke) {
            self.editor.says(Speaker::Agent, "\n\n");
        }
        for part in &message.parts {
            match part {
                Part::Text(text) | Part::Refusal(text) => {
                    self.spoke = true;
                    self.editor.says(Speaker::Agent, &text.text);
                }
                Part::Thinking(thinking) => self.editor.says(Speaker::Thought, &thinking.text),
                _ => {}
            }
        }
        // Calls of an incomplete response never run.
        for (index, call) in (0..).zip(message.tool_calls()).filter(|_| is_whole) {
            let shown = self.editor.begun("", call, "pending");
            self.editor.shows_call(self.state.session(), call, shown);
            self.open.insert(index, Arc::clone(call));
            self.spoke = false;
        }
    }

    /// What was not answered when the conversation went on never was.
    fn cuts_off(&mut self) {
        for (_, call) in std::mem::take(&mut self.open) {
            self.editor.leaves_call(self.state.session(), &call);
        }
    }

    /// What waits at the end of the conversation stays as it is: it can be resumed.
    fn leaves_waiting(self) {
        if self.state.pending().is_empty()
            && self.state.status().is_none_or(|status| status.is_terminal())
        {
            let mut told = self;
            told.cuts_off();
        }
    }
}
