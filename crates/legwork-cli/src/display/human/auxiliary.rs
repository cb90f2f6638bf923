//! Auxiliary inferences, and what came of them.

use std::io::{self, Write};
use std::time::Instant;

use legwork::core::Event;
use legwork::core::event::{CompactionCause, Purpose};

use super::Human;
use crate::display::text::grouped;

impl<O: Write, E: Write> Human<O, E> {
    /// Shows an entry of an auxiliary inference, or of what came of it.
    pub(super) fn auxiliary(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::AuxiliaryStarted(started) => {
                self.doing(under_way(&started.purpose), Instant::now());
                Ok(())
            }
            Event::Compacted(compacted) => {
                let why = match compacted.cause {
                    CompactionCause::Window => "the conversation filled the model's window",
                    CompactionCause::Overflow => "the conversation was too long for the model",
                    _ => return Ok(()),
                };
                let tokens = grouped(compacted.tokens_before);
                self.quiet(&format!(
                    "compacted: {why} (about {tokens} tokens); a summary is read in place of its \
                     beginning"
                ))
            }
            _ => Ok(()),
        }
    }
}

/// What is under way, in words.
fn under_way(purpose: &Purpose) -> &'static str {
    match purpose {
        Purpose::Compaction => "summarising the conversation",
        Purpose::BranchSummary => "summarising what is left",
        Purpose::ToolResultSummary => "summarising a long result",
        Purpose::Similarity => "comparing results",
        Purpose::ToolPrompt => "asking the model for a tool",
        _ => "asking a model",
    }
}
