//! Files and symlinks that another process changes between two of our steps.

use std::fs::{Permissions, hard_link, read, read_dir, remove_file, rename, write};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, CWD, statat};

use super::super::change::Leave;
use super::super::place::is_same;
use super::super::{Current, Error};
use super::{Fixture as Dirs, place as dirs};

fn taken(dirs: &Dirs, asked: &str) -> (super::super::place::Location, Current) {
    let place = dirs.workspace.place(asked).expect("found");
    let current = place.current(1_000).expect("read").expect("there");
    (place, current)
}

fn names(dir: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.expect("read").file_name().into_string().expect("UTF-8")
    };
    let mut names: Vec<_> = read_dir(dir).expect("listed").map(name).collect();
    names.sort();
    names
}

#[test]
fn any_change_between_reading_and_renaming_is_noticed() {
    type Change = fn(&Path);
    let changes: [(&str, Change); 7] = [
        ("longer", |path| write(path, "longer").expect("written")),
        ("of the same size", |path| write(path, "b").expect("written")),
        ("another file", |path| {
            write(path.with_extension("new"), "a").expect("written");
            rename(path.with_extension("new"), path).expect("renamed");
        }),
        ("gone", |path| remove_file(path).expect("removed")),
        ("a symlink", |path| {
            remove_file(path).expect("removed");
            symlink("../out/secret", path).expect("linked");
        }),
        ("another mode", |path| {
            std::fs::set_permissions(path, Permissions::from_mode(0o600)).expect("set");
        }),
        ("a second name", |path| hard_link(path, path.with_extension("two")).expect("linked")),
    ];
    for (what, change) in changes {
        let dirs = dirs();
        // Made long ago, so that no clock is too coarse.
        let path = dirs.inside.join("a.txt");
        let old = SystemTime::now().checked_sub(Duration::from_secs(60)).expect("a time");
        std::fs::File::options()
            .write(true)
            .open(&path)
            .and_then(|file| file.set_modified(old))
            .expect("set");
        let (place, current) = taken(&dirs, "a.txt");
        change(&path);
        let there = read(&path).ok();
        let left = names(&dirs.inside);
        let refused = place.replace(&current, b"ours", &Leave::default());
        let noticed = matches!(refused, Err(Error::Changed { .. } | Error::Linked { .. }));
        assert!(noticed, "{what}: {refused:?}");
        assert_eq!(read(&path).ok(), there, "{what}");
        assert_eq!(names(&dirs.inside), left, "{what}: a draft was left");
        assert_eq!(read(dirs.outside.join("secret")).expect("read"), b"s", "{what}");
    }
}

#[test]
fn the_check_knows_a_file_by_inode_size_and_times() {
    let dirs = dirs();
    let path = dirs.inside.join("a.txt");
    let stat = || statat(CWD, &path, AtFlags::SYMLINK_NOFOLLOW).expect("there");
    let then = stat();
    assert!(is_same(&then, &stat()));
    let later = SystemTime::now().checked_add(Duration::from_nanos(1)).expect("a time");
    let file = std::fs::File::options().write(true).open(&path).expect("opened");
    file.set_modified(later).expect("set");
    assert!(!is_same(&then, &stat()));
}

#[test]
fn a_name_swapped_for_a_symlink_is_not_followed() {
    let dirs = dirs();
    let place = dirs.workspace.place("a.txt").expect("found");
    remove_file(dirs.inside.join("a.txt")).expect("removed");
    symlink("../out/secret", dirs.inside.join("a.txt")).expect("linked");
    let refused = place.current(1_000);
    assert!(matches!(refused, Err(Error::Changed { .. })), "{refused:?}");
}

#[test]
fn a_directory_swapped_for_a_symlink_leads_nowhere_else() {
    let dirs = dirs();
    let (place, current) = taken(&dirs, "sub/b.txt");
    let fresh = dirs.workspace.place("sub/new.txt").expect("found");
    rename(dirs.inside.join("sub"), dirs.inside.join("moved")).expect("renamed");
    symlink("../out", dirs.inside.join("sub")).expect("linked");
    place.replace(&current, b"ours", &Leave::default()).expect("replaced");
    fresh.create(b"new", &Leave::default()).expect("created");
    assert_eq!(names(&dirs.inside.join("moved")), ["b.txt", "new.txt"]);
    assert_eq!(names(&dirs.outside), ["secret"]);
    let refused = dirs.workspace.place("sub/x").map(drop);
    assert!(matches!(refused, Err(Error::Outside { .. })), "{refused:?}");
}

#[test]
fn a_missing_folder_swapped_for_a_symlink_is_refused() {
    let dirs = dirs();
    let place = dirs.workspace.place("new/x").expect("found");
    symlink("../out", dirs.inside.join("new")).expect("linked");
    let refused = place.create(b"x", &Leave::default());
    assert!(matches!(refused, Err(Error::InTheWay { .. })), "{refused:?}");
    assert_eq!(names(&dirs.outside), ["secret"]);
}

#[test]
fn a_file_that_another_process_creates_first_is_left_alone() {
    let dirs = dirs();
    let place = dirs.workspace.place("new").expect("found");
    write(dirs.inside.join("new"), "theirs").expect("written");
    let refused = place.create(b"ours", &Leave::default());
    assert!(matches!(refused, Err(Error::Changed { .. })), "{refused:?}");
    assert_eq!(read(dirs.inside.join("new")).expect("read"), b"theirs");
    assert_eq!(names(&dirs.inside), ["a.txt", "new", "sub"]);
}

#[test]
fn what_was_ended_before_never_happens() {
    let dirs = dirs();
    let (place, current) = taken(&dirs, "a.txt");
    let leave = Leave::default();
    assert!(leave.revoke());
    let refused = place.replace(&current, b"ours", &leave);
    assert!(matches!(refused, Err(Error::Ended { .. })), "{refused:?}");
    let created = dirs.workspace.place("new/x").expect("found").create(b"x", &leave);
    assert!(matches!(created, Err(Error::Ended { .. })), "{created:?}");
    assert_eq!(read(dirs.inside.join("a.txt")).expect("read"), b"a");
    assert_eq!(names(&dirs.inside), ["a.txt", "sub"]);
    let leave = Leave::default();
    place.replace(&current, b"ours", &leave).expect("replaced");
    assert!(!leave.revoke(), "it happened");
}

#[test]
fn a_link_that_is_swapped_all_the_time_never_leads_outside() {
    let dirs = dirs();
    let (inside, other) = (dirs.inside.join("link"), dirs.inside.join("other"));
    symlink("sub", &inside).expect("linked");
    symlink("../out", &other).expect("linked");
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let exchange = rustix::fs::RenameFlags::EXCHANGE;
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                rustix::fs::renameat_with(CWD, &inside, CWD, &other, exchange).expect("swapped");
            }
        });
        for number in 0..200 {
            let asked = format!("link/deep{number}/x");
            if let Ok(place) = dirs.workspace.place(&asked) {
                let _ = place.create(b"x", &Leave::default());
            }
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    assert_eq!(names(&dirs.outside), ["secret"]);
}
