//! Addresses of stores as they are typed and told.

use super::{Place, quoted};

#[test]
fn what_a_shell_would_break_is_quoted() {
    assert_eq!(quoted("sqlite:/a/b-1.db"), "sqlite:/a/b-1.db");
    assert_eq!(quoted("sqlite:my own.db"), "'sqlite:my own.db'");
    assert_eq!(quoted("it's $HOME"), "'it'\\''s $HOME'");
    assert_eq!(quoted(""), "''");
}

#[test]
fn an_address_is_checked_before_it_is_used() {
    for address in ["sqlite:x.db", "sqlite:/x y", "memory:"] {
        let place = Place::checked(address.to_owned(), true).unwrap();
        assert_eq!(place.flag(), format!(" --store {}", quoted(address)));
    }
    for address in ["x.db", "sqlite:", "postgres://x", "memory:x"] {
        assert!(Place::checked(address.to_owned(), true).is_err(), "{address}");
    }
}
