use std::io::Read as _;
use std::path::{Path, PathBuf};

use grep_regex::RegexMatcher;

use super::count::{Unit, count};
use super::files::collect;
use super::glob::{Asked, Globs};
use super::line::shorten;
use super::text::{LINE_MAX, Lines};
use crate::Workspace;
use crate::blocking::Stop;
use crate::tree::Tree;
use crate::tree::{Hidden, Rules};

#[test]
fn globs_are_parted_at_commas_outside_braces() {
    for (written, parts) in [
        ("*.rs", vec!["*.rs"]),
        ("*.rs, *.toml", vec!["*.rs", "*.toml"]),
        ("*.{ts,tsx},!a", vec!["*.{ts,tsx}", "!a"]),
        ("[a,b].c,", vec!["[a,b].c"]),
        ("", vec![]),
    ] {
        assert_eq!(Asked::One(written.to_owned()).split(), parts, "{written}");
    }
}

#[test]
fn globs_match_at_any_depth() {
    let takes = |globs: &[&str], path: &str| {
        let globs: Vec<String> = globs.iter().map(|glob| (*glob).to_owned()).collect();
        Globs::new(&globs).expect("a glob").takes(Path::new(path), false)
    };
    for (globs, path, taken) in [
        (&["*.rs"][..], "a/b.rs", true),
        (&["*.rs"], "a/b.ts", false),
        (&["src/*.rs"], "crates/x/src/b.rs", true),
        (&["src/*.rs"], "src/deep/b.rs", false),
        (&["/src/*.rs"], "crates/x/src/b.rs", false),
        (&["./src/*.rs"], "src/b.rs", true),
        (&["src/"], "x/src/deep/b.rs", true),
        (&["src/**"], "x/src/deep/b.rs", true),
        (&["*.rs", "!b.rs"], "a/b.rs", false),
        (&["!b.rs"], "a/c.rs", true),
        (&[], "a/c.rs", true),
    ] {
        assert_eq!(takes(globs, path), taken, "{globs:?} {path}");
    }
}

#[test]
fn long_lines_are_cut_around_the_match() {
    assert_eq!(shorten(b"short\r\n", 0), "short");
    assert_eq!(shorten(&[b'x'; 500], 0), "x".repeat(500));
    let line = [vec![b'x'; 600], b"needle".to_vec(), vec![b'y'; 600]].concat();
    let cut = shorten(&line, 600);
    assert!(cut.starts_with('…') && cut.contains("needle"), "{cut}");
    assert!(cut.ends_with("y… [cut: a line of 1206 bytes]"), "{cut}");
    // 300 characters in 600 bytes are no long line; no character is halved.
    assert_eq!(shorten("é".repeat(300).as_bytes(), 0), "é".repeat(300));
    let cut = shorten("é".repeat(900).as_bytes(), 1201);
    assert!(!cut.contains('\u{fffd}'), "{cut}");
    assert!(shorten(&[0xff; 400], 0).contains('\u{fffd}'));
}

#[test]
fn only_what_is_too_long_is_dropped() {
    let stop = Stop::default();
    for lengths in
        [vec![0, 1, LINE_MAX, 3], vec![LINE_MAX + 1, 5, LINE_MAX * 2 + 7, 0], vec![3 * LINE_MAX]]
    {
        let text = |most: usize| {
            let lines = lengths.iter().map(|length| "x".repeat(most.min(*length)));
            lines.collect::<Vec<_>>().join("\n")
        };
        let mut kept = String::new();
        let whole = text(usize::MAX);
        Lines::of(whole.as_bytes(), &stop).read_to_string(&mut kept).expect("read");
        assert!(kept == text(LINE_MAX), "{lengths:?}");
    }
}

#[test]
fn reading_ends_when_it_is_stopped() {
    let stop = Stop::default();
    stop.raise();
    let mut lines = Lines::of(std::io::repeat(b'x'), &stop);
    assert!(lines.read(&mut [0; 10]).is_err());
}

#[test]
fn a_stopped_walk_and_a_stopped_count_end() {
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::write(dir.path().join("a"), "x\nx\nx\n").expect("written");
    let tree = Tree::open(&Workspace::open(dir.path()).expect("opened")).expect("opened");
    let globs = Globs::new(&[]).expect("no globs");
    let start = || (PathBuf::new(), Rules::on(Hidden::LeftOut));
    let matcher = RegexMatcher::new("x").expect("a pattern");
    let stop = Stop::default();
    let files = collect(&tree, start(), &globs, 3, &stop);
    assert_eq!(files.paths, [Path::new("a")]);
    // It counts no further than it must.
    let counted = count(&tree, &matcher, &files.paths, (Unit::Lines, 2), 3, &stop);
    assert_eq!((counted.found, counted.matches), (2, vec![2]));
    stop.raise();
    assert!(collect(&tree, start(), &globs, 3, &stop).paths.is_empty());
    let counted = count(&tree, &matcher, &files.paths, (Unit::Lines, 2), 3, &stop);
    assert_eq!(counted.found, 0);
}
