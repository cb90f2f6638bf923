//! Files of a gigabyte, and lines of a hundred megabytes.

use std::fs::File;
use std::io::{BufWriter, Write as _};

use serde_json::json;

use super::child::{Child, peak_memory};
use super::{block_on, overwritten, said};
use crate::fixture::{Fixture, ok, refused};

const GIGABYTE: u64 = 1 << 30;
const LINE: usize = 100 * 1024 * 1024;
/// What this program and its runtime need, and some pages of what is read.
const MEMORY_MAX: u64 = 100 * 1024 * 1024;

fn assert_bounded() {
    let peak = peak_memory();
    println!("peak: {} MB", peak >> 20);
    assert!(peak < MEMORY_MAX, "{} MB", peak >> 20);
}

/// A gigabyte of nothing after these bytes; it takes no room on the disk.
fn sparse(place: &Fixture, name: &str, start: &[u8]) {
    place.write(name, start);
    let file = File::options().write(true).open(place.path(name)).expect("opened");
    file.set_len(GIGABYTE).expect("set");
}

#[test]
fn a_gigabyte() {
    Child::of(concat!(module_path!(), "::a_gigabyte")).run(|| {
        block_on(a_gigabyte_of_nothing());
        block_on(text_before_a_gigabyte());
        assert_bounded();
    });
}

async fn a_gigabyte_of_nothing() {
    let place = Fixture::new();
    sparse(&place, "huge", b"");
    assert_eq!(
        said(&place.workspace(), "huge").await,
        "\
- read: huge is not a text file: it holds NUL bytes; look at it with a program made for its format
- list: huge is not a directory; give one, or leave the path out for the whole workspace
+ search: [no matches in 1 file]
[1 binary file passed by]
- write: huge exists and holds something else (1073741824 bytes); nothing was changed; use `edit` to change parts of it, or overwrite=true to replace all of it
- edit: huge has 1073741824 bytes, and only files up to 10000000 are edited; change it with a program, such as sed
"
    );
    assert_eq!(ok!(place.list(), {}), "huge  1.0 GB\n");
    assert_eq!(
        overwritten(&place.workspace(), "huge", "small\n").await,
        "+ overwrote huge: 6 bytes, 1 line\n[it had 1073741824 bytes; they are not shown]\n"
    );
    assert_eq!(place.bytes("huge"), b"small\n");
}

async fn text_before_a_gigabyte() {
    let place = Fixture::new();
    let text = "a line with a needle\n".repeat(1_000);
    sparse(&place, "huge", text.as_bytes());
    let read = ok!(place.read(), { "path": "huge", "limit": 1 });
    assert_eq!(read, "     1\ta line with a needle\n[lines 1 to 1; more follow, next: offset=2]\n");
    // The last line is all of the zeros.
    let read = refused!(place.read(), { "path": "huge", "offset": 1_001 });
    assert!(read.starts_with("huge is not a text file: it holds NUL bytes"), "{read}");
    let found = ok!(place.search(), { "pattern": "needle", "limit": 2 });
    assert_eq!(
        found,
        "huge\n1:a line with a needle\n2:a line with a needle\n\n[matches 1 to 2; more follow, next: offset=3]\n"
    );
    // What comes after the first NUL is no text.
    let found = ok!(place.search(), { "pattern": "absent" });
    assert_eq!(found, "[no matches in 1 file]\n");
}

#[test]
fn a_line_of_a_hundred_megabytes() {
    Child::of(concat!(module_path!(), "::a_line_of_a_hundred_megabytes")).run(|| {
        block_on(one_line());
        assert_bounded();
    });
}

async fn one_line() {
    let place = Fixture::new();
    let mut file = BufWriter::new(File::create(place.path("line")).expect("made"));
    file.write_all(b"a needle at the start, ").expect("written");
    let part = [b'x'; 64 * 1024];
    for _ in 0..LINE / part.len() {
        file.write_all(&part).expect("written");
    }
    file.write_all(b" a needle at the end\nthe last line\n").expect("written");
    drop(file);
    let bytes = LINE + 23 + 21;
    let whole = bytes + 14;
    let text = said(&place.workspace(), "line").await;
    let shown = format!(
        "+ read:      1\ta needle at the start, {} [line cut: 8192 of its {} bytes shown; the shell can show the rest: sed -n 1p FILE | cut -b 8193-]
     2\tthe last line
- list: line is not a directory; give one, or leave the path out for the whole workspace
+ search: line
1:a needle at the start, {}… [cut: a line of 1048576 bytes]

[1 match in 1 file]
[lines longer than 1 MB in 1 file: only their first MB searched]
- write: line exists and holds something else ({whole} bytes); nothing was changed; use `edit` to change parts of it, or overwrite=true to replace all of it
- edit: line has {whole} bytes, and only files up to 10000000 are edited; change it with a program, such as sed
",
        "x".repeat(8_192 - 23),
        bytes - 1,
        "x".repeat(500 - 23),
    );
    assert_eq!(text, shown);
    let read = ok!(place.read(), { "path": "line", "offset": 2 });
    assert_eq!(read, "     2\tthe last line\n[end of the file at line 2]\n");
    let found = ok!(place.search(), { "pattern": "last", "context": 20 });
    assert!(found.ends_with("2:the last line\n\n[1 match in 1 file]\n[lines longer than 1 MB in 1 file: only their first MB searched]\n"), "{found}");
    assert!(found.len() < 2_000);
    assert_eq!(ok!(place.list(), {}), "line  100 MB\n");
    assert_eq!(
        overwritten(&place.workspace(), "line", "short\n").await,
        format!("+ overwrote line: 6 bytes, 1 line\n[it had {whole} bytes; they are not shown]\n")
    );
}

#[test]
fn the_largest_line_that_is_edited() {
    Child::of(concat!(module_path!(), "::the_largest_line_that_is_edited")).run(|| {
        block_on(async {
            let place = Fixture::new();
            let line = "x".repeat(9_999_990) + "needle";
            place.write("line", &line);
            let edits = json!([{ "old": "needle", "new": "found" }]);
            let text = ok!(place.edit(), { "path": "line", "edits": edits });
            let start = "x".repeat(400);
            assert_eq!(
                text,
                format!(
                    "edited line: 1 place replaced\n--- line\n+++ line\n@@ -1,1 +1,1 @@\n\
                     -{start} [line cut: it has 9999996 bytes]\n\\ No newline at end of file\n\
                     +{start} [line cut: it has 9999995 bytes]\n\\ No newline at end of file\n"
                )
            );
            let end = place.bytes("line").split_off(9_999_985);
            assert_eq!(end, b"xxxxxfound");
        });
        assert_bounded();
    });
}
