//! Files of every kind, the hostile ones too.

use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;

use crate::fixture::{Fixture, ok, refused};

#[tokio::test]
async fn a_text_is_shown_with_line_numbers() {
    let place = Fixture::new();
    place.write("a.txt", "one\ntwo\n").write("empty", "");
    assert_eq!(ok!(place.read(), { "path": "a.txt" }), "     1\tone\n     2\ttwo\n");
    assert_eq!(ok!(place.read(), { "path": "empty" }), "[empty is empty]");
}

#[tokio::test]
async fn following_what_it_says_reads_the_whole_file() {
    let place = Fixture::new();
    let lines: Vec<String> =
        (1..=5_000).map(|n| format!("line {n} {}", "x".repeat(n % 90))).collect();
    place.write("long", lines.join("\n"));
    let (mut seen, mut offset) = (Vec::new(), 1);
    loop {
        let text = ok!(place.read(), { "path": "long", "offset": offset });
        seen.extend(
            text.lines().filter_map(|line| line.split_once('\t')).map(|(_, line)| line.to_owned()),
        );
        let Some((_, next)) = text.rsplit_once("next: offset=") else {
            break;
        };
        offset = next.trim_end_matches("]\n").parse().expect("a number");
    }
    assert_eq!(seen, lines);
}

#[tokio::test]
async fn offset_and_limit_choose_lines() {
    let place = Fixture::new();
    place.write("a", "1\n2\n3\n4\n");
    let text = ok!(place.read(), { "path": "a", "offset": 2, "limit": 2 });
    assert_eq!(text, "     2\t2\n     3\t3\n[lines 2 to 3; more follow, next: offset=4]\n");
    let text = ok!(place.read(), { "path": "a", "offset": 4 });
    assert_eq!(text, "     4\t4\n[end of the file at line 4]\n");
    let text = refused!(place.read(), { "path": "a", "offset": 9 });
    assert_eq!(text, "offset=9 is past the end of a, which has 4 lines; use a smaller one");
}

#[tokio::test]
async fn a_file_that_is_not_text_is_refused_with_what_to_do() {
    let place = Fixture::new();
    place.write("nul", b"a\0b").write("utf16", b"\xff\xfea\0").write("noise", [0xb7; 500]);
    assert!(refused!(place.read(), { "path": "nul" }).contains("it holds NUL bytes"));
    assert!(refused!(place.read(), { "path": "utf16" }).contains("iconv"));
    assert!(refused!(place.read(), { "path": "noise" }).contains("not UTF-8"));
}

#[tokio::test]
async fn latin_1_is_shown_with_a_note() {
    let place = Fixture::new();
    place.write("latin", b"a long enough line of Latin-1 with one caf\xe9 in it\n");
    assert!(ok!(place.read(), { "path": "latin" }).contains("[1 places are not UTF-8"));
}

#[tokio::test]
async fn a_path_that_is_not_a_file_is_refused_at_once() {
    let place = Fixture::new();
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    let made = rustix::fs::mknodat(
        rustix::fs::CWD,
        place.path("pipe"),
        rustix::fs::FileType::Fifo,
        mode,
        0,
    );
    made.expect("a pipe");
    let _socket = UnixListener::bind(place.path("socket")).expect("a socket");
    std::fs::create_dir(place.path("dir")).expect("made");
    place.write("dir/inner", "");
    assert!(refused!(place.read(), { "path": "pipe" }).contains("a named pipe"));
    assert!(refused!(place.read(), { "path": "socket" }).contains("a socket"));
    assert_eq!(
        refused!(place.read(), { "path": "dir" }),
        "dir is a directory, not a file; dir holds inner"
    );
    symlink("/dev/zero", place.path("zero")).expect("linked");
    assert!(refused!(place.read(), { "path": "zero" }).contains("outside the workspace"));
}

#[tokio::test]
async fn outside_is_refused() {
    let place = Fixture::new();
    symlink("/etc/passwd", place.path("innocent")).expect("linked");
    for asked in ["innocent", "/etc/passwd", "../../etc/passwd", "/proc/self/environ"] {
        assert!(
            refused!(place.read(), { "path": asked }).contains("outside the workspace"),
            "{asked}"
        );
    }
    assert!(refused!(place.read(), { "path": "" }).contains("is not a path"));
    assert!(refused!(place.read(), { "path": "a\u{0}b" }).contains("is not a path"));
}

#[tokio::test]
async fn a_missing_file_says_what_is_there() {
    let place = Fixture::new();
    std::fs::create_dir(place.path("src")).expect("made");
    place.write("src/main.rs", "").write("src/lib.rs", "");
    let text = refused!(place.read(), { "path": "src/man.rs" });
    assert_eq!(text, "there is no file src/man.rs; src holds lib.rs, main.rs");
    let text = refused!(place.read(), { "path": "lib/deep/x" });
    assert_eq!(text, "there is no file lib/deep/x; the root of the workspace holds src");
    let text = refused!(place.read(), { "path": "src/lib.rs/x" });
    assert!(text.starts_with("there is no file src/lib.rs/x"), "{text}");
    symlink("nowhere", place.path("dangling")).expect("linked");
    assert!(refused!(place.read(), { "path": "dangling" }).contains("there is no file"));
}

#[tokio::test]
async fn a_forbidden_file_says_so() {
    let place = Fixture::new();
    place.write("locked", "x");
    std::fs::set_permissions(place.path("locked"), Permissions::from_mode(0o000)).expect("set");
    if std::fs::File::open(place.path("locked")).is_ok() {
        println!("skipped: this user may read everything");
        return;
    }
    assert!(refused!(place.read(), { "path": "locked" }).contains("no permission"));
}

#[tokio::test]
async fn a_file_of_a_gigabyte_is_not_loaded() {
    let place = Fixture::new();
    place.write("big", format!("first\n{}\n", "x".repeat(9_000)));
    let big = std::fs::OpenOptions::new().write(true).open(place.path("big")).expect("opened");
    big.set_len(1 << 30).expect("grown");
    let text = ok!(place.read(), { "path": "big", "limit": 1 });
    assert_eq!(text, "     1\tfirst\n[lines 1 to 1; more follow, next: offset=2]\n");
    let peak = || {
        let status = std::fs::read_to_string("/proc/self/status").expect("read");
        let line = status.lines().find(|line| line.starts_with("VmHWM")).expect("there");
        line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok()).expect("a number")
    };
    // One line of a gigabyte: all of it is gone through, little of it kept.
    let before = peak();
    let text = refused!(place.read(), { "path": "big", "offset": 3 });
    assert!(text.contains("it holds NUL bytes"), "{text}");
    assert!(peak() - before < 50_000, "kB more: {}", peak() - before);
}
