//! Files and directories that this user may not touch.

use std::fs::{Permissions, create_dir, set_permissions};
use std::os::unix::fs::PermissionsExt as _;

use super::child::Child;
use super::{block_on, overwritten, said};
use crate::fixture::{Fixture, ok};

fn set(place: &Fixture, name: &str, mode: u32) {
    set_permissions(place.path(name), Permissions::from_mode(mode)).expect("set");
}

fn as_nobody(test: &str, body: impl AsyncFnOnce(Fixture)) {
    Child::of(test).by_nobody().run(|| {
        assert!(!rustix::process::geteuid().is_root());
        block_on(body(Fixture::new()));
    });
}

#[test]
fn a_file_of_mode_zero() {
    as_nobody(concat!(module_path!(), "::a_file_of_mode_zero"), async |place| {
        place.write("locked", "a needle\n");
        set(&place, "locked", 0);
        let denied = "no permission to open locked; change its mode or owner, or do without it";
        assert_eq!(
            said(&place.workspace(), "locked").await,
            format!(
                "\
- read: {denied}
- list: locked is not a directory; give one, or leave the path out for the whole workspace
- search: {denied}
- write: {denied}
- edit: {denied}
"
            )
        );
        let text = overwritten(&place.workspace(), "locked", "x").await;
        assert_eq!(text, format!("- {denied}"));
        assert_eq!(ok!(place.list(), {}), "locked  9 B\n");
        let text = ok!(place.search(), { "pattern": "needle" });
        assert_eq!(text, "[no matches in 1 file]\n[1 files or directories could not be read]\n");
    });
}

#[test]
fn a_file_that_may_only_be_read() {
    as_nobody(concat!(module_path!(), "::a_file_that_may_only_be_read"), async |place| {
        place.write("kept", "a needle\n");
        set(&place, "kept", 0o444);
        let why = "kept was not changed, since its mode forbids writing it; if it is to be changed, chmod u+w it first";
        let text = said(&place.workspace(), "kept").await;
        assert!(text.starts_with("+ read:      1\ta needle\n"), "{text}");
        assert!(text.ends_with(&format!("- edit: {why}\n")), "{text}");
        let text = overwritten(&place.workspace(), "kept", "x").await;
        assert_eq!(text, format!("- {why}"));
        // One that only others may write is not ours either.
        set(&place, "kept", 0o466);
        let why = "no permission to change kept; change the mode or owner of it or of its directory, or do without it";
        let text = overwritten(&place.workspace(), "kept", "x").await;
        assert_eq!(text, format!("- {why}"));
        assert_eq!(place.bytes("kept"), b"a needle\n");
        assert_eq!(place.names(), ["kept"]);
    });
}

#[test]
fn a_directory_that_may_not_be_written() {
    as_nobody(concat!(module_path!(), "::a_directory_that_may_not_be_written"), async |place| {
        create_dir(place.path("dir")).expect("made");
        place.write("dir/a", "a needle\n");
        set(&place, "dir", 0o555);
        for path in ["dir/a", "dir/new", "dir/deep/new"] {
            let text = overwritten(&place.workspace(), path, "x").await;
            assert_eq!(
                text,
                format!(
                    "- no permission to change {path}; change the mode or owner of it or of its directory, or do without it"
                )
            );
        }
        assert_eq!(place.bytes("dir/a"), b"a needle\n");
        assert_eq!(ok!(place.list(), { "path": "dir" }), "a  9 B\n");
        set(&place, "dir", 0o755);
    });
}

#[test]
fn a_directory_that_may_not_be_entered() {
    as_nobody(concat!(module_path!(), "::a_directory_that_may_not_be_entered"), async |place| {
        create_dir(place.path("dir")).expect("made");
        place.write("dir/a", "a needle\n");
        for mode in [0, 0o444] {
            set(&place, "dir", mode);
            let denied = "no permission to open dir/a; change its mode or owner, or do without it";
            assert_eq!(
                said(&place.workspace(), "dir/a").await,
                format!(
                    "- read: {denied}\n- list: {denied}\n- search: {denied}\n- write: {denied}\n- edit: {denied}\n"
                )
            );
        }
        // Its names may be read, nothing else of what is in it.
        assert_eq!(ok!(place.list(), { "path": "dir" }), "a\n");
        let text = ok!(place.search(), { "pattern": "needle" });
        assert_eq!(text, "[no matches in 1 file]\n[1 files or directories could not be read]\n");
        set(&place, "dir", 0);
        let denied = "no permission to open dir; change its mode or owner, or do without it";
        assert_eq!(
            said(&place.workspace(), "dir").await,
            format!(
                "- read: dir is a directory, not a file; it cannot be listed\n- list: {denied}\n- search: {denied}\n- write: dir is a directory, not a file; it cannot be listed\n- edit: dir is a directory, not a file; it cannot be listed\n"
            )
        );
        assert_eq!(ok!(place.list(), { "depth": 2 }), "dir/\n[1 directories could not be read]\n");
        set(&place, "dir", 0o755);
    });
}
