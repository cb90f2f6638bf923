//! Ways out of a workspace, and why none leads there.

mod changing;
mod ending;
mod unknown;

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::{Error, Workspace, path, walk};

struct Fixture {
    workspace: Workspace,
    inside: PathBuf,
    outside: PathBuf,
    _dir: tempfile::TempDir,
}

fn place() -> Fixture {
    let dir = tempfile::tempdir().expect("a directory");
    let (inside, outside) = (dir.path().join("in"), dir.path().join("out"));
    std::fs::create_dir_all(inside.join("sub")).expect("made");
    std::fs::create_dir(&outside).expect("made");
    std::fs::write(inside.join("a.txt"), "a").expect("written");
    std::fs::write(inside.join("sub/b.txt"), "b").expect("written");
    std::fs::write(outside.join("secret"), "s").expect("written");
    let workspace = Workspace::open(&inside).expect("opened");
    Fixture { workspace, inside, outside, _dir: dir }
}

#[test]
fn spelling_alone_decides_what_it_can() {
    let roots = [Path::new("/w"), Path::new("/link")];
    let below = |asked: &str| path::below(&roots, Path::new(asked)).map(PathBuf::into_os_string);
    for (asked, meant) in [
        ("a", "a"),
        ("./a//b", "a/b"),
        ("/w/a", "a"),
        ("/link/a", "a"),
        ("/w", "."),
        (".", "."),
        ("a/../b", "a/../b"),
    ] {
        assert_eq!(below(asked), Some(meant.into()), "{asked}");
    }
    for asked in ["..", "../w/a", "a/../../b", "/etc/passwd", "/wx", "/w/../etc", "/"] {
        assert_eq!(below(asked), None, "{asked}");
    }
}

#[test]
fn files_inside_open_however_they_are_spelled() {
    let place = place();
    symlink("a.txt", place.inside.join("relative")).expect("linked");
    symlink(place.inside.join("sub"), place.inside.join("absolute")).expect("linked");
    let full = place.inside.join("sub/b.txt");
    for asked in
        ["a.txt", "./sub/../a.txt", "relative", "absolute/b.txt", full.to_str().expect("UTF-8")]
    {
        let opened = place.workspace.open_file(asked);
        assert!(opened.is_ok(), "{asked}: {opened:?}");
    }
}

#[test]
fn a_workspace_behind_a_symlink_takes_paths_of_both_names() {
    let place = place();
    let link = place.outside.join("link");
    symlink(&place.inside, &link).expect("linked");
    let workspace = Workspace::open(&link).expect("opened");
    for root in [&link, &place.inside.canonicalize().expect("there")] {
        assert!(workspace.open_file(root.join("a.txt").to_str().expect("UTF-8")).is_ok());
    }
}

#[test]
fn no_way_leads_outside() {
    let place = place();
    symlink("../out/secret", place.inside.join("up")).expect("linked");
    symlink(place.outside.join("secret"), place.inside.join("away")).expect("linked");
    symlink(&place.outside, place.inside.join("dir")).expect("linked");
    symlink("/proc/self/root", place.inside.join("magic")).expect("linked");
    let secret = place.outside.join("secret");
    for asked in [
        "../out/secret",
        "sub/../../out/secret",
        secret.to_str().expect("UTF-8"),
        "/etc/passwd",
        "/proc/self/environ",
        "up",
        "away",
        "dir/secret",
        "magic/etc/passwd",
        "dir/../in/../out/secret",
        "/dev/zero",
        "..",
    ] {
        let refused = place.workspace.open_file(asked);
        assert!(matches!(refused, Err(Error::Outside { .. })), "{asked}: {refused:?}");
    }
}

#[test]
fn without_the_kernels_help_the_answer_is_the_same() {
    let place = place();
    symlink(&place.outside, place.inside.join("dir")).expect("linked");
    symlink(place.inside.join("sub"), place.inside.join("absolute")).expect("linked");
    let root = place.workspace.root();
    let handle =
        rustix::fs::open(root, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).expect("opened");
    let walked =
        |asked: &str| walk::open(&handle, root, Path::new(asked), OFlags::RDONLY).map(drop);
    assert_eq!(walked("sub/b.txt"), Ok(()));
    assert_eq!(walked("absolute/b.txt"), Ok(()));
    assert_eq!(walked("."), Ok(()));
    assert_eq!(walked("dir/secret"), Err(Errno::XDEV));
    assert_eq!(walked("../out/secret"), Err(Errno::XDEV));
    assert_eq!(walked("none"), Err(Errno::NOENT));
    symlink("sub/../sub/./b.txt", place.inside.join("relative")).expect("linked");
    symlink("../in/a.txt", place.inside.join("round")).expect("linked");
    symlink("self", place.inside.join("self")).expect("linked");
    let beneath = |asked: &str| walk::beneath(&handle, Path::new(asked), OFlags::RDONLY).map(drop);
    for (asked, outcome) in [
        (".", Ok(())),
        ("sub/b.txt", Ok(())),
        ("sub/../a.txt", Ok(())),
        ("relative", Ok(())),
        ("relative/..", Err(Errno::NOTDIR)),
        ("sub/../..", Err(Errno::XDEV)),
        ("dir", Err(Errno::XDEV)),
        ("dir/none", Err(Errno::XDEV)),
        ("absolute/b.txt", Err(Errno::XDEV)),
        ("round", Err(Errno::XDEV)),
        ("none", Err(Errno::NOENT)),
        ("none/..", Err(Errno::NOENT)),
        ("a.txt/x", Err(Errno::NOTDIR)),
        ("self", Err(Errno::LOOP)),
        ("self/x", Err(Errno::LOOP)),
    ] {
        assert_eq!(beneath(asked), outcome, "{asked}");
    }
    let long = "sub/../".repeat(600);
    assert_eq!(beneath(&long), Err(Errno::NAMETOOLONG));
}

#[test]
fn the_kernels_windows_are_refused_even_inside() {
    let workspace = Workspace::open("/").expect("opened");
    for asked in ["proc/self/environ", "/proc/version", "sys/kernel/uevent_seqnum", "dev/null"] {
        let refused = workspace.open_file(asked);
        let expected = matches!(
            refused,
            Err(Error::Special { .. } | Error::Outside { .. } | Error::Missing { .. })
        );
        assert!(expected, "{asked}: {refused:?}");
    }
}

#[test]
fn a_workspace_must_be_a_directory() {
    let place = place();
    for root in [place.inside.join("a.txt"), place.inside.join("none")] {
        assert!(matches!(Workspace::open(root), Err(Error::Root { .. })));
    }
}
