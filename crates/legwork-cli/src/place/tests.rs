//! Addresses of stores as they are typed and told.

use std::process::Command;

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

#[test]
fn s13_9_any_quoted_text_is_one_word_for_a_shell() {
    let mut rng = fastrand::Rng::with_seed(9);
    let odd = "'\"\\$`(){};&|<>*?[]~#!\n\r\t \u{1b}\u{7f}\u{85}\u{202e}\u{200b}\u{e0041}é0ax";
    let odd: Vec<char> = odd.chars().collect();
    let mut any = || match rng.bool() {
        true => odd[rng.usize(..odd.len())],
        false => rng.char('\u{1}'..),
    };
    let texts: Vec<String> = (0..300).map(|at| (0..at % 12).map(|_| any()).collect()).collect();
    let words: Vec<_> = texts.iter().map(|text| quoted(text)).collect();
    assert!(words.iter().all(|word| !word.contains(['\n', '\r', '\u{1b}', '\u{202e}'])));
    let line = format!("printf '%s\\0' {}", words.join(" "));
    let told = Command::new("bash").args(["-c", &line]).env("LC_ALL", "C").output().unwrap();
    let read: Vec<_> = told.stdout.split(|byte| *byte == 0).collect();
    let bytes: Vec<_> = texts.iter().map(String::as_bytes).chain([&b""[..]]).collect();
    assert_eq!(read, bytes);
}
