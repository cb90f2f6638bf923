//! What waits for somebody when a run ends.

use std::io::{self, Write};

use legwork::capability::ask_user;
use legwork::core::ToolCall;
use legwork::core::state::{Pending, PendingReason};
use legwork::port::event::ExecutionEnd;

use super::Human;
use crate::display::terminal::Tone;
use crate::display::text::{clip_with, visible, wrapped};
use crate::display::{choices, tool};

impl<O: Write, E: Write> Human<O, E> {
    /// Shows which calls wait, by why they do.
    pub(super) fn pending(&mut self, end: &ExecutionEnd) -> io::Result<()> {
        let mut left: &[Pending] = &end.pending;
        while let Some(first) = left.first() {
            if let Some(question) = ask_user::Question::of(first) {
                self.unanswered(&question)?;
                left = left.get(1..).unwrap_or_default();
                continue;
            }
            if let Some(input) = &first.input
                && first.reason == PendingReason::Input
            {
                self.labelled(Tone::Strong, "input", &input.message)?;
                left = left.get(1..).unwrap_or_default();
                continue;
            }
            let same = left.iter().take_while(|pending| {
                pending.reason == first.reason && ask_user::Question::of(pending).is_none()
            });
            let (some, rest) = left.split_at(same.count());
            let (label, words) = waits(&first.reason);
            self.labelled(Tone::Strong, label, &words)?;
            for pending in some {
                let call = ToolCall::new("", &*pending.tool, &*pending.arguments);
                let room = self.terminal.columns.saturating_sub(2);
                let line = tool::call(&call);
                let line = clip_with(&line, room, self.terminal.marks.more);
                self.note(&format!("  {line}"))?;
            }
            if first.reason == PendingReason::Doubt {
                let words = "nothing was run; see what it did, then let the model be told that it \
                             was cut off";
                self.note(&wrapped(words, self.terminal.prose(), 0))?;
            }
            left = rest;
        }
        Ok(())
    }

    /// A question of the agent that nobody has answered.
    fn unanswered(&mut self, question: &ask_user::Question) -> io::Result<()> {
        self.labelled(Tone::Strong, "question", &question.text)?;
        for line in choices(question) {
            self.note(&wrapped(&visible(&format!("  {line}")), self.terminal.prose(), 6))?;
        }
        Ok(())
    }
}

/// A word for why calls wait, and what the person should know of it.
fn waits(reason: &PendingReason) -> (&'static str, String) {
    let (label, words) = match reason {
        PendingReason::Doubt => (
            "in doubt",
            "this was running when the process died, so it may or may not have happened:",
        ),
        PendingReason::Approval => ("waits", "this runs once you approve it:"),
        PendingReason::External => ("waits", "the result of this comes from outside:"),
        PendingReason::Subagent => ("waits", "the subagent of this waits for an answer:"),
        other => return ("waits", format!("this {other}:")),
    };
    (label, words.to_owned())
}
