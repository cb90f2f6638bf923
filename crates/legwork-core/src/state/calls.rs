//! The calls of a step, and the status of each.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::id::{EffectKey, SessionId};
use crate::pending::{Pending, PendingReason};
use crate::state::AgentState;
use crate::time::Timestamp;
use crate::tool::{EffectClass, ToolCall, ToolExecution};
use crate::vector::{self, Vector};

/// A call of a step, with its status.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallSlot {
    /// The call as the model made it.
    pub call: Arc<ToolCall>,
    /// The arguments to run it with, if they differ from those that the model wrote.
    pub arguments: Option<Arc<str>>,
    /// The session of the subagent that it runs, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub child: Option<SessionId>,
    /// How far the call got.
    pub status: CallStatus,
}

/// The status of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// It has not begun.
    Open,
    /// It was in doubt, and a person decided to run it again; it is not judged again.
    Ready,
    /// It was about to be run, under this effect class.
    ///
    /// After a crash it may or may not have happened: whether it is run again depends on the
    /// class.
    Started(EffectClass),
    /// It has its outcome.
    Done(Arc<ToolExecution>),
}

impl CallSlot {
    /// The call as a pending one.
    pub fn pending(&self, key: &EffectKey, reason: PendingReason, at: Timestamp) -> Pending {
        Pending::new(key, (&self.call.name, self.arguments()), reason, at)
    }

    /// The arguments to run it with.
    pub fn arguments(&self) -> &Arc<str> {
        self.arguments.as_ref().unwrap_or(&self.call.arguments)
    }

    /// The call with its outcome; none if it has none yet.
    pub fn execution(&self) -> Option<&Arc<ToolExecution>> {
        match &self.status {
            CallStatus::Done(execution) => Some(execution),
            _ => None,
        }
    }
}

/// The calls of a step, in call order.
///
/// Cheap to clone and to change; the number of answered calls is kept.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Calls {
    slots: Vector<CallSlot>,
    answered: usize,
}

impl Calls {
    /// How many calls there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The call at an index.
    pub fn get(&self, index: usize) -> Option<&CallSlot> {
        self.slots.get(index)
    }

    /// All calls, in call order.
    pub fn iter(&self) -> vector::Iter<'_, CallSlot> {
        self.slots.iter()
    }

    /// Whether all calls are answered.
    pub fn are_answered(&self) -> bool {
        self.answered == self.slots.len()
    }

    /// Changes the call at an index, if there is one.
    pub(super) fn change(&mut self, index: u32, change: impl FnOnce(&mut CallSlot)) {
        let Some(slot) = self.slots.get_mut(index as usize) else { return };
        let before = slot.execution().is_some();
        change(slot);
        match (before, slot.execution().is_some()) {
            (false, true) => self.answered += 1,
            (true, false) => self.answered -= 1,
            _ => {}
        }
    }
}

impl FromIterator<CallSlot> for Calls {
    fn from_iter<I: IntoIterator<Item = CallSlot>>(slots: I) -> Self {
        let slots: Vector<_> = slots.into_iter().collect();
        let answered = slots.iter().filter(|slot| slot.execution().is_some()).count();
        Self { slots, answered }
    }
}

impl<'a> IntoIterator for &'a Calls {
    type Item = &'a CallSlot;
    type IntoIter = vector::Iter<'a, CallSlot>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Serialize for Calls {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.slots.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Calls {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<CallSlot>::deserialize(deserializer)?.into_iter().collect())
    }
}

impl AgentState {
    /// The calls of the step under way, each with its index, in call order.
    pub fn calls(&self) -> impl Iterator<Item = (u32, &CallSlot)> {
        (0..).zip(self.current_step().into_iter().flat_map(|step| step.calls.iter()))
    }

    /// The call of the step under way at an index.
    pub fn call(&self, index: u32) -> Option<&CallSlot> {
        self.current_step()?.calls.get(index as usize)
    }

    /// The calls of the step under way that began and have no outcome.
    pub fn calls_begun(&self) -> impl Iterator<Item = (u32, &CallSlot)> {
        self.calls().filter(|(_, slot)| matches!(slot.status, CallStatus::Started(_)))
    }

    /// The calls of the step under way that are not answered. They are collected, for
    /// answering one changes the state.
    pub fn calls_unanswered(&self) -> Vec<(u32, CallSlot)> {
        let open = self.calls().filter(|(_, slot)| slot.execution().is_none());
        open.map(|(index, slot)| (index, slot.clone())).collect()
    }
}
