//! The subagents of a turn: what each may use, and what those of before used already.

use std::sync::Arc;

use legwork_core::budget::{Amounts, Budget};
use legwork_core::event::ParentLink;
use legwork_core::state::{CallSlot, CallStatus};
use legwork_core::tool::RunsIn;
use legwork_core::{AgentState, Micros, SessionId, ToolCall, ToolSpec};
use legwork_port::store::Range;
use legwork_port::{BoxFuture, Store, store};

use super::body::Child;
use super::link::{check, link};
use crate::account::{SharedBudget, TreeAmounts};
use crate::context::StepContext;
use crate::spawner::{Spawn, Spawner};

/// The account that the subagents of a turn live on.
pub(crate) struct TurnSubagents {
    turn: SharedBudget,
    spawner: Option<Arc<dyn Spawner>>,
    /// The subagents that began under another run.
    before: Vec<Before>,
}

/// What a subagent used before this run.
struct Before {
    /// The index of the call that spawned it.
    index: u32,
    /// What adds up over the tree, its own subagents included.
    used: Amounts,
    /// The active time of its own execution.
    active: Micros,
}

/// What one subagent may use.
#[derive(Clone)]
pub(crate) struct Grant {
    pub(super) child: SessionId,
    /// How that session is linked to the call.
    pub(super) link: ParentLink,
    pub(super) spawn: Arc<dyn Spawn>,
    /// The limits that it runs under.
    pub(super) granted: Budget,
    pub(super) share: SharedBudget,
    block: TreeAmounts,
    turn: SharedBudget,
}

impl TurnSubagents {
    /// Opens the account of a turn, if it spawns anybody. All its calls that have not begun
    /// are charged there at once: they were checked as a whole. What subagents of before
    /// used is read from their journals, before any of them goes on.
    ///
    /// # Errors
    /// When one of these cannot be read.
    pub(crate) async fn of<'a>(
        state: &AgentState,
        cx: &StepContext,
        mut specs: impl Iterator<Item = &'a ToolSpec>,
        fresh: usize,
    ) -> Result<Option<Self>, store::Error> {
        if !specs.any(|spec| spec.runs_in == RunsIn::OwnSession) {
            return Ok(None);
        }
        let turn = SharedBudget::open(cx.share.as_ref(), state.ledger());
        turn.charge(TreeAmounts::calls(fresh));
        cx.held_calls.keep(0);
        let mut before = Vec::new();
        for (index, child, link) in children(state) {
            let store = &*cx.services.store;
            if let Some(child) = linked(store, &child, &link).await? {
                let active = child.ledger().spent.active_time;
                before.push(Before { index, used: used_in(store, &child).await?, active });
            }
        }
        Ok(Some(Self { turn, spawner: cx.services.spawner.clone(), before }))
    }

    /// So many calls of the turn never begin.
    pub(crate) fn release(&self, count: usize) {
        self.turn.settle(TreeAmounts::calls(count), TreeAmounts::default());
    }

    /// What the subagent of a call may use; held when this returns. None if the call names
    /// no subagent.
    pub(crate) fn lease(&self, state: &AgentState, index: u32, call: &ToolCall) -> Option<Grant> {
        let spawn = self.spawner.as_ref()?.find(call)?;
        let own = spawn.limits();
        let left = state.ledger().left().within(&self.turn.left());
        let held = state.ledger().reserved.iter().find(|held| held.call == Some(index));
        let block = match held {
            Some(held) => TreeAmounts::journaled(&held.amounts, &own),
            None => TreeAmounts::block(&own, &left),
        };
        let before = self.before.iter().find(|before| before.index == index);
        let active = before.map_or(Micros::ZERO, |before| before.active);
        let granted = granted(&own, block, &left, active);
        let share = self.turn.spawn(&granted, block);
        if let Some(before) = before {
            share.charge(TreeAmounts::of(&before.used));
        }
        let child = state.effect_key(index)?.child();
        let (link, turn) = (link(state, &call.id), self.turn.clone());
        Some(Grant { child, link, spawn, granted, share, block, turn })
    }
}

/// The limits of its own, as far as they are held, and the time that is left above: what it
/// was active before was charged above, too, and counts in neither twice.
fn granted(own: &Budget, block: TreeAmounts, left: &Budget, active: Micros) -> Budget {
    let active_time = left.active_time.map(|left| left.plus(active));
    let time = Budget { active_time, deadline: left.deadline, ..Budget::unlimited() };
    block.limits(own).within(&time)
}

impl Grant {
    /// What the intent of the call records: the session, and what is held.
    pub(crate) fn intent(&self) -> (Option<SessionId>, Amounts) {
        (Some(self.child.clone()), self.block.journal())
    }

    /// The call, ready to run its subagent.
    pub(crate) fn begin(self, cx: &StepContext) -> Child {
        Child::new(self, cx)
    }

    /// The subagent is done: what was held is released, what it used is charged.
    pub(super) fn end(&self, used: &Amounts) {
        self.turn.end(&self.share, self.block, used);
    }
}

/// The subagents of the step under way that began and are not done.
fn children(state: &AgentState) -> Vec<(u32, SessionId, ParentLink)> {
    let slots = state.current_step().into_iter().flat_map(|step| step.calls.iter());
    let begun =
        (0u32..).zip(slots).filter(|(_, slot)| matches!(slot.status, CallStatus::Started(_)));
    let child = |(index, slot): (u32, &CallSlot)| {
        Some((index, slot.child.clone()?, link(state, &slot.call.id)))
    };
    begun.filter_map(child).collect()
}

/// What a subagent used so far, its own subagents included, as the journals say; nothing
/// where its session is another one's.
///
/// # Errors
/// When one of them cannot be read.
pub(super) fn used_by<'a>(
    store: &'a dyn Store,
    session: &'a SessionId,
    link: &'a ParentLink,
) -> BoxFuture<'a, Result<Amounts, store::Error>> {
    Box::pin(async move {
        match linked(store, session, link).await? {
            Some(state) => used_in(store, &state).await,
            None => Ok(Amounts::default()),
        }
    })
}

/// The state of a subagent; none where its session is another one's.
async fn linked(
    store: &dyn Store,
    session: &SessionId,
    link: &ParentLink,
) -> Result<Option<AgentState>, store::Error> {
    let state = store.read(session, Range::ALL).await?.writable(session)?.journal.fold(session);
    Ok(check(&state, link).is_ok().then_some(state))
}

/// What a subagent in this state used, its own subagents included.
async fn used_in(store: &dyn Store, state: &AgentState) -> Result<Amounts, store::Error> {
    let mut used = state.ledger().lifetime;
    if let Some(held) = state.ledger().inference() {
        used = used.plus(&held.amounts);
    }
    for (_, child, link) in children(state) {
        used = used.plus(&used_by(store, &child, &link).await?);
    }
    Ok(adds_up(&used))
}

/// The part of a usage that adds up over a tree: steps and active time are each agent's
/// own, for its parent waits meanwhile.
pub(super) fn adds_up(used: &Amounts) -> Amounts {
    Amounts { steps: 0, active_time: Micros::ZERO, ..*used }
}
