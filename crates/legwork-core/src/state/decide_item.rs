//! What is decided about the items of an inbox.

use crate::event::{self, Event};
use crate::inbox::{Item, Posted};
use crate::nesting;
use crate::outcome::{StopReason, StopSignal};
use crate::settings::SessionSettings;
use crate::state::{AgentState, ExecutionStatus, Refusal};
use crate::summary;

impl AgentState {
    pub(super) fn decide_take(&self, posted: Posted) -> Result<Vec<Event>, Refusal> {
        if posted.cursor <= self.facts().inbox_cursor {
            return Err(Refusal::AlreadyTaken);
        }
        posted.item.check()?;
        let Posted { cursor, key, item } = posted;
        let effect = self.decide_item(item)?;
        let taken = event::InboxTaken { cursor, key, refused: None };
        Ok(std::iter::once(Event::InboxTaken(taken.into())).chain(effect).collect())
    }

    /// The events of an inbox item.
    fn decide_item(&self, item: Item) -> Result<Vec<Event>, Refusal> {
        match item {
            Item::Steer(message) => Ok(vec![Event::Steered(message)]),
            Item::FollowUp(message) => Ok(vec![Event::FollowUpQueued(message)]),
            Item::Stop(why) => self.decide_stop(why),
            Item::Answer(answer) => self.decide_answer(answer),
            Item::Label(label) => self.decide_label(label),
            Item::MoveHead(to) => self.decide_move(to),
            Item::Title(text) => Ok(vec![Event::Titled(event::Titled { text: titled(text) })]),
            Item::Suspend(reason) => Ok(vec![Event::Suspended(event::Suspended { reason })]),
            Item::Set(settings) => self.decide_set(settings),
            Item::SetMetadata(set) => match set.value.as_ref().is_none_or(nesting::fits) {
                true => Ok(vec![Event::MetadataSet(set)]),
                false => Err(Refusal::TooDeep),
            },
            Item::Task(message) => {
                let resumed = self.facts().suspended.is_some();
                let resumed = resumed.then_some(Event::Resumed(event::Resumed {}));
                Ok([Event::FollowUpQueued(message)].into_iter().chain(resumed).collect())
            }
        }
    }

    fn decide_set(&self, settings: SessionSettings) -> Result<Vec<Event>, Refusal> {
        if settings.is_empty() || settings.model.as_ref().is_some_and(|model| model.is_empty()) {
            return Err(Refusal::NothingSet);
        }
        match &self.facts().parent {
            Some(link) if settings.has_limits() => {
                Err(Refusal::LimitsGranted { parent: link.session.clone() })
            }
            _ => Ok(vec![Event::SettingsSet(settings.into())]),
        }
    }

    fn decide_stop(&self, why: String) -> Result<Vec<Event>, Refusal> {
        if self.status().is_none_or(ExecutionStatus::is_terminal) {
            return Err(Refusal::NothingToStop { status: self.status_text() });
        }
        let signal = StopSignal::new(StopReason::UserRequested, "inbox", why);
        Ok(vec![Event::StopRaised(signal.into())])
    }
}

/// A title as it is kept: one line; none if nothing is left of it.
fn titled(text: Option<String>) -> Option<String> {
    text.map(|text| summary::one_line(&text)).filter(|text| !text.is_empty())
}
