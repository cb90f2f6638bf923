//! Replacements, hints and diffs without a file.

use super::apply::{Misfit, Replacement, apply};
use super::hint;
use crate::diff::{count_lines, is_crlf, unified};

fn edit(old: &str, new: &str) -> Replacement {
    Replacement { old: old.into(), new: new.into(), replace_all: None }
}

fn all(old: &str, new: &str) -> Replacement {
    Replacement { replace_all: Some(true), ..edit(old, new) }
}

fn check(text: &[u8], edit: &Replacement, after: &[u8]) {
    let (text, _) = apply(text, edit).expect("fits");
    assert_eq!(text.escape_ascii().to_string(), after.escape_ascii().to_string());
}

#[test]
fn what_is_not_touched_stays_byte_for_byte() {
    check(
        b"\xef\xbb\xbfone\r\ntwo\xff\n\xfethree",
        &edit("two", "2"),
        b"\xef\xbb\xbfone\r\n2\xff\n\xfethree",
    );
    check(b"a b a", &all("a", "aa"), b"aa b aa");
    check(b"x", &edit("x", ""), b"");
}

#[test]
fn line_endings_follow_the_file() {
    check(b"a\r\nb\r\nc\r\n", &edit("a\nb", "a\nx\nb"), b"a\r\nx\r\nb\r\nc\r\n");
    check(b"a\r\nb", &edit("b", "b\nc\n"), b"a\r\nb\r\nc\r\n");
    check(b"a\r\nb", &edit("\nb", "\nc"), b"a\r\nc");
    check(b"a\r\nb\r\n", &edit("a\n", ""), b"b\r\n");
    check(b"a\nb\n", &edit("a\nb", "a\nc"), b"a\nc\n");
    check(b"a\r\nb\r\n", &edit("a\r\nb", "a\r\nc"), b"a\r\nc\r\n");
    check(b"a\r\nb\r\n", &all("\n", "\n\n"), b"a\r\n\r\nb\r\n\r\n");
    // Mixed: as the place itself has it.
    check(b"a\r\nb\nc\r\n", &edit("a", "1\n2"), b"1\r\n2\r\nb\nc\r\n");
    check(b"a\r\nb\nc\r\n", &edit("b", "1\n2"), b"a\r\n1\n2\nc\r\n");
    check(b"a\nb\na\r\nb\r\n", &all("a\nb", "x\ny"), b"x\ny\nx\r\ny\r\n");
    assert_eq!(
        apply(b"a\nb\na\r\nb\r\n", &edit("a\nb", "x")),
        Err(Misfit::Ambiguous { count: 2, lines: vec![1, 3] })
    );
}

#[test]
fn one_place_or_none() {
    assert_eq!(apply(b"a", &edit("", "x")), Err(Misfit::Empty));
    assert_eq!(apply(b"a", &edit("a", "a")), Err(Misfit::Same));
    assert_eq!(apply(b"a", &edit("b", "x")), Err(Misfit::Absent));
    assert_eq!(apply(b"a", &all("b", "x")), Err(Misfit::Absent));
    let twice = Misfit::Ambiguous { count: 2, lines: vec![1, 1] };
    assert_eq!(apply(b"aaa", &edit("aa", "x")), Err(twice), "overlapping places count");
    check(b"aaa", &all("aa", "x"), b"xa");
}

#[test]
fn what_would_never_end_is_refused() {
    let text = vec![b'a'; 9_000_000];
    assert_eq!(apply(&text, &all("a", "bb")), Err(Misfit::TooMany));
    let half = "a".repeat(4_500_000);
    assert!(matches!(apply(&text, &edit(&half, "b")), Err(Misfit::Ambiguous { count: 101, .. })));
    let long = "b".repeat(2_000_000);
    assert_eq!(apply(&text, &all(&half, &(half.clone() + &long))), Err(Misfit::TooBig));
}

#[test]
fn a_hint_says_what_is_there() {
    let text = b"fn main() {\n\tlet one = 1;\n\tlet two = 2;\n}\n";
    let hint = |old: &str, new: &str| hint::of(text, text, &edit(old, new));
    let spaces = hint("    let one = 1;\n    let two = 2;", "x");
    assert!(spaces.starts_with("only white space differs from lines 2 to 3"), "{spaces}");
    assert!(spaces.contains("\n\tlet one = 1;\n\tlet two = 2;\n"), "{spaces}");
    let numbers = hint("     2\t\tlet one = 1;\n     3\t\tlet two = 2;\n", "x");
    assert!(numbers.contains("line number"), "{numbers}");
    let made = hint("let uno = 1;", "let one = 1;");
    assert!(made.contains("`new` is there already, in line 2"), "{made}");
    let near = hint("let three = 2;", "x");
    assert!(near.starts_with("the nearest is line 3, which is exactly:\n\tlet two = 2;"), "{near}");
    let tail = hint("\tlet one = 1;\n\tlet nine = 9;\n", "x");
    assert!(tail.starts_with("its first line is line 2"), "{tail}");
    assert!(hint("?", "x").contains("nothing there is like it"));
    assert!(hint(" \n ", "x").contains("nothing there is like it"));
    let before = hint::of(b"two", b"one", &edit("one", "x"));
    assert!(before.contains("an edit before it"), "{before}");
}

#[test]
fn a_diff_is_unified() {
    let old: String = (1..=20).map(|n| format!("line {n}\n")).collect();
    let new = old.replace("line 10\n", "line ten\n").replace("line 20\n", "line 20");
    assert_eq!(
        unified("a", old.as_bytes(), new.as_bytes()),
        "--- a\n+++ a\n@@ -7,7 +7,7 @@\n line 7\n line 8\n line 9\n-line 10\n+line ten\n line 11\n \
         line 12\n line 13\n@@ -17,4 +17,4 @@\n line 17\n line 18\n line 19\n-line 20\n+line 20\n\
         \\ No newline at end of file\n"
    );
    assert_eq!(unified("a", b"", b"x\n"), "--- a\n+++ a\n@@ -0,0 +1,1 @@\n+x\n");
    assert_eq!(unified("a", b"x\n", b""), "--- a\n+++ a\n@@ -1,1 +0,0 @@\n-x\n");
    let crlf = unified("a", b"x\r\n", b"x\n");
    assert_eq!(crlf, "--- a\n+++ a\n@@ -1,1 +1,1 @@\n-x\\r\n+x\n");
    assert!(!unified("a", b"x\r\n", b"y\r\n").contains('\r'));
}

#[test]
fn a_diff_is_bounded() {
    let old: String = (0..1_000).map(|n| format!("old {n}\n")).collect();
    let new: String = (0..1_000).map(|n| format!("new {n}\n")).collect();
    let diff = unified("a", old.as_bytes(), new.as_bytes());
    assert_eq!(diff.lines().count(), 2 + 1 + 200 + 1);
    assert!(diff.ends_with("[1800 more lines of the diff are not shown]\n"), "{diff}");
    let long = unified("a", b"", "\u{e9}".repeat(100_000).as_bytes());
    assert!(long.len() < 1_000 && long.contains("[line cut: it has 200000 bytes]"), "{long}");
    assert!(!long.contains('\u{fffd}'));
    let lines = "\n".repeat(300_000);
    assert!(unified("a", b"x", lines.as_bytes()).contains("too many lines"));
}

#[test]
fn a_change_far_down_has_its_line_number() {
    let old: String = (1..=100_000).map(|n| format!("{n}\n")).collect();
    let new = old.replace("\n50000\n", "\nfifty thousand\n");
    let diff = unified("a", old.as_bytes(), new.as_bytes());
    assert!(diff.contains("@@ -49997,7 +49997,7 @@\n 49997\n"), "{diff}");
    assert_eq!(diff.lines().count(), 11);
    let doubled = old.replace("\n50000\n", "\n50000\n50000\n");
    let diff = unified("a", old.as_bytes(), doubled.as_bytes());
    assert_eq!(diff.lines().filter(|line| line.starts_with('+')).count(), 2, "{diff}");
}

#[test]
fn lines_and_endings_are_counted() {
    assert_eq!([&b""[..], b"a", b"a\n", b"a\nb"].map(count_lines), [0, 1, 1, 2]);
    assert_eq!(
        [&b""[..], b"a", b"a\r\n", b"a\r\nb\n", b"\n"].map(is_crlf),
        [false, false, true, false, false]
    );
}
