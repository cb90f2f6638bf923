//! That rights hide nothing from what keeps repositories, and that content is compared as it is.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use legwork_tools::fuzzing::Keeper;

use super::scene::as_nobody;

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("changed");
}

fn repository(git: &Path) {
    for folder in ["objects", "refs", "hooks"] {
        fs::create_dir_all(git.join(folder)).expect("made");
    }
    fs::write(git.join("HEAD"), "ref: refs/heads/main").expect("written");
    fs::write(git.join("config"), "mine").expect("written");
}

/// A directory with a repository; in memory where a test says so.
fn workspace(place: &Path) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir_in(place).expect("a folder");
    let root = folder.path().canonicalize().expect("there");
    repository(&root.join(".git"));
    (folder, root)
}

fn notes(root: &Path, command: impl FnOnce()) -> String {
    let keeper = Keeper::new(vec![root.to_owned()]);
    let watched = keeper.begin().expect("begun").1;
    command();
    drop(watched);
    keeper.notes().join("\n")
}

#[test]
fn s13_4_rights_hide_nothing() {
    let test = concat!(module_path!(), "::s13_4_rights_hide_nothing");
    as_nobody(test, || {
        for hidden in ["dep", "dep/.git"] {
            let (_folder, root) = workspace(Path::new("/tmp"));
            let found = notes(&root, || {
                repository(&root.join("dep/.git"));
                mode(&root.join(hidden), 0o311);
            });
            mode(&root.join(hidden), 0o755);
            assert!(found.contains("made the repository"), "{hidden}: {found}");
        }
        for (name, locked) in [("hooks/pre-commit", "hooks"), ("config", ""), ("hooks/x", "")] {
            for rights in [0o000, 0o311, 0o500, 0o555] {
                let (_folder, root) = workspace(Path::new("/tmp"));
                let git = root.join(".git");
                let found = notes(&root, || {
                    fs::write(git.join(name), "theirs").expect("written");
                    mode(&git.join(locked), rights);
                });
                mode(&git, 0o755);
                mode(&git.join("hooks"), 0o755);
                let left = fs::read_to_string(git.join(name)).unwrap_or_else(|_| "mine".into());
                assert_eq!(left, "mine", "{name} {rights:o}: {found}");
                assert!(found.contains(&*git.to_string_lossy()), "{name} {rights:o}: {found}");
            }
        }
        // A command may take the rights to all of it, and to a list that it writes.
        for (locked, rights) in [("", 0o300), ("", 0o000), (".git/rebase-merge", 0o000)] {
            let (_folder, root) = workspace(Path::new("/tmp"));
            let (hook, list) = (root.join(".git/hooks/x"), root.join(".git/rebase-merge"));
            mode(&root.join(".git/hooks"), 0o2775);
            let found = notes(&root, || {
                fs::write(&hook, "theirs").expect("written");
                fs::create_dir(&list).expect("made");
                fs::write(list.join("git-rebase-todo"), "exec theirs\n").expect("written");
                mode(&root.join(".git/hooks"), 0o000);
                mode(&root.join(locked), rights);
            });
            assert!(!hook.exists(), "{locked} {rights:o}: {found}");
            let left = fs::read_to_string(list.join("git-rebase-todo")).expect("readable");
            assert_eq!(left, "", "{locked} {rights:o}: {found}");
            let hooks = fs::metadata(root.join(".git/hooks")).expect("there").permissions().mode();
            assert_eq!(hooks & 0o7777, 0o2775, "{found}");
        }
        // What is hidden from one command on is compared with what was known of it.
        let (_folder, root) = workspace(Path::new("/tmp"));
        let (hooks, hook) = (root.join(".git/hooks"), root.join(".git/hooks/x"));
        let keeper = Keeper::new(vec![root.clone()]);
        drop(keeper.begin().expect("begun"));
        mode(&hooks, 0o000);
        let watched = keeper.begin().expect("begun").1;
        mode(&hooks, 0o755);
        fs::write(&hook, "theirs").expect("written");
        drop(watched);
        assert!(!hook.exists(), "{:?}", keeper.notes());
        // What is hidden before a command is reported to be.
        let (_folder, root) = workspace(Path::new("/tmp"));
        repository(&root.join("sub/.git"));
        mode(&root.join("sub"), 0o000);
        let found = notes(&root, || ());
        mode(&root.join("sub"), 0o755);
        assert!(found.contains("cannot be read"), "{found}");
    });
}

/// Writes into a file through memory, which changes no time on tmpfs.
#[allow(unsafe_code, reason = "memory that a file is mapped to")]
fn write_mapped(path: &Path, text: &[u8]) {
    use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
    let file = fs::File::options().read(true).write(true).open(path).expect("opened");
    let protection = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: nothing else uses the memory, which is as long as the file and is unmapped last.
    unsafe {
        let place = mmap(std::ptr::null_mut(), text.len(), protection, MapFlags::SHARED, &file, 0);
        let place = place.expect("mapped");
        // Read first: the page is there then, and writing changes nothing of the file's times.
        assert_eq!(place.cast::<u8>().read_volatile(), b'm');
        std::ptr::copy_nonoverlapping(text.as_ptr(), place.cast(), text.len());
        munmap(place, text.len()).expect("unmapped");
    }
}

#[test]
fn s13_4_content_is_compared_whatever_its_times_say() {
    let memory = Path::new("/dev/shm");
    if !memory.is_dir() {
        println!("skipped: there is no {}", memory.display());
        return;
    }
    let (_folder, root) = workspace(memory);
    let config = root.join(".git/config");
    let found = notes(&root, || write_mapped(&config, b"evil"));
    assert_eq!(fs::read_to_string(&config).expect("read"), "mine", "{found}");
    assert!(found.contains("put back"), "{found}");
}
