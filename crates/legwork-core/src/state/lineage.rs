//! Which state was made from which, by identity.

use std::sync::Arc;

/// A change, linked to the one before it.
#[derive(Debug, Default)]
struct Link {
    before: Option<Arc<Link>>,
}

impl Drop for Link {
    // A long chain is dropped in a loop, because recursion would overflow the stack.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(link) = next {
            next = Arc::into_inner(link).and_then(|mut link| link.before.take());
        }
    }
}

/// The chain of changes that led to a state.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lineage(Arc<Link>);

/// A mark of one state, by identity.
#[derive(Debug, Clone)]
pub struct Mark(Arc<Link>);

impl Lineage {
    /// Adds a link for a change, unless no mark and no other state holds the last one: then that
    /// link stands for several changes.
    pub(crate) fn advance(&mut self) {
        if Arc::get_mut(&mut self.0).is_some() {
            return;
        }
        let before = Some(Arc::clone(&self.0));
        self.0 = Arc::new(Link { before });
    }

    /// Forgets the history: earlier marks no longer match.
    pub(crate) fn root(&mut self) {
        match Arc::get_mut(&mut self.0) {
            // No mark holds it.
            Some(link) => *link = Link::default(),
            None => *self = Self::default(),
        }
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark(Arc::clone(&self.0))
    }

    pub(crate) fn extends(&self, mark: &Mark) -> bool {
        let mut at = Some(&self.0);
        while let Some(link) = at {
            if Arc::ptr_eq(link, &mark.0) {
                return true;
            }
            at = link.before.as_ref();
        }
        false
    }
}
