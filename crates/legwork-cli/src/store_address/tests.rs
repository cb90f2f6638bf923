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

#[test]
fn s13_11_a_word_stands_where_a_password_was() {
    for (given, again) in [
        ("postgres://ann:s3cret@host/db?x=1", "postgres://ann:PASSWORD@host/db?x=1"),
        ("postgres://ann:a@b:c@host/db", "postgres://ann:PASSWORD@host/db"),
        ("redis://:s3cret@host", "redis://:PASSWORD@host"),
        ("postgres://ann@host/db", "postgres://ann@host/db"),
        ("postgres://host/db?password=s3cret", "postgres://host/db"),
        ("sqlite:a:b@c.db", "sqlite:a:b@c.db"),
    ] {
        let said = Sourced::new(given.to_owned(), Source::Flag("--store"));
        let found = StoreAddress::at(said, &Config::default()).unwrap();
        assert_eq!(found.flag(), format!(" --store {}", quoted(again)));
    }
}
