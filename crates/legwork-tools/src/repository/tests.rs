use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::thread;

use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};

use super::{Keeper, Snapshot, submodules_in};

mod replaced;
mod reported;

/// Each has its settings from the next.
fn chain(root: &Path, length: usize) {
    for at in 0..length {
        let git = root.join(format!("git{at}"));
        fs::create_dir(&git).unwrap();
        fs::write(git.join("HEAD"), "ref: refs/heads/main").unwrap();
        fs::write(git.join("commondir"), format!("../git{}", at + 1)).unwrap();
    }
}

#[test]
fn s13_4_a_chain_of_repositories_takes_no_more_stack_than_one() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    // Deeper than folders are looked through: it is found by what leads to it alone.
    let deep = root.join("a/b/c/d/e");
    fs::create_dir_all(&deep).unwrap();
    fs::write(root.join(".git"), "gitdir: a/b/c/d/e/git0").unwrap();
    chain(&deep, 1_000);
    fs::write(deep.join("git999/config"), "[core]").unwrap();
    let keeper = Keeper::new(vec![root.clone()]);
    let small = thread::Builder::new().stack_size(128 << 10);
    let begun = small.spawn(move || keeper.begin().unwrap().0).unwrap().join().unwrap();
    let config = deep.join("git999/config");
    assert!(begun.iter().any(|mount| mount.place == config), "{}", begun.len());
}

/// A repository with a folder next to its hooks.
fn repository() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    fs::create_dir_all(root.join(".git/objects")).unwrap();
    fs::create_dir_all(root.join(".git/hooks/pre-commit.d/deep")).unwrap();
    fs::write(root.join(".git/HEAD"), "ref: refs/heads/main").unwrap();
    (folder, root)
}

#[test]
fn s13_4_files_in_folders_next_to_hooks_are_put_back() {
    let (_folder, root) = repository();
    let inner = root.join(".git/hooks/pre-commit.d");
    fs::write(inner.join("one"), "ours").unwrap();
    fs::write(inner.join("deep/two"), "ours").unwrap();
    let keeper = Keeper::new(vec![root.clone()]);
    for whole in ["", "pre-commit.d", "pre-commit.d/deep"] {
        let watched = keeper.begin().unwrap().1;
        fs::remove_dir_all(root.join(".git/hooks").join(whole)).unwrap();
        fs::create_dir_all(inner.join("deep")).unwrap();
        fs::write(inner.join("deep/two"), "theirs").unwrap();
        fs::write(inner.join("deep/three"), "theirs").unwrap();
        drop(watched);
        assert_eq!(fs::read_to_string(inner.join("one")).unwrap(), "ours", "{whole}");
        assert_eq!(fs::read_to_string(inner.join("deep/two")).unwrap(), "ours", "{whole}");
        assert!(!inner.join("deep/three").exists(), "{whole}");
        assert!(!keeper.notes().is_empty(), "{whole}");
    }
}

#[test]
fn s13_4_what_is_kept_of_repositories_is_bounded() {
    let (_folder, root) = repository();
    for number in 0..24 {
        let hook = root.join(format!(".git/hooks/hook{number}"));
        fs::write(hook, "x".repeat(1 << 20)).unwrap();
    }
    let snapshot = look(&root);
    let kept = snapshot.to_bytes(&root).unwrap().unwrap().len();
    assert!((8 << 20..23 << 20).contains(&kept), "{kept} bytes");
}

#[test]
fn s13_4_a_directory_that_cannot_be_shared_is_a_gap() {
    let (_folder, root) = repository();
    let shared = Keeper::new(vec![root.clone()]);
    drop(shared.begin().unwrap());
    assert_eq!(shared.gap(), None);
    // What commands may write holds nothing that must be kept from them.
    let unshared = Keeper::sharing_at(vec![root.clone()], root.join("shared"));
    drop(unshared.begin().unwrap());
    let gap = unshared.gap().unwrap();
    assert!(gap.contains("is in a directory that commands may write"), "{gap}");
}

fn look(root: &Path) -> Snapshot {
    let none = BTreeSet::new();
    Snapshot::take(&[root.to_owned()], &[], &Snapshot::default(), &none, &BTreeMap::new())
}

/// Makes a repository in a folder.
fn init(git: &Path) {
    for folder in ["objects", "refs", "hooks"] {
        fs::create_dir_all(git.join(folder)).unwrap();
    }
    fs::write(git.join("HEAD"), "ref: refs/heads/main").unwrap();
}

#[test]
fn s13_4_many_files_hide_no_repository() {
    let (_folder, root) = repository();
    for number in 0..11_000 {
        fs::write(root.join(format!("file{number}")), "").unwrap();
    }
    // Behind all others in the order of the folder, wherever that begins.
    let hook = |number| root.join(format!("inner{number}/.git/hooks/pre-commit"));
    (0..20).for_each(|number| init(&root.join(format!("inner{number}/.git"))));
    let keeper = Keeper::new(vec![root.clone()]);
    let watched = keeper.begin().unwrap().1;
    (0..20).for_each(|number| fs::write(hook(number), "theirs").unwrap());
    drop(watched);
    (0..20).for_each(|number| assert!(!hook(number).exists(), "{number}"));
}

#[test]
fn s13_4_each_of_many_worktrees_is_compared() {
    let (_folder, root) = repository();
    let tree = |number| root.join(format!(".git/worktrees/tree{number}"));
    for number in 0..300 {
        fs::create_dir_all(tree(number)).unwrap();
        fs::write(tree(number).join("HEAD"), "ref: refs/heads/main").unwrap();
        fs::write(tree(number).join("commondir"), "../..").unwrap();
    }
    let keeper = Keeper::new(vec![root.clone()]);
    let (covers, watched) = keeper.begin().unwrap();
    // One mount for all of them.
    let covered =
        covers.iter().filter(|mount| mount.place.starts_with(root.join(".git/worktrees")));
    assert_eq!(covered.count(), 1);
    (0..300).for_each(|number| fs::write(tree(number).join("commondir"), "/evil").unwrap());
    drop(watched);
    for number in 0..300 {
        assert_eq!(fs::read_to_string(tree(number).join("commondir")).unwrap(), "../..");
    }
}

#[test]
fn s13_4_no_number_of_new_hooks_hides_another() {
    let (_folder, root) = repository();
    init(&root.join("other/.git"));
    let keeper = Keeper::new(vec![root.clone()]);
    let watched = keeper.begin().unwrap().1;
    // More than are looked at, in the repository that is looked at first.
    for number in 0..100_500 {
        fs::write(root.join(format!(".git/hooks/hook{number}")), "").unwrap();
    }
    let hooks = ["hooks", "other/.git/hooks"].map(|hooks| root.join(hooks).join("pre-commit"));
    fs::write(&hooks[1], "theirs").unwrap();
    drop(watched);
    assert!(!hooks[1].exists());
    let left = fs::read_dir(root.join(".git/hooks")).unwrap().count();
    assert_eq!(left, 1, "the folder that was there");
}

#[test]
fn s13_4_hooks_that_are_too_deep_are_reported() {
    let (_folder, root) = repository();
    let keeper = Keeper::new(vec![root.clone()]);
    let watched = keeper.begin().unwrap().1;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    let mut folder = openat(CWD, root.join(".git"), flags, Mode::empty()).unwrap();
    mkdirat(&folder, "rest", Mode::RWXU).unwrap();
    // Deeper than a path can be long.
    for _ in 0..3_000 {
        mkdirat(&folder, "hooks", Mode::RWXU).unwrap_or_default();
        folder = openat(&folder, "hooks", flags, Mode::empty()).unwrap();
    }
    drop(watched);
    let before = look(&root);
    let entries = fs::read_dir(root.join(".git/hooks")).unwrap().count();
    assert_eq!((entries, before.cut().count()), (1, 0), "what is new is put back as a whole");
    let mut folder = openat(CWD, root.join(".git/hooks"), flags, Mode::empty()).unwrap();
    for _ in 0..3_000 {
        mkdirat(&folder, "deep", Mode::RWXU).unwrap();
        folder = openat(&folder, "deep", flags, Mode::empty()).unwrap();
    }
    drop(keeper.begin().unwrap());
    let notes = keeper.notes().concat();
    assert!(notes.contains("deeper folders of hooks, than are kept"), "{notes}");
}

#[test]
fn s13_4_what_a_stopped_rebase_may_run_is_bounded() {
    let (_folder, root) = repository();
    fs::create_dir(root.join(".git/rebase-merge")).unwrap();
    let lines: String = (0..500_000).map(|number| format!("x {number}\n")).collect();
    fs::write(root.join(".git/rebase-merge/git-rebase-todo"), lines).unwrap();
    let snapshot = look(&root);
    let kept = snapshot.to_bytes(&root).unwrap().unwrap().len();
    assert!(kept < 100_000, "{kept} bytes");
}

/// An index of version 4 with as many submodules of one long name.
fn index(name: usize, count: u32) -> Vec<u8> {
    let mut bytes = [&b"DIRC"[..], &4_u32.to_be_bytes(), &count.to_be_bytes()].concat();
    for number in 0..count {
        bytes.extend([0; 24]);
        bytes.extend(0o160_000_u32.to_be_bytes());
        bytes.extend([0; 12 + 20 + 2]);
        // Nothing is cut from the name before.
        bytes.push(0);
        bytes.extend(vec![b'a'; if number == 0 { name } else { 0 }]);
        bytes.push(0);
    }
    bytes.extend([0; 20]);
    bytes
}

#[test]
fn s13_4_no_index_takes_much_memory() {
    assert_eq!(submodules_in(&index(4_096, 1_000)), Some(1_000));
    assert_eq!(submodules_in(&index(100, 10_000)), Some(10_000));
    for (name, count) in [(4_097, 1), (4_096, 2_000), (100, 10_001), (1 << 20, 20_000)] {
        assert_eq!(submodules_in(&index(name, count)), None, "{name} {count}");
    }
}

#[test]
fn s13_4_each_repository_that_is_made_is_reported() {
    let (_folder, root) = repository();
    let keeper = Keeper::new(vec![root.clone()]);
    let watched = keeper.begin().unwrap().1;
    (0..70).for_each(|number| init(&root.join(format!("made{number}/.git"))));
    drop(watched);
    let first = keeper.notes();
    assert_eq!(first.len(), 51);
    assert_eq!(first[50], "20 further notes on repositories");
    let watched = keeper.begin().unwrap().1;
    init(&root.join("late/.git"));
    drop(watched);
    let second = keeper.notes();
    assert!(second.iter().any(|note| note.contains("late")), "{second:?}");
    let all = [first, second].concat();
    for number in 0..70 {
        let made = format!("/made{number}/.git:");
        assert_eq!(all.iter().filter(|note| note.contains(&made)).count(), 1, "{made}");
    }
}

#[test]
fn s13_4_a_repository_that_comes_back_is_not_removed() {
    let (_folder, root) = repository();
    let (here, there) = (root.join("here"), root.join("there"));
    init(&here.join(".git"));
    fs::write(here.join(".git/objects/precious"), "history").unwrap();
    let keeper = Keeper::new(vec![root.clone()]);
    let run = |command: &dyn Fn()| {
        let watched = keeper.begin().unwrap().1;
        command();
        drop(watched);
    };
    run(&|| ());
    run(&|| fs::rename(&here, &there).unwrap());
    run(&|| fs::rename(&there, &here).unwrap());
    assert!(here.join(".git/objects/precious").exists());
    run(&|| fs::remove_dir_all(&here).unwrap());
    run(&|| init(&here.join(".git")));
    assert!(here.join(".git/HEAD").exists());
    // What a command made is its own, and protected in the next run.
    let hook = here.join(".git/hooks/pre-commit");
    run(&|| fs::write(&hook, "theirs").unwrap());
    assert!(hook.exists());
    let next = Keeper::new(vec![root.clone()]);
    let watched = next.begin().unwrap().1;
    fs::remove_file(&hook).unwrap();
    drop(watched);
    assert!(hook.exists());
}

#[test]
fn s13_4_no_deep_repository_keeps_another_from_being_put_back() {
    let (_folder, root) = repository();
    for round in 0..2 {
        // What was made in the run before is looked at in the next one.
        let keeper = Keeper::new(vec![root.clone()]);
        let watched = keeper.begin().unwrap().1;
        // As many steps as there may be: a submodule with a long path, and many folders in it.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let mut folder = openat(CWD, &root, flags, Mode::empty()).unwrap();
        let path = "a/".repeat(1_500) + ".git/hooks";
        for name in path.split('/') {
            mkdirat(&folder, name, Mode::RWXU).unwrap_or_default();
            folder = openat(&folder, name, flags, Mode::empty()).unwrap();
        }
        (0..2_800).for_each(|at| mkdirat(&folder, at.to_string(), Mode::RWXU).unwrap_or_default());
        let git = openat(&folder, "..", flags, Mode::empty()).unwrap();
        mkdirat(&git, "objects", Mode::RWXU).unwrap_or_default();
        drop(openat(&git, "HEAD", OFlags::CREATE | OFlags::WRONLY, Mode::RUSR).unwrap());
        fs::write(root.join(".git/index"), named_index(&"a/".repeat(1_500))).unwrap();
        fs::write(root.join(".git/commondir"), "../evil").unwrap();
        fs::write(root.join(".git/hooks/pre-commit"), "theirs").unwrap();
        drop(watched);
        assert!(!root.join(".git/commondir").exists(), "{round}");
        assert!(!root.join(".git/hooks/pre-commit").exists(), "{round}");
        let notes = keeper.notes().concat();
        let is_cut = notes.contains("folders have more entries than are looked through");
        assert_eq!(is_cut, round == 1, "{round}");
    }
}

/// An index of version 4 with one submodule.
fn named_index(name: &str) -> Vec<u8> {
    let mut bytes = index(0, 1);
    let at = bytes.len() - 21;
    bytes.splice(at..at, name.trim_end_matches('/').bytes());
    bytes
}

#[test]
fn s13_4_a_link_to_hooks_hides_no_file_next_to_them() {
    let (_folder, root) = repository();
    let hooks = root.join(".git/modules/sub/hooks");
    init(hooks.parent().unwrap());
    fs::create_dir(hooks.join("pre-commit.d")).unwrap();
    let keeper = Keeper::new(vec![root.clone()]);
    for _ in 0..2 {
        let watched = keeper.begin().unwrap().1;
        std::os::unix::fs::symlink("modules/sub/hooks", root.join(".git/config.worktree")).unwrap();
        fs::write(hooks.join("pre-commit.d/x"), "theirs").unwrap();
        drop(watched);
        assert!(!hooks.join("pre-commit.d/x").exists());
        assert!(!root.join(".git/config.worktree").exists());
    }
    // Also where the link was there before.
    std::os::unix::fs::symlink("modules/sub/hooks", root.join(".git/config.worktree")).unwrap();
    let watched = keeper.begin().unwrap().1;
    fs::write(hooks.join("pre-commit.d/x"), "theirs").unwrap();
    drop(watched);
    assert!(!hooks.join("pre-commit.d/x").exists());
}

#[test]
fn s13_4_an_index_that_is_too_large_is_not_read() {
    let (_folder, root) = repository();
    let index = fs::File::create(root.join(".git/index")).unwrap();
    index.set_len(600 << 20).unwrap();
    let keeper = Keeper::new(vec![root]);
    drop(keeper.begin().unwrap());
    let notes = keeper.notes().concat();
    assert!(notes.contains("an index cannot be read"), "{notes}");
}

#[test]
fn s13_4_folders_that_cannot_be_entered_are_removed() {
    let (_folder, root) = repository();
    let keeper = Keeper::new(vec![root.clone()]);
    let watched = keeper.begin().unwrap().1;
    let inner = root.join(".git/hooks/new/a/b");
    fs::create_dir_all(inner.join("c/d")).unwrap();
    fs::create_dir_all(root.join(".git/hooks/new/.legwork-1/x")).unwrap();
    for folder in [&inner, &root.join(".git/hooks/new/a"), &root.join(".git/hooks/new")] {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o000)).unwrap();
    }
    drop(watched);
    assert_eq!(fs::read_dir(root.join(".git/hooks")).unwrap().count(), 1);
}

/// What was set aside, by its name.
fn aside(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for folder in aside_folders(folder) {
        let inner = fs::read_dir(folder).unwrap().flatten();
        let names = inner.map(|entry| entry.file_name().to_string_lossy().into_owned());
        found.extend(names.filter_map(|name| Some(name.split_once('-')?.1.to_owned())));
    }
    found.sort();
    found
}

#[test]
fn s13_4_nothing_that_a_command_moved_is_deleted() {
    let (_folder, root) = repository();
    init(&root.join(".git/modules/sub"));
    fs::create_dir(root.join("sub")).unwrap();
    fs::write(root.join("sub/.git"), "gitdir: ../.git/modules/sub").unwrap();
    fs::write(root.join(".git/modules/sub/objects/precious"), "history").unwrap();
    fs::create_dir(root.join("scripts")).unwrap();
    fs::write(root.join("scripts/build"), "mine").unwrap();
    let large = fs::File::create(root.join(".git/hooks/large")).unwrap();
    large.set_len(2 << 20).unwrap();
    let keeper = Keeper::new(vec![root.clone()]);
    let watched = keeper.begin().unwrap().1;
    fs::remove_file(root.join("sub/.git")).unwrap();
    fs::rename(root.join(".git/modules/sub"), root.join("sub/.git")).unwrap();
    fs::rename(root.join("scripts"), root.join(".git/hooks/scripts")).unwrap();
    fs::rename(root.join(".git/hooks/large"), root.join(".git/hooks/other")).unwrap();
    drop(watched);
    assert_eq!(fs::read_to_string(root.join("sub/.git")).unwrap(), "gitdir: ../.git/modules/sub");
    assert_eq!(aside(&root), [".git"]);
    assert_eq!(aside(&root.join(".git")), ["other", "scripts"]);
    let notes = keeper.notes().concat();
    assert!(
        notes.contains("legwork-removed-") && notes.contains("too large to be kept"),
        "{notes}"
    );
}

/// The folders below one that hold what was set aside.
fn aside_folders(folder: &Path) -> Vec<PathBuf> {
    let all = fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    all.filter(|path| path.to_string_lossy().contains("legwork-removed-")).collect()
}

#[test]
fn s13_4_what_was_set_aside_is_in_one_folder_and_is_not_a_repository() {
    let (_folder, root) = repository();
    let (bare, tree) = (root.join("bare"), root.join("tree"));
    init(&bare);
    fs::create_dir(&tree).unwrap();
    fs::write(tree.join(".git"), "gitdir: ../bare").unwrap();
    for session in 1..=2 {
        let keeper = Keeper::new(vec![root.clone()]);
        for round in 1..=3 {
            let watched = keeper.begin().unwrap().1;
            // A command may change what was set aside before.
            for folder in aside_folders(&root).iter().chain(&aside_folders(&bare)) {
                fs::set_permissions(folder, fs::Permissions::from_mode(0o000)).unwrap();
            }
            fs::remove_file(tree.join(".git")).unwrap();
            init(&tree.join(".git"));
            init(&bare.join("hooks/made"));
            drop(watched);
            let notes = keeper.notes();
            assert_eq!(notes.len(), 2, "{notes:?}");
            for folder in [&root, &bare] {
                assert_eq!(aside_folders(folder).len(), session);
                assert_eq!(aside(folder).len(), 3 * (session - 1) + round);
            }
        }
    }
}

#[test]
fn s13_4_what_cannot_be_read_is_not_forgotten() {
    let (_folder, root) = repository();
    let hooks = root.join(".git/hooks");
    fs::write(hooks.join("pre-push"), "mine").unwrap();
    fs::create_dir(root.join(".git/rebase-merge")).unwrap();
    let todo = root.join(".git/rebase-merge/git-rebase-todo");
    fs::write(&todo, "exec make test\n").unwrap();
    let keeper = Keeper::new(vec![root.clone()]);
    let mode = |place: &Path, mode| fs::set_permissions(place, fs::Permissions::from_mode(mode));
    for (place, closed) in [(&hooks, 0o000), (&hooks, 0o444), (&root.join(".git"), 0o600)] {
        drop(keeper.begin().unwrap());
        let watched = keeper.begin().unwrap().1;
        mode(place, closed).unwrap();
        drop(watched);
        let watched = keeper.begin().unwrap().1;
        mode(place, 0o755).unwrap();
        fs::write(hooks.join("pre-push"), "theirs").unwrap();
        fs::write(hooks.join("post-checkout"), "theirs").unwrap();
        drop(watched);
        assert_eq!(fs::read_to_string(hooks.join("pre-push")).unwrap(), "mine", "{closed:o}");
        assert!(!hooks.join("post-checkout").exists(), "{closed:o}");
        assert_eq!(fs::read_to_string(&todo).unwrap(), "exec make test\n", "{closed:o}");
    }
    // Moved away and back.
    let away = root.join(".git/away");
    for (from, to) in [(todo.parent().unwrap(), &*away), (&*away, todo.parent().unwrap())] {
        let watched = keeper.begin().unwrap().1;
        fs::rename(from, to).unwrap();
        drop(watched);
    }
    assert_eq!(fs::read_to_string(&todo).unwrap(), "exec make test\n");
}

#[test]
fn s13_4_what_a_command_links_to_is_not_a_hook() {
    let (_folder, root) = repository();
    let source = root.join("src");
    fs::create_dir_all(source.join("hooks")).unwrap();
    let names = ["main.rs", "config", "hooks/use.js"];
    names.iter().for_each(|name| fs::write(source.join(name), "old").unwrap());
    let keeper = Keeper::new(vec![root.clone()]);
    let watched = keeper.begin().unwrap().1;
    init(&root.join("made/.git"));
    for name in ["gitdir", "config", "commondir"] {
        std::os::unix::fs::symlink("../../src", root.join("made/.git").join(name)).unwrap();
    }
    fs::write(root.join("pointer"), "").unwrap();
    fs::create_dir(root.join("w")).unwrap();
    fs::write(root.join("w/.git"), "gitdir: ../src").unwrap();
    drop(watched);
    for keeper in [keeper, Keeper::new(vec![root.clone()])] {
        let watched = keeper.begin().unwrap().1;
        // The person works while it runs.
        names.iter().for_each(|name| fs::write(source.join(name), "new").unwrap());
        fs::write(source.join("more.rs"), "new").unwrap();
        drop(watched);
        names
            .iter()
            .for_each(|name| assert_eq!(fs::read_to_string(source.join(name)).unwrap(), "new"));
        assert!(source.join("more.rs").exists());
        names.iter().for_each(|name| fs::write(source.join(name), "old").unwrap());
        fs::remove_file(source.join("more.rs")).unwrap();
    }
}

#[test]
fn s13_4_rights_alone_are_not_a_change() {
    let (_folder, root) = repository();
    fs::write(root.join(".git/config"), "[core]").unwrap();
    fs::write(root.join(".git/hooks/pre-push"), "mine").unwrap();
    let hook = root.join(".git/hooks/pre-push");
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let keeper = Keeper::new(vec![root.clone()]);
    let watched = keeper.begin().unwrap().1;
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o770)).unwrap();
    fs::set_permissions(root.join(".git/config"), fs::Permissions::from_mode(0o600)).unwrap();
    drop(watched);
    assert_eq!(keeper.notes(), Vec::<String>::new());
    let watched = keeper.begin().unwrap().1;
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o600)).unwrap();
    drop(watched);
    assert_ne!(fs::metadata(&hook).unwrap().permissions().mode() & 0o111, 0);
}
