//! What is called while a value arrives.

use super::{Error, Items};
use crate::partial::Value;

/// Called with what has arrived of a value, after each piece; a closure is one.
pub trait Shown: Send {
    /// An answer begins: the first one, or another in place of one that was repeated or rejected.
    fn begin(&mut self) {}

    /// This much has arrived; it was not checked.
    fn show(&mut self, value: &Value);
}

impl<F: FnMut(&Value) + Send> Shown for F {
    fn show(&mut self, value: &Value) {
        self(value);
    }
}

/// Calls a function with each item of a sequence as soon as it is complete.
pub struct EachItem<T, F> {
    items: Items<T>,
    on_item: F,
}

impl<T, F> EachItem<T, F> {
    /// Of items of this kind, with their number from 0 on.
    pub fn new(items: Items<T>, on_item: F) -> Self {
        Self { items, on_item }
    }
}

impl<T: 'static, F: FnMut(usize, Result<T, Error>) + Send> Shown for EachItem<T, F> {
    fn begin(&mut self) {
        self.items.restart();
    }

    fn show(&mut self, value: &Value) {
        let first = self.items.handed_out();
        let new = self.items.take(Some(value.clone()));
        (first..).zip(new).for_each(|(number, item)| (self.on_item)(number, item));
    }
}
