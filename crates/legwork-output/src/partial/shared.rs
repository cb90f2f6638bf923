//! Items that clones share.

use std::sync::Arc;

use legwork_core::Vector;

/// Up to this many items of a complete sequence are kept in one piece.
const FEW: usize = 32;

/// Items that clones share: in one piece when they are few and complete, to save memory.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shared<T> {
    Few(Arc<[T]>),
    Many(Arc<Vector<T>>),
}

impl<T: Clone> Shared<T> {
    pub(super) fn growing(items: Vector<T>) -> Self {
        Self::Many(Arc::new(items))
    }

    pub(super) fn complete(items: Vector<T>) -> Self {
        match items.len() <= FEW {
            true => Self::Few(items.iter().cloned().collect()),
            false => Self::Many(Arc::new(items)),
        }
    }
}

impl<T> Shared<T> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Few(items) => items.len(),
            Self::Many(items) => items.len(),
        }
    }

    pub(super) fn get(&self, index: usize) -> Option<&T> {
        match self {
            Self::Few(items) => items.get(index),
            Self::Many(items) => items.get(index),
        }
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        let (few, many) = match self {
            Self::Few(items) => (Some(&**items), None),
            Self::Many(items) => (None, Some(&**items)),
        };
        few.into_iter().flatten().chain(many.into_iter().flatten())
    }
}
