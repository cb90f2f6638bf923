//! The subagents of a turn: what each may use, and what those of before used already.

use legwork_core::budget::{Amounts, Budget, TreeAmounts};
use legwork_core::event::ParentLink;
use legwork_core::state::CallSlot;
use legwork_core::{AgentState, Micros, SessionId, ToolCall};
use legwork_port::store::Range;
use legwork_port::{BoxFuture, Store, store};

use legwork_account::SharedBudget;
use legwork_runtime::{Caller, SubagentCall, TurnSubagents};

use super::call::SpawnCall;
use super::spawn::{Spawn, Spawns};

/// The account that the subagents of a turn use.
pub(super) struct Turn {
    turn: SharedBudget,
    spawns: Spawns,
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
pub(super) struct Grant {
    pub(super) child: SessionId,
    /// How that session is linked to the call.
    pub(super) link: ParentLink,
    /// The limits that it runs under.
    pub(super) granted: Budget,
    pub(super) shared_budget: SharedBudget,
    block: TreeAmounts,
    turn: SharedBudget,
}

impl Turn {
    /// Opens the account of a turn. All its calls that have not begun are charged there at
    /// once: they were checked as a whole. What subagents of before used is read from their
    /// journals, before any of them goes on.
    ///
    /// # Errors
    /// When one of these cannot be read.
    pub(super) async fn open(
        spawns: Spawns,
        state: &AgentState,
        caller: Caller<'_>,
        fresh: usize,
    ) -> Result<Self, store::Error> {
        let turn = SharedBudget::open(caller.shared_budget, state.ledger());
        turn.charge(TreeAmounts::calls(fresh));
        caller.release_held_calls();
        let (mut before, store) = (Vec::new(), &*caller.services.sessions.store);
        for (index, child, link) in children(state) {
            if let Some(child) = linked(store, &child, &link).await? {
                let active = child.ledger().spent.active_time;
                before.push(Before { index, used: used_in(store, &child).await?, active });
            }
        }
        Ok(Self { turn, spawns, before })
    }

    fn grant_to(
        &self,
        spawn: &Spawn,
        state: &AgentState,
        index: u32,
        call: &ToolCall,
    ) -> Option<Grant> {
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
        let shared_budget = self.turn.spawn(&granted, block);
        if let Some(before) = before {
            shared_budget.charge(TreeAmounts::of(&before.used));
        }
        let child = state.effect_key(index)?.child();
        let (link, turn) = (state.link_to(&call.id), self.turn.clone());
        Some(Grant { child, link, granted, shared_budget, block, turn })
    }
}

impl TurnSubagents for Turn {
    fn grant(
        &self,
        state: &AgentState,
        caller: Caller<'_>,
        index: u32,
        call: &ToolCall,
    ) -> Option<Box<dyn SubagentCall>> {
        let spawn = self.spawns.find(call)?;
        let grant = self.grant_to(&spawn, state, index, call)?;
        Some(Box::new(SpawnCall::new(spawn, grant, caller)))
    }

    fn release(&self, calls: usize) {
        self.turn.settle(TreeAmounts::calls(calls), TreeAmounts::default());
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
    pub(super) fn intent(&self) -> (SessionId, Amounts) {
        (self.child.clone(), self.block.journal())
    }

    /// The subagent is done: what was held is released, what it used is charged.
    pub(super) fn end(&self, used: &Amounts) {
        self.turn.end(&self.shared_budget, self.block, used);
    }
}

/// The subagents of the step under way that began and are not done.
fn children(state: &AgentState) -> Vec<(u32, SessionId, ParentLink)> {
    let child = |(index, slot): (u32, &CallSlot)| {
        Some((index, slot.child.clone()?, state.link_to(&slot.call.id)))
    };
    state.calls_begun().filter_map(child).collect()
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
    Ok(state.is_linked_by(link).then_some(state))
}

/// What a subagent in this state used, its own subagents included.
async fn used_in(store: &dyn Store, state: &AgentState) -> Result<Amounts, store::Error> {
    let mut used = state.ledger().lifetime;
    for held in [state.ledger().inference(), state.ledger().auxiliary()].into_iter().flatten() {
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
