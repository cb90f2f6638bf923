//! Names that are not UTF-8, or that would be more than one line.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use super::{overwritten, said};
use crate::fixture::{Fixture, ok, refused};

fn broken(place: &Fixture) -> PathBuf {
    place.path("x").with_file_name(OsStr::from_bytes(b"caf\xe9"))
}

#[tokio::test]
async fn a_name_that_is_not_utf_8() {
    let place = Fixture::new();
    std::fs::write(broken(&place), "a needle\n").expect("made");
    assert_eq!(ok!(place.list(), {}), "caf\u{fffd}  9 B  [name is not UTF-8]\n");
    let text = ok!(place.search(), { "pattern": "needle" });
    assert_eq!(text, "caf\u{fffd}\n1:a needle\n\n[1 match in 1 file]\n");
    // The name as it is shown cannot be asked for, and nothing else is made in its place.
    let why = "there is no file caf\u{fffd}; a file there has a name that is not UTF-8 and is only shown like this; no tool can name it: give it another name in the shell first, by a glob such as mv caf? cafe";
    let text = said(&place.workspace(), "caf\u{fffd}").await;
    assert_eq!(
        text,
        format!("- read: {why}\n- list: {why}\n- search: {why}\n- write: {why}\n- edit: {why}\n")
    );
    let text = overwritten(&place.workspace(), "caf\u{fffd}", "x").await;
    assert_eq!(text, format!("- {why}"));
    assert_eq!(std::fs::read(broken(&place)).expect("there"), b"a needle\n");
    assert_eq!(place.names().len(), 1);
    let text = refused!(place.read(), { "path": "cafe" });
    assert_eq!(text, "there is no file cafe; the root of the workspace holds caf\u{fffd}");
}

#[tokio::test]
async fn a_directory_whose_name_is_not_utf_8() {
    let place = Fixture::new();
    std::fs::create_dir(broken(&place)).expect("made");
    std::fs::write(broken(&place).join("a"), "a needle\n").expect("made");
    assert_eq!(
        ok!(place.list(), { "depth": 2 }),
        "caf\u{fffd}/  [name is not UTF-8]\ncaf\u{fffd}/a  9 B\n"
    );
    let text = ok!(place.search(), { "pattern": "needle", "files_only": true });
    assert_eq!(text, "caf\u{fffd}/a\n\n[1 matching file in all]\n");
}

#[tokio::test]
async fn a_name_with_line_ends_and_escapes() {
    let place = Fixture::new();
    place.write("a\nb\u{1b}[31m", "a needle\n");
    let report = "a\\nb\\u{1b}[31m";
    assert_eq!(ok!(place.list(), {}), format!("{report}  9 B\n"));
    let text = ok!(place.search(), { "pattern": "needle" });
    assert_eq!(text, format!("{report}\n1:a needle\n\n[1 match in 1 file]\n"));
    for text in [
        refused!(place.read(), { "path": "gone" }),
        refused!(place.edit(), { "path": "gone", "edits": [{ "old": "a", "new": "b" }] }),
    ] {
        assert_eq!(
            text,
            format!("there is no file gone; the root of the workspace holds {report}")
        );
    }
    let text = ok!(place.read(), { "path": "a\nb\u{1b}[31m" });
    assert_eq!(text, "     1\ta needle\n");
}
