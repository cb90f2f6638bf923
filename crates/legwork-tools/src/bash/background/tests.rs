//! What is held for the next reading.

use super::unread::{Unread, shortened};
use crate::process::Sink as _;

#[test]
fn nothing_is_given_twice() {
    let mut unread = Unread::new(100);
    unread.push(b"one");
    assert_eq!((unread.take(), unread.take()), ("one".to_owned(), String::new()));
    unread.push(b"two");
    assert_eq!(unread.take(), "two");
}

#[test]
fn a_character_split_between_readings_comes_whole() {
    let text = "grüße, 世界 🦀\n";
    for at in 0..text.len() {
        let (first, rest) = text.as_bytes().split_at(at);
        let mut unread = Unread::new(100);
        unread.push(first);
        let read = unread.take();
        assert!(text.starts_with(&read), "{at}: {read:?}");
        unread.push(rest);
        assert_eq!(read + &unread.take(), text, "{at}");
    }
}

#[test]
fn half_a_character_is_not_read_until_the_end() {
    let mut unread = Unread::new(100);
    for byte in b"\xf0\x9f\xa6" {
        unread.push(&[*byte]);
        assert!(unread.is_empty());
    }
    unread.close();
    assert_eq!(unread.take(), "\u{fffd}");
    // What is no character at all is not waited for.
    unread.push(b"\xff");
    assert_eq!(unread.take(), "\u{fffd}");
}

#[test]
fn unread_output_is_bounded_and_counted() {
    let mut unread = Unread::new(100);
    for _ in 0..1000 {
        unread.push(&[b'x'; 1000]);
    }
    let text = unread.take();
    assert!(text.len() < 300 && text.contains("of 1000000 bytes left out"), "{text}");
}

#[test]
fn a_long_command_is_shown_in_one_short_line() {
    assert_eq!(shortened(" a\n  b\t"), "a b");
    let line = shortened(&"ü ".repeat(1_000_000));
    assert_eq!(line.chars().count(), 121);
    assert!(line.ends_with('…'));
}
