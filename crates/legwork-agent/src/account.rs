//! What a tree of agents uses together.
//!
//! The journal of each session is the truth about what was used in it. While the calls of
//! a turn run, the agent that made them opens an account of what its ledger leaves; each
//! inference below it holds what it may cost in every account above, or, in a dimension
//! that a subagent has a limit of its own in, lives on what was held when it was spawned.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use legwork_core::Budget;
use legwork_core::budget::{Amounts, Exhausted, Ledger, MicroUsd, Price};

/// A subagent's share of what the agents above it may use.
#[derive(Clone)]
pub(crate) struct Share {
    tree: Arc<Tree>,
    /// The account of the agent that spawned it.
    account: usize,
    /// The limits that were held for it at spawn: calls of it hold nothing more there.
    own: Budget,
}

/// The accounts of a tree, under one lock: a call is held in all of them or in none.
#[derive(Default)]
struct Tree(Mutex<Vec<Account>>);

/// What one agent has left for its calls under way.
struct Account {
    above: Option<Share>,
    budget: Budget,
    used: Amounts,
}

/// What an inference may answer at most, and what is held for it.
pub(crate) type Affordable = (Option<u64>, Amounts);

impl Tree {
    fn lock(&self) -> MutexGuard<'_, Vec<Account>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Share {
    /// Opens the account of an agent for the calls of a turn: what its ledger leaves, and
    /// what the agents above it leave. What is held for subagents is to be charged to it.
    pub(crate) fn open(above: Option<&Self>, ledger: &Ledger) -> Self {
        let tree = above.map_or_else(Arc::default, |share| Arc::clone(&share.tree));
        let (budget, used) = (ledger.budget.clone(), ledger.spent);
        let mut accounts = tree.lock();
        accounts.push(Account { above: above.cloned(), budget, used });
        let account = accounts.len() - 1;
        drop(accounts);
        Self { tree, account, own: Budget::unlimited() }
    }

    /// The share of a subagent with limits of its own: what is held for them is charged
    /// here, before it begins.
    pub(crate) fn spawn(&self, own: &Budget, block: &Amounts) -> Self {
        self.charge(block);
        Self { own: own.clone(), ..self.clone() }
    }

    /// Ends a subagent's share: what was held for its own limits is released, and what it
    /// used of them is charged.
    pub(crate) fn end(&self, child: &Self, block: &Amounts, used: &Amounts) {
        self.settle(block, &less(used, &uncovered(used, &child.own)));
    }

    /// What an inference may answer, and what is to be held for it, by all accounts above.
    /// It is held when this returns.
    ///
    /// # Errors
    /// The limit that leaves too little, wherever it stands; nothing is held then.
    pub(crate) fn hold(
        &self,
        input: u64,
        max_output: Option<u64>,
        price: Option<&Price>,
        by_own: Amounts,
    ) -> Result<Affordable, Exhausted> {
        let mut accounts = self.tree.lock();
        let (mut output, mut held) = (max_output, by_own);
        for (account, own) in self.chain(&accounts) {
            let ledger = account.ledger(&own);
            let counts = own.input_tokens.is_none() && own.total_tokens.is_none();
            let (left, amounts) = ledger.afford(if counts { input } else { 0 }, output, price)?;
            if left != output {
                output = left;
                held = Amounts { steps: held.steps, ..amounts };
            }
        }
        self.add(&mut accounts, &Amounts { steps: 0, ..held });
        Ok((output, held))
    }

    /// Holds amounts in every account above, wherever no limit of their own covers them.
    pub(crate) fn charge(&self, amounts: &Amounts) {
        self.add(&mut self.tree.lock(), amounts);
    }

    /// Releases what was held and charges what was used.
    pub(crate) fn settle(&self, held: &Amounts, charged: &Amounts) {
        let mut accounts = self.tree.lock();
        for (index, own) in self.indexes(&accounts) {
            let Some(account) = accounts.get_mut(index) else { continue };
            let rest = less(&account.used, &uncovered(held, &own));
            account.used = rest.plus(&uncovered(charged, &own));
        }
    }

    /// The limit above that a batch of calls would pass.
    pub(crate) fn forbids_calls(&self, calls: u64) -> Option<Exhausted> {
        let accounts = self.tree.lock();
        self.chain(&accounts).find_map(|(account, own)| account.ledger(&own).forbids_calls(calls))
    }

    /// What is left of all limits above: none where there is no limit.
    pub(crate) fn left(&self) -> Budget {
        let accounts = self.tree.lock();
        let lefts = self.chain(&accounts).map(|(account, own)| account.ledger(&own).left());
        lefts.fold(Budget::unlimited(), |all, left| all.within(&left))
    }

    fn add(&self, accounts: &mut [Account], amounts: &Amounts) {
        for (index, own) in self.indexes(accounts) {
            if let Some(account) = accounts.get_mut(index) {
                account.used = account.used.plus(&uncovered(amounts, &own));
            }
        }
    }

    /// The accounts from here to the root, each with the limits that are covered in it.
    fn chain<'a>(&self, accounts: &'a [Account]) -> impl Iterator<Item = (&'a Account, Budget)> {
        let indexes = self.indexes(accounts);
        indexes.into_iter().filter_map(|(index, own)| Some((accounts.get(index)?, own)))
    }

    fn indexes(&self, accounts: &[Account]) -> Vec<(usize, Budget)> {
        let mut chain = vec![(self.account, self.own.clone())];
        let mut at = accounts.get(self.account);
        while let Some(above) = at.and_then(|account| account.above.as_ref()) {
            // What one agent has a limit of its own for is covered in all above it.
            let covered = chain.last().map_or_else(Budget::unlimited, |(_, own)| own.clone());
            chain.push((above.account, covered.within(&above.own)));
            at = accounts.get(above.account);
        }
        chain
    }
}

impl Account {
    /// Its limits as a ledger, without the dimensions that are covered otherwise.
    fn ledger(&self, own: &Budget) -> Ledger {
        let (all, total) = (&self.budget, own.total_tokens.is_some());
        let budget = Budget {
            tool_calls: all.tool_calls.filter(|_| own.tool_calls.is_none()),
            input_tokens: all.input_tokens.filter(|_| !total && own.input_tokens.is_none()),
            output_tokens: all.output_tokens.filter(|_| !total && own.output_tokens.is_none()),
            total_tokens: all.total_tokens.filter(|_| !total),
            cost: all.cost.filter(|_| own.cost.is_none()),
            ..Budget::unlimited()
        };
        Ledger { budget, spent: self.used, ..Ledger::default() }
    }
}

/// What is held at spawn for a subagent with limits of its own, as far as there is room.
pub(crate) fn block(own: &Budget, left: &Budget) -> Amounts {
    let tight = |own: Option<u64>, left: Option<u64>| own.map(|own| own.min(left.unwrap_or(own)));
    let input = tight(own.input_tokens, left.input_tokens).unwrap_or(0);
    let output = tight(own.output_tokens, left.output_tokens).unwrap_or(0);
    let total = tight(own.total_tokens, left.total_tokens).unwrap_or(0);
    Amounts {
        tool_calls: tight(own.tool_calls, left.tool_calls).unwrap_or(0),
        input,
        output,
        tokens: total.saturating_sub(input).saturating_sub(output),
        cost: MicroUsd(tight(own.cost.map(|c| c.0), left.cost.map(|c| c.0)).unwrap_or(0)),
        ..Amounts::default()
    }
}

/// The part of amounts that limits of its own do not cover.
fn uncovered(amounts: &Amounts, own: &Budget) -> Amounts {
    let total = own.total_tokens.is_some();
    let part = |amount: u64, covered: bool| if covered { 0 } else { amount };
    Amounts {
        steps: 0,
        tool_calls: part(amounts.tool_calls, own.tool_calls.is_some()),
        input: part(amounts.input, total || own.input_tokens.is_some()),
        output: part(amounts.output, total || own.output_tokens.is_some()),
        tokens: part(amounts.tokens, total),
        cost: MicroUsd(part(amounts.cost.0, own.cost.is_some())),
        active: amounts.active,
    }
}

fn less(from: &Amounts, amounts: &Amounts) -> Amounts {
    Amounts {
        steps: from.steps.saturating_sub(amounts.steps),
        tool_calls: from.tool_calls.saturating_sub(amounts.tool_calls),
        input: from.input.saturating_sub(amounts.input),
        output: from.output.saturating_sub(amounts.output),
        tokens: from.tokens.saturating_sub(amounts.tokens),
        cost: MicroUsd(from.cost.0.saturating_sub(amounts.cost.0)),
        active: from.active.since(amounts.active),
    }
}
