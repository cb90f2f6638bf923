//! The accounts of a tree, and a subagent's share of them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use legwork_core::budget::{Amounts, Dimension, Exhausted, Ledger, Price, TreeAmounts};
use legwork_core::{Budget, Usage};

/// A subagent's share of what the agents above it may use.
#[derive(Clone)]
pub struct SharedBudget {
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
    above: Option<SharedBudget>,
    budget: Budget,
    used: TreeAmounts,
}

/// What an inference may answer at most, and what is held for it.
pub type Affordable = (Option<u64>, Amounts);

impl Tree {
    fn lock(&self) -> MutexGuard<'_, Vec<Account>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SharedBudget {
    /// Opens the account of an agent for the calls of a turn: what its ledger leaves, and
    /// what the agents above it leave. What is held for subagents is to be charged to it.
    pub fn open(above: Option<&Self>, ledger: &Ledger) -> Self {
        let tree = above.map_or_else(Arc::default, |shared_budget| Arc::clone(&shared_budget.tree));
        let (budget, used) = (ledger.budget.clone(), TreeAmounts::of(&ledger.spent));
        let mut accounts = tree.lock();
        accounts.push(Account { above: above.cloned(), budget, used });
        let account = accounts.len() - 1;
        drop(accounts);
        Self { tree, account, own: Budget::unlimited() }
    }

    /// The share of a subagent with limits of its own: what is held for them is charged
    /// here, before it begins.
    pub fn spawn(&self, own: &Budget, block: TreeAmounts) -> Self {
        self.charge(block);
        Self { own: own.clone(), ..self.clone() }
    }

    /// Limits of its own that hold whatever its state says: they were granted at spawn.
    pub fn bound(&self, ledger: &Ledger) -> Ledger {
        Ledger { budget: ledger.budget.within(&self.own), ..ledger.clone() }
    }

    /// The ledger with the limits that were granted at spawn, and no others.
    pub fn granted(&self, ledger: &Ledger) -> Ledger {
        Ledger { budget: self.own.clone(), ..ledger.clone() }
    }

    /// Ends a subagent's share: what was held for its own limits is released, and what it
    /// used of them is charged.
    pub fn end(&self, child: &Self, block: TreeAmounts, used: &Amounts) {
        self.settle(block, TreeAmounts::of(used).covered(&child.own));
    }

    /// What an inference may answer, and what is to be held for it, by the agent's own
    /// ledger and by all accounts above. It is held when this returns.
    ///
    /// # Errors
    /// The limit that leaves too little, wherever it stands; nothing is held then.
    pub fn hold(
        &self,
        ledger: &Ledger,
        input: u64,
        max_output: Option<u64>,
        price: Option<&Price>,
    ) -> Result<Affordable, Exhausted> {
        let mut accounts = self.tree.lock();
        let mut output = self.bound(ledger).afford(input, max_output, price)?.0;
        for (account, own) in self.chain(&accounts) {
            for ledger in account.ledgers(&own) {
                let here = ledger.afford(input, max_output, price)?.0;
                output = [output, here].into_iter().flatten().min();
            }
        }
        let usage = Usage { input, output: output.unwrap_or(0), ..Usage::default() };
        let held = Amounts::of_usage(&usage, price);
        self.add(&mut accounts, TreeAmounts::of(&held));
        Ok((output, held))
    }

    /// Holds amounts once more in every account above.
    ///
    /// # Errors
    /// The dimension in which an account leaves too little; nothing is held then.
    pub fn hold_again(&self, amounts: &Amounts) -> Result<(), Dimension> {
        let mut accounts = self.tree.lock();
        let ledgers = self.chain(&accounts).flat_map(|(account, own)| account.ledgers(&own));
        let exceeded = ledgers.map(|ledger| ledger.left().exceeded_by(amounts));
        if let Some(limit) = exceeded.flatten().next() {
            return Err(limit);
        }
        self.add(&mut accounts, TreeAmounts::of(amounts));
        Ok(())
    }

    /// Charges what was used before in every account above.
    pub fn spend(&self, used: &Amounts) {
        self.charge(TreeAmounts::of(used));
    }

    /// Holds amounts in every account above, wherever no limit of their own covers them.
    pub fn charge(&self, amounts: TreeAmounts) {
        self.add(&mut self.tree.lock(), amounts);
    }

    /// Releases what was held and charges what was used.
    pub fn settle(&self, held: TreeAmounts, charged: TreeAmounts) {
        let mut accounts = self.tree.lock();
        for (index, own) in self.indexes(&accounts) {
            if let Some(account) = accounts.get_mut(index) {
                let rest = account.used.less(held.uncovered(&own));
                account.used = rest.plus(charged.uncovered(&own));
            }
        }
    }

    /// Holds so many calls in every account above.
    ///
    /// # Errors
    /// The limit above that they would pass; nothing is held then.
    pub fn hold_calls(&self, calls: usize) -> Result<(), Exhausted> {
        let mut accounts = self.tree.lock();
        let mut ledgers = self.chain(&accounts).flat_map(|(account, own)| account.ledgers(&own));
        if let Some(limit) = ledgers.find_map(|ledger| ledger.forbids_calls(calls as u64)) {
            return Err(limit);
        }
        drop(ledgers);
        self.add(&mut accounts, TreeAmounts::calls(calls));
        Ok(())
    }

    /// What is left of all limits above: none where there is no limit.
    pub fn left(&self) -> Budget {
        let accounts = self.tree.lock();
        let ledgers = self.chain(&accounts).flat_map(|(account, own)| account.ledgers(&own));
        ledgers.fold(Budget::unlimited(), |all, ledger| all.within(&ledger.left()))
    }

    fn add(&self, accounts: &mut [Account], amounts: TreeAmounts) {
        for (index, own) in self.indexes(accounts) {
            if let Some(account) = accounts.get_mut(index) {
                account.used = account.used.plus(amounts.uncovered(&own));
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
    /// Its limits as ledgers, without the dimensions that are covered otherwise. All tokens
    /// together are a dimension of their own: what is held of them may be of either kind.
    fn ledgers(&self, own: &Budget) -> [Ledger; 2] {
        let all = &self.budget;
        let each = Budget {
            tool_calls: all.tool_calls.filter(|_| own.tool_calls.is_none()),
            input_tokens: all.input_tokens.filter(|_| own.input_tokens.is_none()),
            output_tokens: all.output_tokens.filter(|_| own.output_tokens.is_none()),
            cost: all.cost.filter(|_| own.cost.is_none()),
            ..Budget::unlimited()
        };
        let total = all.total_tokens.filter(|_| own.total_tokens.is_none());
        let together = Budget { total_tokens: total, ..Budget::unlimited() };
        let (by_kind, by_total) = self.used.to_amounts();
        [(each, by_kind), (together, by_total)].map(|(budget, spent)| Ledger {
            budget,
            spent,
            ..Ledger::default()
        })
    }
}
