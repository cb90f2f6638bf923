//! The files of the store that this process writes are opened by no tool (S13.9).

use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::Path;

use legwork_tools::secret::Secrets;
use legwork_tools::workspace::Access;
use legwork_tools::{Edit, List, Read, Search, Workspace, Write};
use rustix::fs::{FlockOperation, fcntl_lock};
use serde_json::json;

use crate::fixture::{Fixture, call, refused};
use crate::random::Random;

const FILES: [&str; 4] = ["a.db", "a.db-wal", "a.db-shm", "a.db-journal"];

/// A workspace with the files of a store in it, each locked by this process.
fn locked() -> (Fixture, Workspace, Vec<File>) {
    let place = Fixture::new();
    place.write("plain", "the words");
    let secrets = Secrets::of_machine(None).with_store(place.path("a.db"));
    let held = FILES.map(|name| {
        place.write(name, "the words of the store");
        let file = File::options().read(true).write(true).open(place.path(name)).expect("open");
        fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive).expect("a lock");
        file
    });
    let workspace = place.workspace().keep_out(&secrets).expect("kept out");
    (place, workspace, held.into())
}

/// Whether this process holds a POSIX lock on each of the files.
///
/// The list of the kernel leaves lines out that move while it is read. A lock that was taken
/// away does not come back, so one list that has all of them says enough.
fn all_locked(place: &Fixture) -> bool {
    (0..50).any(|_| all_listed(place))
}

fn all_listed(place: &Fixture) -> bool {
    let locks = fs::read_to_string("/proc/locks").expect("procfs");
    FILES.iter().all(|name| {
        let inode = place.path(name).metadata().expect("a file").ino();
        let (by, of) = (format!(" {} ", std::process::id()), format!(":{inode} "));
        locks.lines().any(|line| line.contains("POSIX") && line.contains(&by) && line.contains(&of))
    })
}

/// How often this process has the files opened.
fn opened(place: &Fixture) -> usize {
    let opened = fs::read_dir("/proc/self/fd").expect("procfs").flatten();
    let paths = opened.filter_map(|entry| fs::metadata(entry.path()).ok());
    let identity = |file: &fs::Metadata| (file.dev(), file.ino());
    let own = FILES.map(|name| identity(&place.path(name).metadata().expect("a file")));
    paths.filter(|file| own.contains(&identity(file))).count()
}

/// Other names of a file.
fn named_otherwise(place: &Fixture, file: &str, random: &mut Random) -> String {
    let name = format!("name-{}", random.below(1 << 30));
    let path = place.path(&name);
    match random.below(5) {
        0 => fs::hard_link(place.path(file), path).expect("a link"),
        1 => symlink(file, path).expect("a link"),
        2 => symlink(place.path(file), path).expect("a link"),
        3 => {
            fs::create_dir(&path).expect("a folder");
            symlink(format!("../{file}"), path.join("x")).expect("a link");
            return format!("./{name}/x");
        }
        _ => return place.path(file).display().to_string(),
    }
    name
}

#[tokio::test]
async fn s13_9_no_file_tool_takes_the_locks_of_the_store() {
    let (place, workspace, _held) = locked();
    assert!(all_locked(&place), "procfs lists locks");
    let mut random = Random::new();
    for round in 0..60 {
        let file = FILES[random.below(FILES.len())];
        let path = if round % 5 == 0 {
            file.to_owned()
        } else {
            named_otherwise(&place, file, &mut random)
        };
        let text = refused!(Read::new(workspace.clone()), { "path": path });
        assert!(!text.contains("of the store"), "{path}: {text}");
        let edits = json!([{"old": "words", "new": "lies"}]);
        refused!(Edit::new(workspace.clone()), { "path": path, "edits": edits });
        let write = json!({"path": path, "content": "lost", "overwrite": true});
        call(&Write::new(workspace.clone()), &write).await;
        for tool in ["words", "w.rds"] {
            call(&Search::new(workspace.clone()), &json!({"pattern": tool, "path": path})).await;
        }
        call(&List::new(workspace.clone()), &json!({"path": path})).await;
        assert!(all_locked(&place), "{path}");
        // By another process: to open it here would take the locks.
        let cat = std::process::Command::new("cat").arg(place.path(file)).output().expect("cat");
        assert_eq!(cat.stdout, b"the words of the store");
    }
    // Whole trees, with the files as what says what is ignored.
    fs::hard_link(place.path("a.db"), place.path(".gitignore")).expect("a link");
    fs::hard_link(place.path("a.db-wal"), place.path(".ignore")).expect("a link");
    let found = call(&Search::new(workspace.clone()), &json!({"pattern": "words"})).await;
    let found = found.to_text();
    assert!(found.contains("plain") && !found.contains("of the store"), "{found}");
    call(&List::new(workspace.clone()), &json!({"depth": 3})).await;
    assert!(all_locked(&place));
    assert_eq!(opened(&place), FILES.len(), "only by the store itself");
}

#[tokio::test]
async fn s13_9_a_store_that_is_not_there_yet_and_paths_that_are_allowed() {
    let (place, other) = (Fixture::new(), Fixture::new());
    let secrets = Secrets::of_machine(None).with_store(other.path("b.db"));
    let workspace = place.workspace().allow(other.path(""), Access::ReadWrite).expect("allowed");
    let workspace = workspace.keep_out(&secrets).expect("kept out");
    for name in ["b.db", "b.db-wal", "b.db-journal", "b.db-claims/x.lock"] {
        let path = other.path(name).display().to_string();
        let text = refused!(Write::new(workspace.clone()), { "path": path, "content": "planted" });
        assert!(!Path::new(&path).exists(), "{text}");
    }
    other.write("b.db", "made later");
    let path = other.path("b.db").display().to_string();
    refused!(Read::new(workspace.clone()), { "path": path });
}
