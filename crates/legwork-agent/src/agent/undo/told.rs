//! What the model reads of the calls that were taken back.

use std::sync::Arc;

use legwork_core::event::UndoOutcome;
use legwork_core::id::EffectKey;
use legwork_core::journal::Journal;
use legwork_core::undo::PastCall;
use legwork_core::{Event, ToolCall};

/// Calls that the model is told of by name.
const TOLD: usize = 30;

/// How the message to the model begins, by which it is found again.
const BEGINNING: &str = "I have undone some of your work, the last call first:";

/// A call that was taken back, with what was done, in words.
pub(super) struct Told {
    call: Arc<ToolCall>,
    did: String,
}

impl Told {
    pub(super) fn new(call: &PastCall, did: &str) -> Self {
        Self { call: Arc::clone(&call.call), did: did.to_owned() }
    }
}

/// What was taken back by undos that died before they told the model, as a journal has it, in the
/// order in which it was done.
pub(super) fn untold(journal: &Journal) -> Vec<(&EffectKey, &str)> {
    let mut untold = Vec::new();
    for entry in journal.entries() {
        match &entry.event {
            Event::UndoFinished(finished) => {
                if let UndoOutcome::Done(did) = &finished.outcome {
                    untold.push((&finished.call, &**did));
                }
            }
            Event::Steered(message) if message.text().starts_with(BEGINNING) => untold.clear(),
            _ => {}
        }
    }
    untold
}

/// What the model is told, the last call first; none if nothing was taken back.
pub(super) fn words(calls: &[Told]) -> Option<String> {
    if calls.is_empty() {
        return None;
    }
    let told = calls
        .iter()
        .take(TOLD)
        .map(|Told { call, did }| format!("- the call `{}` of {}: {did}", call.name, call.id));
    let told = told.collect::<Vec<_>>().join("\n");
    let more = match calls.len().saturating_sub(TOLD) {
        0 => String::new(),
        more => format!("\n- and {more} older calls"),
    };
    Some(format!("{BEGINNING}\n{told}{more}"))
}
