//! Which addresses are accepted, and the flag that repeats one.

use super::{StoreAddress, checked};
use crate::config::{Config, Source, Sourced};
use crate::shell::quoted;

#[test]
fn an_address_is_checked_before_it_is_used() {
    for address in ["sqlite:x.db", "sqlite:/x y", "jsonl:x", "redis://host", "memory:"] {
        let said = Sourced::new(address.to_owned(), Source::Flag("--store"));
        let found = StoreAddress::at(said, &Config::default()).unwrap();
        assert_eq!(found.flag(), format!(" --store {}", quoted(address)));
    }
    for address in ["x.db", "sqlite:", "mysql://x", "memory:x"] {
        assert!(checked(address).is_err(), "{address}");
    }
}
