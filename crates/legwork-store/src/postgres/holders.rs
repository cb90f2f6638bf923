//! The claims of this process, over all its stores.
//!
//! A claim that is dropped is given back by a task. Until the server knows, its session is free
//! for all stores of this process, as if it had been given back at once.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Which claim it is, of all that ever were: what a session's row says of its holder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Holder(i64);

/// How a claim of this process stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    Held,
    /// It was dropped, and the server may not know yet. Its lease has run out by then.
    GivenBack(Instant),
}

static HOLDERS: Mutex<BTreeMap<Holder, Standing>> = Mutex::new(BTreeMap::new());

fn holders() -> MutexGuard<'static, BTreeMap<Holder, Standing>> {
    // Nothing panics while it holds the lock, so what it guards is whole.
    HOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Holder {
    /// A new one, which no other process has: it is random.
    pub(super) fn new() -> Self {
        let mut holders = holders();
        // The hasher's keys are random, and other ones each time.
        let holder = Self(RandomState::new().hash_one(holders.len()).cast_signed());
        holders.insert(holder, Standing::Held);
        holder
    }

    pub(super) fn number(self) -> i64 {
        self.0
    }

    /// Whether the claim with this number is held by this process.
    pub(super) fn is_held_here(number: i64) -> bool {
        holders().get(&Self(number)) == Some(&Standing::Held)
    }

    /// Says that it was dropped, or may never be known to have been taken.
    pub(super) fn give_back(self, lease: Duration) {
        holders().insert(self, Standing::GivenBack(Instant::now() + lease));
    }

    /// Forgets it, once the server knows that it was given back or has never had it.
    pub(super) fn forget(self) {
        holders().remove(&self);
    }

    /// The numbers of those that were dropped: a session that one of them holds is free.
    pub(super) fn given_back() -> Vec<i64> {
        let (mut holders, now) = (holders(), Instant::now());
        holders.retain(|_, standing| match standing {
            Standing::Held => true,
            Standing::GivenBack(until) => *until > now,
        });
        let given_back = holders.iter().filter(|(_, standing)| **standing != Standing::Held);
        given_back.map(|(holder, _)| holder.0).collect()
    }
}
