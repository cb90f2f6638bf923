//! What an answer says of itself: who made it, what it used, why it ended.

use legwork_core::inference::FinishReason;
use serde_json::Value;

use super::draft::Draft;
use super::{Assembly, Level};
use crate::answer::call;
use crate::answer::json::{Read, Reader};
use crate::bounds::{NAME_BYTES, Passed};

impl Assembly {
    /// Merges a field of the answer that is not part of any part.
    pub(crate) fn merge(&mut self, level: Level, key: &str, value: Value) {
        let into = match level {
            Level::Top if key == "model" => {
                return self.answered_by(value.as_str().unwrap_or_default());
            }
            Level::Top => &mut self.top,
            Level::Choice => &mut self.choice,
            Level::Message => &mut self.message,
        };
        let added = into.merge(key, value);
        self.room.keep(added);
    }

    /// The model, of whose names the last one counts.
    pub(crate) fn answered_by(&mut self, model: &str) {
        if model.is_empty() || self.model.as_deref() == Some(model) {
            return;
        }
        let before = self.model.as_ref().map_or(0, |known| known.len());
        self.room.keep(model.len().saturating_sub(before));
        self.model = Some(call::shared(self.repeated.as_deref(), model));
    }

    /// The tokens of a cache are no part of the input that this API reports.
    pub(crate) fn cache_is_apart(&mut self) {
        self.usage.cache_is_apart = true;
    }

    /// Reads the usage.
    pub(crate) fn usage(&mut self, json: &mut Reader<'_>) -> Read {
        self.usage.read(json)?;
        self.room.keep(std::mem::take(&mut self.usage.added));
        Ok(())
    }

    /// Forgets what was used so far, because what follows is of the whole answer.
    pub(crate) fn restart_usage(&mut self) {
        self.usage.restart();
    }

    /// Reads one field of the usage.
    pub(crate) fn usage_field(&mut self, key: &str, json: &mut Reader<'_>) -> Read {
        self.usage.field(key, json)?;
        self.room.keep(std::mem::take(&mut self.usage.added));
        Ok(())
    }

    pub(crate) fn id(&mut self, id: &str) {
        id.clone_into(&mut self.id);
        self.named(id);
    }

    /// Whether the answer has an id. The first chunk of Azure OpenAI has none.
    pub(crate) fn is_named(&self) -> bool {
        !self.id.is_empty()
    }

    /// Checks that a name or id is short.
    pub(super) fn named(&mut self, name: &str) {
        if name.len() > NAME_BYTES {
            self.room.pass(Passed::Name);
        }
    }

    /// Sets why the answer ended.
    pub(crate) fn end_with(&mut self, finish: FinishReason) {
        self.named(finish.as_str());
        if finish.as_str().len() <= NAME_BYTES {
            self.finish = Some(finish);
        }
    }

    /// Whether the answer calls tools.
    pub(crate) fn has_calls(&self) -> bool {
        self.drafts.iter().any(|draft| matches!(draft, Draft::Call(..)))
    }

    pub(crate) fn has_finish(&self) -> bool {
        self.finish.is_some()
    }

    /// Drops the finish reason of a broken chunk.
    pub(crate) fn forget_finish(&mut self) {
        self.finish = None;
    }

    pub(crate) fn finish_reason(&mut self, text: &str) {
        self.named(text);
        if !text.is_empty() && text.len() <= NAME_BYTES {
            self.finish = Some(finish_reason(text));
        }
    }
}

/// The reason in our words, whichever of its names a provider uses.
fn finish_reason(text: &str) -> FinishReason {
    match text {
        "function_call" => FinishReason::ToolCalls,
        "eos" | "eos_token" | "end_turn" | "stop_sequence" => FinishReason::Stop,
        "max_tokens" | "model_length" => FinishReason::Length,
        other => FinishReason::from(other),
    }
}
