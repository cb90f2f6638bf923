//! What it costs to find a tool among many.

use std::cell::Cell;
use std::cmp::Ordering;

use super::*;

thread_local! {
    static COMPARED: Cell<usize> = const { Cell::new(0) };
}

/// A name that counts how often it is compared.
#[derive(PartialEq, Eq)]
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
fn finding_each_of_ten_thousand_names_compares_few() {
    let names = || (0..10_000).map(|n| Counted(n * 7919 % 10_007));
    let index = Index::of(names());
    assert!(COMPARED.take() < 10_000 * 40, "they are put in place");
    for (at, name) in names().enumerate() {
        assert_eq!(index.find(&name), Some(at));
    }
    assert!(COMPARED.take() < 10_000 * 40, "they are found");
    assert_eq!(index.find(&Counted(10_008)), None);
}

#[test]
fn the_first_of_two_tools_of_one_name_is_found() {
    let spec = |name: &str, description: &str| {
        Arc::new(ToolSpec::new(name, description, serde_json::json!({"type": "object"})))
    };
    let specs = ToolSpecs::new(vec![spec("a", "0"), spec("b", "1"), spec("b", "2")]);
    let found = |name: &str| specs.find(name).map(|(at, spec)| (at, spec.description.to_string()));
    assert_eq!(found("a"), Some((0, "0".to_owned())));
    assert_eq!(found("b"), Some((1, "1".to_owned())));
    assert_eq!(found("c"), None);
}
