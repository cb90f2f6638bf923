//! Files of every kind, as the `search` tool goes through them.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{OpenOptions, Permissions, create_dir, create_dir_all};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;

use legwork_port::core::{EffectClass, ToolOutcome};
use legwork_port::{Cancellation, Tool as _};
use serde_json::json;

use crate::fixture::{Fixture, call, call_without_threads, ok, refused};
use crate::list::Swapping;

#[tokio::test]
async fn matches_are_grouped_by_file_in_order() {
    let place = Fixture::new();
    create_dir(place.path("a")).expect("made");
    place
        .write("b.rs", "x\nfn two\n")
        .write("a/z.rs", "fn one\nfn more")
        .write("a.rs", "fn three\n");
    assert_eq!(
        ok!(place.search(), { "pattern": r"fn \w+" }),
        "a/z.rs\n1:fn one\n2:fn more\n\na.rs\n1:fn three\n\nb.rs\n2:fn two\n\n\
         [4 matches in 3 files]\n"
    );
    assert_eq!(
        ok!(place.search(), { "pattern": "fn", "files_only": true }),
        "a/z.rs\na.rs\nb.rs\n\n[3 matching files in all]\n"
    );
    assert_eq!(ok!(place.search(), { "pattern": "gone" }), "[no matches in 3 files]\n");
}

#[tokio::test]
async fn patterns_are_regular_expressions_unless_literal() {
    let place = Fixture::new();
    place.write("a", "a.c\nabc\nABC\r\nend;\r\n");
    let search = place.search();
    assert_eq!(ok!(search, { "pattern": "a.c" }), "a\n1:a.c\n2:abc\n\n[2 matches in 1 file]\n");
    assert_eq!(
        ok!(search, { "pattern": "a.c", "literal": true }),
        "a\n1:a.c\n\n[1 match in 1 file]\n"
    );
    assert!(ok!(search, { "pattern": "abc", "ignore_case": true }).contains("3:ABC\n"));
    // The lines end as on Windows.
    assert!(ok!(search, { "pattern": "^end;$" }).starts_with("a\n4:end;\n"));
    let text = refused!(search, { "pattern": "a(b" });
    assert!(text.contains("unclosed group") && text.contains("literal=true"), "{text}");
    assert!(refused!(search, { "pattern": "a\\nb" }).contains("not allowed"));
    assert!(refused!(search, { "pattern": "(a{1000}){1000}" }).contains("size limit"));
    assert!(refused!(search, { "pattern": "a", "glob": "{a" }).contains("the glob"));
    assert!(refused!(search, { "pattern": "a(?=b)" }).contains("look-around"));
}

#[tokio::test]
async fn context_differs_from_matches() {
    let place = Fixture::new();
    place.write("a", "1\n2\nhit\n4\n5\n6\n7\nhit\n9\nhit\n11\n12\n");
    assert_eq!(
        ok!(place.search(), { "pattern": "hit", "context": 1 }),
        "a\n2-2\n3:hit\n4-4\n--\n7-7\n8:hit\n9-9\n10:hit\n11-11\n\n[3 matches in 1 file]\n"
    );
    // A page that begins with the last match has all that is before it.
    assert_eq!(
        ok!(place.search(), { "pattern": "hit", "context": 2, "offset": 3 }),
        "a\n8-hit\n9-9\n10:hit\n11-11\n12-12\n\n[3 matches in 1 file]\n"
    );
    let text = ok!(place.search(), { "pattern": "hit", "context": 1, "limit": 1 });
    assert_eq!(text, "a\n2-2\n3:hit\n4-4\n\n[matches 1 to 1; more follow, next: offset=2]\n");
}

#[tokio::test]
async fn path_and_glob_choose_files() {
    let place = Fixture::new();
    create_dir_all(place.path("src/deep")).expect("made");
    place.write("src/a.rs", "x").write("src/deep/b.ts", "x").write("c.rs", "x").write("d.tsx", "x");
    for (arguments, files) in [
        (json!({ "path": "src" }), "src/a.rs\nsrc/deep/b.ts\n"),
        (json!({ "path": "src/a.rs" }), "src/a.rs\n"),
        (json!({ "path": "src/../c.rs" }), "c.rs\n"),
        (json!({ "path": "./src/", "glob": "*.ts" }), "src/deep/b.ts\n"),
        (json!({ "glob": "*.rs" }), "src/a.rs\nc.rs\n"),
        (json!({ "glob": "*.rs,!src/" }), "c.rs\n"),
        (json!({ "glob": ["*.ts", "*.tsx"] }), "d.tsx\nsrc/deep/b.ts\n"),
        (json!({ "glob": "deep/*.{ts,tsx}" }), "src/deep/b.ts\n"),
    ] {
        let mut arguments = arguments;
        let object = arguments.as_object_mut().expect("an object");
        object.insert("pattern".to_owned(), "x".into());
        object.insert("files_only".to_owned(), true.into());
        let outcome = call(&place.search(), &arguments).await.to_text();
        let found = outcome.split("\n\n").next().expect("files");
        let mut expected: Vec<&str> = files.lines().collect();
        expected.sort_unstable();
        let mut found: Vec<&str> = found.lines().collect();
        found.sort_unstable();
        assert_eq!(found, expected, "{arguments}");
    }
}

#[tokio::test]
async fn hidden_ignored_and_gits_own_files_are_passed_by() {
    let place = Fixture::new();
    create_dir_all(place.path(".git/refs")).expect("made");
    create_dir_all(place.path("out/sub")).expect("made");
    create_dir(place.path(".github")).expect("made");
    place.write(".gitignore", "out/\n*.tmp\n").write(".git/config", "x").write(".hidden", "x");
    place.write("out/sub/a", "x").write("b.tmp", "x").write("c", "x").write(".github/d", "x");
    let search = place.search();
    assert_eq!(ok!(search, { "pattern": "x" }), "c\n1:x\n\n[1 match in 1 file]\n");
    assert!(ok!(search, { "pattern": "x", "path": "out" }).starts_with("out/sub/a\n"));
    assert!(ok!(search, { "pattern": "x", "path": "b.tmp" }).starts_with("b.tmp\n"));
    assert!(ok!(search, { "pattern": "x", "path": ".github" }).starts_with(".github/d\n"));
    symlink(".git", place.path("link")).expect("linked");
    for path in [".git", ".git/refs", ".git/config", "link", "link/config"] {
        let text = refused!(search, { "pattern": "x", "path": path });
        assert!(text.contains("never searched"), "{path}: {text}");
    }
}

#[tokio::test]
async fn long_lines_and_broken_text_are_shown_in_part() {
    let place = Fixture::new();
    place.write("a", format!("{}needle{}\n", "x".repeat(3_000), "y".repeat(3_000)));
    place.write("b", b"caf\xe9 needle\n");
    let text = ok!(place.search(), { "pattern": "needle" });
    assert!(text.contains("xneedley") && text.contains("… [cut: a line of 6006 bytes]"), "{text}");
    assert!(text.contains("b\n1:caf\u{fffd} needle\n") && text.len() < 1_000, "{text}");
}

#[tokio::test]
async fn a_file_that_is_not_text_is_skipped_without_waiting() {
    let place = Fixture::new();
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    let (cwd, fifo) = (rustix::fs::CWD, rustix::fs::FileType::Fifo);
    rustix::fs::mknodat(cwd, place.path("pipe"), fifo, mode, 0).expect("a pipe");
    let _socket = UnixListener::bind(place.path("socket")).expect("a socket");
    place.write("binary", b"x\n\0x\n").write("utf16", b"\xff\xfex\0\n\0");
    symlink("/dev/zero", place.path("zero")).expect("linked");
    symlink(".", place.path("loop")).expect("linked");
    let search = place.search();
    assert_eq!(
        ok!(search, { "pattern": "x" }),
        "[no matches in 2 files]\n[2 binary files passed by]\n"
    );
    place.write("text", "x");
    assert_eq!(ok!(search, { "pattern": "x" }), "text\n1:x\n\n[1 match in 1 file]\n");
    assert!(refused!(search, { "pattern": "x", "path": "pipe" }).contains("a named pipe"));
    assert!(refused!(search, { "pattern": "x", "path": "zero" }).contains("outside"));
}

#[tokio::test]
async fn outside_is_refused_and_symlinks_are_not_followed() {
    let outside = Fixture::new();
    outside.write("secret", "x");
    let place = Fixture::new();
    create_dir(place.path("dir")).expect("made");
    symlink(outside.path(""), place.path("dir/out")).expect("linked");
    symlink(outside.path("secret"), place.path("secret")).expect("linked");
    place.write("inside", "x");
    symlink("inside", place.path("link")).expect("linked");
    let search = place.search();
    assert_eq!(ok!(search, { "pattern": "x" }), "inside\n1:x\n\n[1 match in 1 file]\n");
    assert!(ok!(search, { "pattern": "x", "path": "link" }).starts_with("inside\n1:x\n"));
    for path in ["dir/out", "secret", "dir/out/secret", "..", "/etc"] {
        let text = refused!(search, { "pattern": "x", "path": path });
        assert!(text.contains("outside the workspace"), "{path}: {text}");
    }
    assert!(refused!(search, { "pattern": "x", "path": "gone" }).contains("there is no file"));
}

#[tokio::test]
async fn a_symlink_swapped_in_never_leads_outside() {
    let outside = Fixture::new();
    outside.write("a", "secret").write(".ignore", "!.never");
    let place = Fixture::new();
    create_dir(place.path("real")).expect("made");
    place.write("real/a", "public");
    symlink(outside.path(""), place.path("link")).expect("linked");
    let _swapping = Swapping::start(place.path("real"), place.path("link"));
    for _ in 0..150 {
        for path in [".", "real", "real/a"] {
            let asked = json!({ "pattern": "secret|public", "path": path });
            let text = call(&place.search(), &asked).await.to_text();
            assert!(!text.contains(":secret"), "{path}: {text}");
        }
    }
}

/// All matches of all pages, by `path:line`, with how often each was shown.
async fn pages(place: &Fixture, arguments: &serde_json::Value) -> (BTreeMap<String, usize>, usize) {
    let (mut seen, mut offset, mut pages) = (BTreeMap::new(), 1, 0);
    loop {
        let mut arguments = arguments.clone();
        arguments.as_object_mut().expect("an object").insert("offset".to_owned(), offset.into());
        let text = call(&place.search(), &arguments).await.to_text();
        pages += 1;
        let mut path = "";
        for line in text.lines().filter(|line| !line.starts_with('[')) {
            match line.split_once(':') {
                Some((number, _)) => *seen.entry(format!("{path}:{number}")).or_default() += 1,
                None if line.contains('/') => path = line,
                None => {}
            }
        }
        let Some((_, next)) = text.rsplit_once("next: offset=") else {
            return (seen, pages);
        };
        let next = next.split(']').next().expect("a number").parse().expect("a number");
        assert!(next > offset, "no progress: {text}");
        offset = next;
    }
}

#[tokio::test]
async fn following_what_it_says_shows_every_match_once() {
    let place = Fixture::new();
    create_dir(place.path("d")).expect("made");
    let mut all = 0;
    for file in 0..60_usize {
        let lines = (0..file).map(|line| if line % 3 == 0 { "hit\n" } else { "miss\n" });
        all += file.div_ceil(3);
        place.write(&format!("d/{file}"), lines.collect::<String>());
    }
    for arguments in [
        json!({ "pattern": "hit", "limit": 7 }),
        json!({ "pattern": "hit", "limit": 50, "context": 4 }),
        json!({ "pattern": "hit", "limit": 2000 }),
    ] {
        let (seen, _) = pages(&place, &arguments).await;
        assert!(seen.values().all(|times| *times == 1), "{arguments}");
        assert_eq!(seen.len(), all, "{arguments}");
    }
    let text = refused!(place.search(), { "pattern": "hit", "offset": 5000 });
    assert_eq!(text, format!("offset=5000 is past the last of {all} matches; use a smaller one"));
    let text = ok!(place.search(), { "pattern": "hit", "files_only": true, "limit": 2 });
    assert_eq!(text, "d/1\nd/10\n\n[files 1 to 2; more follow, next: offset=3]\n");
}

#[tokio::test]
async fn a_page_ends_at_its_bytes_too() {
    let place = Fixture::new();
    create_dir(place.path("d")).expect("made");
    place.write("d/a", format!("{}\n", "x".repeat(450)).repeat(600)).write("d/b", "x\n");
    let (seen, pages) = pages(&place, &json!({ "pattern": "x", "limit": 2000 })).await;
    assert_eq!((seen.len(), pages), (601, 3));
    assert!(seen.values().all(|times| *times == 1));
    let text = ok!(place.search(), { "pattern": "x", "limit": 2000 });
    assert!(text.len() < 110 * 1024, "{}", text.len());
}

#[tokio::test]
async fn a_huge_file_and_a_huge_line_are_not_loaded() {
    let place = Fixture::new();
    place.write("big", format!("first\n{}\n", "x".repeat(9_000)));
    let big = OpenOptions::new().write(true).open(place.path("big")).expect("opened");
    big.set_len(1 << 30).expect("grown");
    place.write("line", format!("early {} late\nlast\n", "x".repeat(20_000_000)));
    let peak = || {
        let status = std::fs::read_to_string("/proc/self/status").expect("read");
        let line = status.lines().find(|line| line.starts_with("VmHWM")).expect("there");
        line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok()).expect("a number")
    };
    let before = peak();
    let text = ok!(place.search(), { "pattern": "first|early|late|last" });
    assert!(text.starts_with("big\n1:first\n\nline\n1:early xx"), "{text}");
    assert!(text.contains("\n2:last\n") && text.contains("only their first MB"), "{text}");
    assert!(peak() - before < 60_000, "kB more: {}", peak() - before);
}

#[tokio::test]
async fn what_cannot_be_read_is_reported_in_one_line() {
    let place = Fixture::new();
    create_dir(place.path("dir")).expect("made");
    place.write("dir/a", "x").write("file", "x").write("open", "x");
    for name in ["dir", "file"] {
        std::fs::set_permissions(place.path(name), Permissions::from_mode(0o000)).expect("set");
    }
    if std::fs::read_dir(place.path("dir")).is_ok() {
        println!("skipped: this user may read everything");
        return;
    }
    assert_eq!(
        ok!(place.search(), { "pattern": "x" }),
        "open\n1:x\n\n[1 match in 1 file]\n[2 files or directories could not be read]\n"
    );
}

#[tokio::test]
async fn names_of_any_bytes_are_searched() {
    let place = Fixture::new();
    let name = OsStr::from_bytes(b"a\xff");
    create_dir(place.path("x").with_file_name(name)).expect("made");
    std::fs::write(place.path("x").with_file_name(name).join("b\n"), "x").expect("written");
    assert!(ok!(place.search(), { "pattern": "x" }).starts_with("a\u{fffd}/b\\n\n1:x\n"));
}

#[test]
fn a_cancelled_call_is_interrupted() {
    let place = Fixture::new();
    let cancellation = Cancellation::new();
    cancellation.cancel();
    let search = place.search();
    let outcome = call_without_threads(&search, &json!({ "pattern": "x" }), cancellation);
    assert!(matches!(outcome, ToolOutcome::Interrupted));
}

#[tokio::test]
async fn searching_changes_nothing() {
    let search = Fixture::new().search();
    assert_eq!(search.spec().effect, EffectClass::ReadOnly);
    assert_eq!(ok!(search, { "pattern": "" }), "[no matches in 0 files]\n");
}
