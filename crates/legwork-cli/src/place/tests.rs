//! Addresses of stores as they are typed and told.

use super::{Place, checked, quoted};
use crate::config::{Config, Source, Sourced};

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
        let said = Sourced::new(address.to_owned(), Source::Flag("--store"));
        let place = Place::at(said, &Config::default()).unwrap();
        assert_eq!(place.flag(), format!(" --store {}", quoted(address)));
    }
    for address in ["x.db", "sqlite:", "postgres://x", "memory:x"] {
        assert!(checked(address.to_owned()).is_err(), "{address}");
    }
}
