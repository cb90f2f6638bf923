//! The calls of a step, and the status of each.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::budget::Amounts;
use crate::event::{Event, Paused};
use crate::id::SessionId;
use crate::pending::{Pending, PendingReason, Waits};
use crate::state::AgentState;
use crate::time::Micros;
use crate::tool::{Deferral, EffectClass, Supplied, ToolCall, ToolExecution};
use crate::vector::{self, Vector};

/// How long a call waits at least that waits for a time: its clock may be behind.
const LEAST_WAIT: Micros = Micros(1_000_000);

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
    /// Whether it began once: it counted as a call then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub began: bool,
    /// Whether a person approved it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub approved: bool,
    /// What its body asked for and was supplied, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supplied: Vec<Supplied>,
    /// How far the call got.
    pub status: CallStatus,
}

/// The status of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// It has not begun.
    Open,
    /// It waited, and is to run now: a person approved it, supplied its input or decided to run it
    /// again, or its time has come. It is not judged again.
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
    /// Open calls, of which there are this many; they take no more room than that.
    pub(super) fn open(count: usize, slots: impl Iterator<Item = CallSlot>) -> Self {
        let mut calls = Self { slots: Vector::with_capacity(count), answered: 0 };
        slots.for_each(|slot| calls.slots.push(slot));
        calls
    }

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

    /// The call of the step under way at an index as one that waits; none if there is no such
    /// call.
    ///
    /// The arguments are those that it would run with: as they were judged, if they were.
    pub fn as_pending(&self, index: u32, reason: PendingReason) -> Option<Pending> {
        let (slot, key) = (self.call(index)?, self.effect_key(index)?);
        // What was judged is void once somebody answered.
        let judged = self.judged(index as usize).filter(|_| slot.status == CallStatus::Open);
        let judged = judged.and_then(|judged| judged.arguments.as_ref());
        let arguments = judged.unwrap_or(slot.arguments());
        let shown = self.context().tools_shown.as_ref();
        let spec = shown.and_then(|shown| shown.tools.get(&slot.call.name));
        let (after, at) = (self.version(), self.now().wall);
        Some(Pending::new(&key, &slot.call, arguments, spec, reason, after, at))
    }

    /// The call of the step under way at an index as one that waits for something; a second at
    /// least, if it is for a time.
    pub fn as_waiting(&self, index: u32, waits: Waits) -> Option<Pending> {
        match waits {
            Waits::Approval(request) => {
                let pending = self.as_pending(index, PendingReason::Approval)?;
                Some(pending.with_request(request))
            }
            Waits::Input(request) => {
                let reason = match request.prompt() {
                    Some(_) => PendingReason::Model,
                    None => PendingReason::Input,
                };
                Some(self.as_pending(index, reason)?.with_input(request))
            }
            Waits::Deferred(deferral) => {
                let least = self.now().wall.after(LEAST_WAIT);
                let deferral = match deferral {
                    Deferral::Until(time) => Deferral::Until(time.max(least)),
                    deferral => deferral,
                };
                self.as_pending(index, deferral.into())
            }
        }
    }

    /// Further calls of the step under way wait; nothing if there is none.
    #[must_use]
    pub fn with_pending(self, more: impl IntoIterator<Item = Pending>) -> Self {
        self.with_pending_charged(more, Amounts::default())
    }

    /// The same once all calls of the turn have run that may run beside those that wait.
    #[must_use]
    pub fn with_turn_passed(self, more: impl IntoIterator<Item = Pending>) -> Self {
        let pending: Vec<_> = more.into_iter().collect();
        if pending.is_empty() && (self.pending().is_empty() || self.0.transient.passed) {
            return self;
        }
        // A body that runs elsewhere begins now, as far as limits are concerned.
        let elsewhere = pending.iter().filter(|one| one.reason == PendingReason::External).count();
        let used = Amounts { tool_calls: elsewhere as u64, ..Amounts::default() };
        self.with(Event::Paused(Paused { pending, adds: true, passed: true, used }))
    }

    /// The same, with what the bodies of these calls charged before they waited.
    #[must_use]
    pub fn with_pending_charged(
        self,
        more: impl IntoIterator<Item = Pending>,
        used: Amounts,
    ) -> Self {
        let pending: Vec<_> = more.into_iter().collect();
        if pending.is_empty() && used.is_zero() {
            return self;
        }
        self.with(Event::Paused(Paused { pending, adds: true, passed: false, used }))
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
