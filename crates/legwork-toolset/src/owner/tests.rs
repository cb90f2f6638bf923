//! What it costs to see that no two of many tools have one name.

use std::cell::Cell;
use std::cmp::Ordering;

use super::*;

thread_local! {
    static COMPARED: Cell<usize> = const { Cell::new(0) };
}

/// A name that counts how often it is compared.
#[derive(Clone, PartialEq, Eq)]
struct Counted(usize);

impl Ord for Counted {
    fn cmp(&self, other: &Self) -> Ordering {
        COMPARED.set(COMPARED.get() + 1);
        self.0.cmp(&other.0)
    }
}

impl PartialOrd for Counted {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[test]
fn ten_thousand_names_are_taken_with_few_comparisons() {
    let mut claims = TakenNames::default();
    for n in 0..10_000 {
        assert!(claims.take(&Counted(n * 7919 % 10_007), &Owner::Builder).is_ok());
    }
    assert!(COMPARED.get() < 10_000 * 40, "{}", COMPARED.get());
    let twice = claims.take(&Counted(7919), &Owner::Subagents);
    assert_eq!(twice, Err(Owner::Builder));
}
