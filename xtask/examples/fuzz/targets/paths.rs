//! Paths that a model asks for, and those that a person allows: nothing outside is reached.

use std::cell::OnceCell;
use std::io::Read as _;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use fastrand::Rng;
use legwork_testkit::tool;
use legwork_tools::{Workspace, Write};
use serde_json::json;
use tempfile::TempDir;

use super::ground::{Ground, folder, listed};
use super::store::wait;
use super::{MIB, Target, texts};

pub(super) const TARGET: Target = Target {
    name: "paths",
    seeds,
    grammar: None,
    words: &[
        "../",
        "..",
        "/",
        "//",
        "./",
        "a/",
        "link/",
        "up/",
        "loop/",
        "out/",
        ".git/",
        "/proc/self/root/",
        "/proc/self/cwd/",
        "/dev/fd/3",
        "~",
        "~/",
        ":ro",
        "ROOT/",
        "OUTSIDE/",
        "file",
        "secret",
        "%2e%2e/",
        "\u{2215}",
        "*",
    ],
    longest: 16 << 10,
    memory: 4 * MIB,
    one_of: 1,
    run,
};

fn seeds() -> Vec<Vec<u8>> {
    texts([
        "a/b/file",
        "link/file",
        "up/../outside/secret",
        "a/../../outside/secret",
        "out/secret",
        "ROOT/a/file",
        "OUTSIDE/secret",
        "/etc/passwd",
        ".git/config",
        "loop/x",
    ])
}

/// A workspace with links that lead about in it, and out of it.
struct Place {
    base: TempDir,
    root: PathBuf,
    outside: PathBuf,
    workspace: Workspace,
    before: Vec<(PathBuf, Vec<u8>)>,
}

thread_local! {
    static PLACE: OnceCell<Place> = const { OnceCell::new() };
}

fn run(input: &[u8], random: &mut Rng) -> bool {
    PLACE.with(|place| {
        let place = place.get_or_init(open);
        let text = String::from_utf8_lossy(input);
        let text = text.replace("ROOT", &place.root.to_string_lossy());
        let text = text.replace("OUTSIDE", &place.outside.to_string_lossy());
        let _ = legwork_cli::fuzzing::allow_path(&text, &place.root)
            .map(|path| assert!(path.starts_with('/'), "{path:?} is not absolute"));
        ask(place, &text, random)
    })
}

fn open() -> Place {
    let base = folder();
    let (root, outside) = (base.path().join("root"), base.path().join("outside"));
    for made in [&root, &outside].map(std::fs::create_dir) {
        assert!(made.is_ok(), "no folder: {made:?}");
    }
    let ground = Ground::new(&root, &outside).unwrap_or_else(|errno| panic!("no ground: {errno}"));
    let made = ground
        .file("a/b/file", b"ours")
        .and_then(|()| ground.file("a/file", b"ours"))
        .and_then(|()| ground.file(".git/config", b"ours"))
        .and_then(|()| ground.link("link", "a/b"))
        .and_then(|()| ground.link("up", "a/.."))
        .and_then(|()| ground.link("loop", "loop"))
        .and_then(|()| ground.link("out", "/"))
        .and_then(|()| ground.link("a/away", "../../outside"));
    assert!(made.is_ok(), "no files: {made:?}");
    assert!(std::fs::write(outside.join("secret"), "theirs").is_ok(), "no file");
    let root = root.canonicalize().unwrap_or(root);
    let workspace = Workspace::open(&root).unwrap_or_else(|error| panic!("no workspace: {error}"));
    let before = listed(&outside);
    Place { base, root, outside, workspace, before }
}

fn ask(place: &Place, text: &str, random: &mut Rng) -> bool {
    let taken = match place.workspace.open_file(text) {
        Ok(mut file) => {
            let mut content = String::new();
            let _ = file.read_to_string(&mut content);
            assert!(content != "theirs", "{text:?} is read");
            inside(place, &OwnedFd::from(file), text);
            true
        }
        Err(error) => {
            let told = error.to_string();
            assert!(told.len() < 8 * text.len() + 8_192, "an error of {} bytes", told.len());
            false
        }
    };
    if let Ok(folder) = place.workspace.open_dir(text) {
        inside(place, &folder, text);
    }
    // Slower, for it makes and removes files.
    if random.u8(..20) == 0 {
        let write = Write::new(place.workspace.clone());
        let _ = wait(tool::call(&write, json!({ "path": text, "content": "written" })));
        assert!(listed(&place.outside) == place.before, "{text:?} is written outside");
        let around = std::fs::read_dir(place.base.path()).map_or(0, Iterator::count);
        assert!(around == 2, "{text:?} is written outside the workspace");
        let git = std::fs::read(place.root.join(".git/config")).unwrap_or_default();
        assert!(git == b"ours", "{text:?} is written in .git");
        clear(&place.root);
    }
    taken
}

/// An opened file or folder lies in the workspace.
fn inside(place: &Place, handle: &OwnedFd, text: &str) {
    let real = std::fs::read_link(format!("/proc/self/fd/{}", handle.as_raw_fd()));
    assert!(real.is_ok_and(|real| real.starts_with(&place.root)), "{text:?} leads outside");
}

/// Takes away what inputs made, but what `open` made.
fn clear(root: &Path) {
    const OURS: [&str; 6] = ["a", ".git", "link", "up", "loop", "out"];
    for entry in std::fs::read_dir(root).into_iter().flatten().flatten() {
        if OURS.iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        let path = entry.path();
        let removed = match path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            true => std::fs::remove_dir_all(&path),
            false => std::fs::remove_file(&path),
        };
        assert!(removed.is_ok(), "{removed:?}");
    }
}
