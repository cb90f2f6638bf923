//! File systems that take nothing more: full, or mounted for reading alone.

use std::process::Command;

use serde_json::json;

use super::child::{Child, is_inside};
use super::refusal::Refused;
use super::{block_on, edited, overwritten, said};
use crate::fixture::{Fixture, ok};

/// Mounts a file system in memory on a directory, in a name space of its own, and goes on
/// there with what follows.
const MOUNT: &str = "mount -t tmpfs -o size=256k,nr_inodes=16,mode=755 tmpfs \"$0\" && exec \"$@\"";

/// Runs the body where a small file system is mounted on the temporary directory.
fn on_a_small_disk(test: &str, body: impl FnOnce(&Fixture)) {
    if is_inside() {
        // Temporary directories are made in the mounted one.
        return body(&Fixture::within(&std::env::var("LEGWORK_TOOLS_TEST_DISK").expect("a disk")));
    }
    let disk = Fixture::new();
    let mount = |ends: &[&str]| {
        let mut command = Command::new("unshare");
        // An ordinary user is one who may mount in a name space of its own.
        if !rustix::process::geteuid().is_root() {
            command.args(["--user", "--map-root-user"]);
        }
        command.args(["--mount", "sh", "-c", MOUNT]).arg(disk.path("")).args(ends);
        command
    };
    let tried = mount(&["true"]).output();
    if !tried.as_ref().is_ok_and(|tried| tried.status.success()) {
        println!("skipped: no file system can be mounted here: {tried:?}");
        return;
    }
    let this = std::env::current_exe().expect("a name");
    let this = this.to_str().expect("UTF-8");
    Child::by(test, mount(&[this]))
        .with("LEGWORK_TOOLS_TEST_DISK", disk.path(""))
        .run(|| unreachable!("it is not inside"));
}

const FULL: &str = "was not written: its file system is full, or the quota on it is used up; nothing was changed; free some space, then repeat it";

#[test]
fn a_full_disk() {
    on_a_small_disk(concat!(module_path!(), "::a_full_disk"), |place| {
        nothing_changes_on_a_full_disk(place);
        // Nor where what is written has a name from the start.
        Refused::Tmpfile.apply();
        nothing_changes_on_a_full_disk(place);
    });
}

fn nothing_changes_on_a_full_disk(place: &Fixture) {
    place.write("old", "a needle\n");
    let names = place.names();
    let workspace = place.workspace();
    let large = "x".repeat(512 * 1024);
    block_on(async {
        for path in ["new", "old", "missing/folders/new"] {
            let text = overwritten(&workspace, path, &large).await;
            assert_eq!(text, format!("- {path} {FULL}"));
        }
        let edits = json!([{ "old": "needle", "new": large }]);
        assert_eq!(edited(&workspace, "old", edits).await, format!("- old {FULL}"));
        assert_eq!(place.names(), names, "neither drafts nor folders are left");
        assert_eq!(place.bytes("old"), b"a needle\n");
        // What was there before stays usable, and so is what still fits.
        assert_eq!(
            said(&workspace, "old").await,
            "\
+ read:      1\ta needle
- list: old is not a directory; give one, or leave the path out for the whole workspace
+ search: old
1:a needle

[1 match in 1 file]
- write: old exists and holds something else (9 bytes); nothing was changed; use `edit` to change parts of it, or overwrite=true to replace all of it
+ edit: edited old: 1 place replaced
--- old
+++ old
@@ -1,1 +1,1 @@
-a needle
+a found
"
        );
    });
}

#[test]
fn a_disk_that_takes_no_more_files() {
    on_a_small_disk(concat!(module_path!(), "::a_disk_that_takes_no_more_files"), |place| {
        let taken =
            (0..100).take_while(|n| std::fs::write(place.path(&n.to_string()), "x").is_ok());
        assert!(taken.count() < 16);
        let names = place.names();
        let workspace = place.workspace();
        block_on(async {
            for path in ["new", "0", "folder/new"] {
                let text = overwritten(&workspace, path, "y").await;
                assert_eq!(text, format!("- {path} {FULL}"));
            }
        });
        assert_eq!(place.names(), names);
        assert_eq!(place.bytes("0"), b"x");
    });
}

#[test]
fn a_disk_mounted_for_reading() {
    on_a_small_disk(concat!(module_path!(), "::a_disk_mounted_for_reading"), |place| {
        place.write("old", "a needle\n");
        let disk = std::env::var("LEGWORK_TOOLS_TEST_DISK").expect("a disk");
        let remounted = Command::new("mount").args(["-o", "remount,bind,ro", &disk]).status();
        assert!(remounted.expect("started").success());
        let workspace = place.workspace();
        let why = "since its file system is mounted read-only; write somewhere else";
        block_on(async {
            for path in ["new", "old", "missing/folders/new"] {
                let text = overwritten(&workspace, path, "x").await;
                assert_eq!(text, format!("- {path} was not changed, {why}"));
            }
            assert_eq!(
                said(&workspace, "old").await,
                format!(
                    "\
+ read:      1\ta needle
- list: old is not a directory; give one, or leave the path out for the whole workspace
+ search: old
1:a needle

[1 match in 1 file]
- write: old exists and holds something else (9 bytes); nothing was changed; use `edit` to change parts of it, or overwrite=true to replace all of it
- edit: old was not changed, {why}
"
                )
            );
            assert_eq!(ok!(place.list(), {}), "old  9 B\n");
        });
    });
}
