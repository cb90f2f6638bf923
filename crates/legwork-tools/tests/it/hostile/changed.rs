//! Files that another process changes at any moment of a call.

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;

use serde_json::json;

use super::{block_on, edited, one, overwritten, pause};
use crate::fixture::{Fixture, call};

/// Every call by which a tool looks at files, and the one before its last look. (Between that
/// look and the renaming next to it a change is lost, as is documented.)
const LOOKS: [libc::c_long; 5] =
    [libc::SYS_openat2, libc::SYS_openat, libc::SYS_readlinkat, libc::SYS_read, libc::SYS_fsync];

const CHANGED: &str = "was changed by another process meanwhile; nothing was written; read it again, then repeat what still applies";

/// Runs a case again and again, with the change one call later each time, until it comes too
/// late; each case is given when the change is to be and says whether it was.
fn at_every_moment(mut case: impl FnMut(usize) -> bool) {
    let moments = (0..200).take_while(|&moment| case(moment)).count();
    assert!((3..200).contains(&moments), "{moments}");
}

/// Whether a change came before the call had done its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    InTime,
    TooLate,
}

/// What a call says when this is done at one moment, and whether that was in time.
fn at<T: Send>(
    moment: usize,
    change: impl Fn() -> Change,
    work: impl FnOnce() -> T + Send,
) -> (T, bool) {
    let mut happened = false;
    let said = pause::at_each(&LOOKS, work, |count| {
        if count == moment {
            happened = change() == Change::InTime;
        }
    });
    (said, happened)
}

/// Does this to the file `a` unless it holds what the call was to write.
fn unless_holds(place: &Fixture, written: &[u8], change: impl Fn()) -> Change {
    if std::fs::read(place.path("a")).is_ok_and(|now| now == written) {
        return Change::TooLate;
    }
    change();
    Change::InTime
}

#[test]
fn no_edit_loses_what_another_process_wrote() {
    let mut kinds = BTreeSet::new();
    at_every_moment(|moment| {
        let place = Fixture::new();
        place.write("a", "a needle\n");
        // Another length: the clock of the file system may be too coarse for anything else.
        let change = || {
            unless_holds(&place, b"a found\n", || {
                place.write("a", "theirs: a needle\n");
            })
        };
        let edits = json!([{ "old": "needle", "new": "found" }]);
        let workspace = place.workspace();
        let (text, happened) = at(moment, change, || block_on(edited(&workspace, "a", edits)));
        let now = String::from_utf8(place.bytes("a")).expect("UTF-8");
        match (happened, text.starts_with('+')) {
            // It came first: the edit is made in what is there now.
            (true, true) => assert_eq!(now, "theirs: a found\n", "{moment}: {text}"),
            (true, false) => {
                assert_eq!(text, format!("- a {CHANGED}"));
                assert_eq!(now, "theirs: a needle\n");
            }
            (false, _) => assert_eq!(now, "a found\n", "{text}"),
        }
        assert_eq!(place.names(), ["a"]);
        kinds.insert((happened, text.starts_with('+')));
        happened
    });
    assert_eq!(kinds.len(), 3, "{kinds:?}");
}

#[test]
fn no_edit_brings_back_what_is_gone() {
    at_every_moment(|moment| {
        let place = Fixture::new();
        place.write("a", "a needle\n");
        let change = || {
            unless_holds(&place, b"a found\n", || {
                std::fs::remove_file(place.path("a")).expect("removed");
            })
        };
        let edits = json!([{ "old": "needle", "new": "found" }]);
        let workspace = place.workspace();
        let (text, happened) = at(moment, change, || block_on(edited(&workspace, "a", edits)));
        if happened {
            let gone = text.starts_with("- there is no file a; the root of the workspace ");
            assert!(gone || text == format!("- a {CHANGED}"), "{moment}: {text}");
            assert!(place.names().is_empty(), "{moment}: {:?}", place.names());
        }
        happened
    });
}

#[test]
fn no_write_takes_the_place_of_what_appears() {
    at_every_moment(|moment| {
        let place = Fixture::new();
        let change = || {
            unless_holds(&place, b"ours\n", || {
                place.write("a", "theirs\n");
            })
        };
        let workspace = place.workspace();
        let asked = json!({ "path": "a", "content": "ours\n" });
        let write = legwork_tools::Write::new(workspace);
        let (text, happened) = at(moment, change, || one(block_on(call(&write, &asked))));
        if happened {
            let report = text.starts_with("- a exists and holds something else (7 bytes)");
            assert!(report || text == format!("- a {CHANGED}"), "{moment}: {text}");
            assert_eq!(place.bytes("a"), b"theirs\n", "{moment}");
        } else {
            assert_eq!(text, "+ created a: 5 bytes, 1 line");
        }
        assert_eq!(place.names(), ["a"]);
        happened
    });
}

#[test]
fn nothing_is_written_through_a_link_that_appears() {
    at_every_moment(|moment| {
        let (place, outside) = (Fixture::new(), Fixture::new());
        place.write("a", "old\n");
        outside.write("secret", "secret\n");
        let change = || {
            unless_holds(&place, b"ours\n", || {
                std::fs::remove_file(place.path("a")).expect("removed");
                symlink(outside.path("secret"), place.path("a")).expect("linked");
            })
        };
        let workspace = place.workspace();
        let (text, happened) =
            at(moment, change, || block_on(overwritten(&workspace, "a", "ours\n")));
        assert_eq!(outside.bytes("secret"), b"secret\n", "{moment}");
        if happened {
            let outside = text.starts_with("- a is outside the workspace");
            assert!(outside || text == format!("- a {CHANGED}"), "{moment}: {text}");
        }
        happened
    });
}

#[test]
fn what_is_read_ends_where_the_file_does() {
    at_every_moment(|moment| {
        let place = Fixture::new();
        place.write("a", "a needle\n".repeat(100_000));
        let change = || {
            let file = std::fs::File::options().write(true).open(place.path("a"));
            file.and_then(|file| file.set_len(9)).expect("cut");
            Change::InTime
        };
        let read = place.read();
        let asked = json!({ "path": "a", "offset": 90_000, "limit": 1 });
        let (text, happened) = at(moment, change, || one(block_on(call(&read, &asked))));
        let whole = "+  90000\ta needle\n[lines 90000 to 90000; more follow, next: offset=90001]\n";
        let cut = text.starts_with("- offset=90000 is past the end of a, which has ");
        assert!(text == whole || happened && cut, "{moment}: {text}");
        happened
    });
}

#[test]
fn a_search_and_a_listing_tell_what_is_there() {
    for (change, left) in [("gone", ""), ("emptied", "a  0 B\n")] {
        at_every_moment(|moment| {
            let place = Fixture::new();
            place.write("a", "a needle\n").write("b", "a needle\n");
            let change = || {
                match change {
                    "gone" => std::fs::remove_file(place.path("a")).expect("removed"),
                    _ => std::fs::write(place.path("a"), "").expect("emptied"),
                }
                Change::InTime
            };
            let (search, list) = (place.search(), place.list());
            let (text, happened) = at(moment, change, || {
                let found = one(block_on(call(&search, &json!({ "pattern": "needle" }))));
                (found, one(block_on(call(&list, &json!({})))))
            });
            let (found, listed) = text;
            assert!(found.contains("b\n1:a needle\n"), "{moment}: {found}");
            assert!(found.starts_with("+ a\n1:a needle\n\nb\n") || happened, "{moment}: {found}");
            // Its size is asked for after its name: what is gone by then has none.
            let still = ["a  9 B\n", "a\n", left].map(|left| format!("+ {left}b  9 B\n"));
            assert!(still.contains(&listed), "{moment}: {listed}");
            happened
        });
    }
}
