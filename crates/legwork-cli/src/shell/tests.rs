//! A shell reads quoted text as one word.

use std::process::Command;

use super::quoted;

#[test]
fn what_a_shell_would_break_is_quoted() {
    assert_eq!(quoted("sqlite:/a/b-1.db"), "sqlite:/a/b-1.db");
    assert_eq!(quoted("sqlite:my own.db"), "'sqlite:my own.db'");
    assert_eq!(quoted("it's $HOME"), "'it'\\''s $HOME'");
    assert_eq!(quoted(""), "''");
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
    let output = Command::new("bash").args(["-c", &line]).env("LC_ALL", "C").output().unwrap();
    let read: Vec<_> = output.stdout.split(|byte| *byte == 0).collect();
    let bytes: Vec<_> = texts.iter().map(String::as_bytes).chain([&b""[..]]).collect();
    assert_eq!(read, bytes);
}
