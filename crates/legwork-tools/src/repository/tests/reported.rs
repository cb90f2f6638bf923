//! What is reported to a person.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::super::Keeper;
use super::{init, look, repository};

/// The notes of one command.
fn notes(keeper: &std::sync::Arc<Keeper>, command: impl FnOnce()) -> String {
    let watched = keeper.begin().unwrap().1;
    command();
    drop(watched);
    keeper.notes().join("\n")
}

#[test]
fn s13_4_whatever_leads_git_to_a_repository_is_reported() {
    let (_other, other) = repository();
    let deep = "a/b/c/d/e";
    let long = "\n".repeat(9_000);
    let file = |target: &Path, end: &str| format!("gitdir: {}{end}", target.display());
    for (name, end) in [("git", "\n"), ("git", &*long), ("git ", "\n"), ("git", "\r\n")] {
        let (_folder, root) = repository();
        let git = root.join(deep).join(name);
        let found = notes(&Keeper::new(vec![root.clone()]), || {
            init(&git);
            fs::create_dir(root.join("sub")).unwrap();
            fs::write(root.join("sub/.git"), file(&git, end)).unwrap();
            fs::create_dir(root.join("link")).unwrap();
            fs::write(root.join("pointer"), file(&git, end)).unwrap();
            symlink("../pointer", root.join("link/.git")).unwrap();
        });
        for place in [&git, &root.join("sub/.git"), &root.join("link/.git")] {
            assert!(found.contains(&*place.to_string_lossy()), "{place:?}: {found}");
        }
    }
    // In another writable directory, and in one that was reported already.
    let (_folder, root) = repository();
    let keeper = Keeper::new(vec![root.clone(), other.clone()]);
    let far = other.join(deep).join("git");
    init(&far);
    let found = notes(&keeper, || fs::write(root.join("a"), "").unwrap());
    assert_eq!(found, "");
    for place in ["one", "two"] {
        fs::create_dir(root.join(place)).unwrap();
        let pointer = root.join(place).join(".git");
        let found = notes(&keeper, || fs::write(&pointer, file(&far, "\n")).unwrap());
        assert!(found.contains(&*pointer.to_string_lossy()), "{found}");
    }
    // What Git takes for nothing is none.
    fs::create_dir(root.join("fixture")).unwrap();
    let found = notes(&keeper, || fs::write(root.join("fixture/.git"), "none").unwrap());
    assert_eq!(found, "");
    let found = notes(&keeper, || fs::remove_dir_all(root.join("fixture")).unwrap());
    assert_eq!(found, "");
}

#[test]
fn s13_4_settings_that_are_links_are_reported_and_no_source_is_taken_for_hooks() {
    for name in ["hooks", "config"] {
        let (_folder, root) = repository();
        fs::create_dir(root.join("src")).unwrap();
        fs::write(root.join("src/main.rs"), "old").unwrap();
        init(&root.join("made/.git"));
        fs::remove_dir_all(root.join("made/.git/hooks")).unwrap();
        let target = if name == "hooks" { "../../src" } else { "../../src/main.rs" };
        symlink(target, root.join("made/.git").join(name)).unwrap();
        let keeper = Keeper::new(vec![root.clone()]);
        let found = notes(&keeper, || {
            fs::write(root.join("src/main.rs"), "new").unwrap();
            fs::write(root.join("src/more.rs"), "new").unwrap();
        });
        assert!(found.contains("which commands may write"), "{found}");
        assert_eq!(found.lines().count(), 1, "{found}");
        assert_eq!(fs::read_to_string(root.join("src/main.rs")).unwrap(), "new");
        assert!(root.join("src/more.rs").exists());
        // The link itself is kept.
        let link = root.join("made/.git").join(name);
        let found = notes(&keeper, || {
            fs::remove_file(&link).unwrap();
            symlink("/evil", &link).unwrap();
        });
        assert!(found.contains("it was put back"), "{found}");
        assert_eq!(fs::read_link(&link).unwrap(), Path::new(target));
    }
}

#[test]
fn s13_4_each_link_to_what_commands_may_write_is_reported() {
    let (_other, other) = repository();
    let far = other.join("far").display().to_string();
    // The link, where it leads, and what is there.
    let cases = [
        ("hooks/pre-commit", "../../scripts/pre-commit", "scripts/pre-commit"),
        ("info/attributes", "../../scripts/a", "scripts/a"),
        ("commondir", "../not/there", "scripts/a"),
        ("config", "own", ".git/own"),
        ("config", &*far, "scripts/a"),
        ("config", "../tools/passwd", "scripts/a"),
    ];
    for (link, target, there) in cases {
        let (_folder, root) = repository();
        for folder in [".git/info", "scripts"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        fs::write(root.join(there), "mine").unwrap();
        symlink("/etc", root.join("tools")).unwrap();
        symlink(target, root.join(".git").join(link)).unwrap();
        let keeper = Keeper::new(vec![root.clone(), other.clone()]);
        let found = notes(&keeper, || ());
        assert!(found.contains("which commands may write"), "{link} -> {target}: {found}");
    }
    // What no command can write, or what is kept itself.
    for (link, target) in [("config", "/etc/passwd"), ("hooks/b", "a")] {
        let (_folder, root) = repository();
        fs::write(root.join(".git/hooks/a"), "mine").unwrap();
        symlink(target, root.join(".git").join(link)).unwrap();
        assert_eq!(notes(&Keeper::new(vec![root]), || ()), "", "{link}");
    }
}

#[test]
fn s13_4_links_that_lead_nowhere_new_are_not_reported() {
    let (_folder, root) = repository();
    for git in ["sub/.git", ".git/modules/m"].map(|git| root.join(git)) {
        init(&git);
        fs::write(git.join("hooks/a"), "mine").unwrap();
        symlink("a", git.join("hooks/b")).unwrap();
        symlink("/etc/passwd", git.join("hooks/c")).unwrap();
    }
    fs::create_dir(root.join("m")).unwrap();
    fs::write(root.join("m/.git"), "gitdir: ../.git/modules/m\n").unwrap();
    // Where no command may write.
    fs::create_dir(root.join("scripts")).unwrap();
    symlink("../../scripts/p", root.join(".git/hooks/p")).unwrap();
    let keeper = Keeper::closed_to(vec![root.clone()], vec![root.join("scripts")]);
    assert_eq!(notes(&keeper, || ()), "");
}

#[test]
fn s13_4_no_link_leads_to_other_submodules() {
    let (_folder, root) = repository();
    let far = root.join("a/b/c/d/e");
    let keeper = Keeper::new(vec![root.clone()]);
    let found = notes(&keeper, || {
        init(&far.join("lib"));
        symlink("../a/b/c/d/e", root.join(".git/modules")).unwrap();
    });
    assert!(found.contains("put back") && !root.join(".git/modules").exists(), "{found}");
    init(&root.join(".git/modules/other"));
    let found = notes(&keeper, || symlink(far.join("lib"), root.join(".git/modules/lib")).unwrap());
    assert!(found.contains(".git/modules/lib, which leads Git"), "{found}");
    assert!(found.contains("e/lib: look at its hooks"), "{found}");
}

#[test]
fn s13_4_what_leads_to_another_directory_is_followed_there() {
    let (_folder, root) = repository();
    let (_other, other) = repository();
    let far = other.join("a/b/c/d/e/.git");
    init(&far);
    init(&far.join("worktrees/wt"));
    fs::write(far.join("worktrees/wt/commondir"), "../..").unwrap();
    fs::create_dir(root.join("wt")).unwrap();
    let pointer = format!("gitdir: {}/worktrees/wt\n", far.display());
    fs::write(root.join("wt/.git"), pointer).unwrap();
    let keeper = Keeper::new(vec![root.clone(), other.clone()]);
    let hook = far.join("hooks/pre-commit");
    let found = notes(&keeper, || fs::write(&hook, "theirs").unwrap());
    assert!(found.contains("moved to") && !hook.exists(), "{found}");
    // Where its way may be changed, that is reported.
    symlink(&far, root.join("way")).unwrap();
    fs::write(root.join("wt/.git"), "gitdir: ../way\n").unwrap();
    let found = notes(&keeper, || ());
    assert!(found.contains("way, which commands may write"), "{found}");
}

#[test]
fn s13_4_what_a_person_mends_is_the_next_baseline() {
    let (_folder, root) = repository();
    let hook = root.join(".git/hooks/pre-commit");
    fs::write(&hook, "a".repeat(2 << 20)).unwrap();
    let keeper = Keeper::new(vec![root.clone()]);
    let found = notes(&keeper, || fs::write(&hook, "evil").unwrap());
    assert!(found.contains("too large"), "{found}");
    fs::write(&hook, "mended").unwrap();
    assert_eq!(notes(&keeper, || ()), "");
    let found = notes(&keeper, || fs::write(&hook, "evil").unwrap());
    assert!(found.contains("put back"), "{found}");
    assert_eq!(fs::read_to_string(&hook).unwrap(), "mended");
}

#[test]
fn s13_4_a_repository_that_git_moves_keeps_what_leads_to_it() {
    let (_folder, root) = repository();
    init(&root.join("sub/.git"));
    let keeper = Keeper::new(vec![root.clone()]);
    let pointer = root.join("sub/.git");
    let moved = root.join(".git/modules/sub");
    let found = notes(&keeper, || {
        fs::create_dir(moved.parent().unwrap()).unwrap();
        fs::rename(&pointer, &moved).unwrap();
        fs::write(&pointer, "gitdir: ../.git/modules/sub\n").unwrap();
    });
    assert!(found.contains("moved or removed") && found.contains("made the repository"), "{found}");
    assert!(pointer.is_file(), "{found}");
    // One that leads to another one, or out of the directory, is moved away.
    let (_other, other) = repository();
    let inner = root.join("sub/in/.git");
    init(&inner);
    let found = notes(&keeper, || {
        fs::rename(&inner, other.join("in")).unwrap();
        fs::write(&inner, format!("gitdir: {}/in\n", other.display())).unwrap();
    });
    assert!(found.contains("what was there is in") && !inner.exists(), "{found}");
    let found = notes(&keeper, || {
        fs::rename(root.join(".git"), root.join("away")).unwrap();
        fs::write(root.join(".git"), "gitdir: sub\n").unwrap();
    });
    assert!(found.contains("what was there is in"), "{found}");
    assert!(!root.join(".git").exists());
}

#[test]
fn s13_4_what_stays_as_it_is_is_reported_once() {
    let (_folder, root) = repository();
    init(&root.join("dep/.git"));
    let large = root.join(".git/hooks/large");
    fs::write(&large, "a".repeat(2 << 20)).unwrap();
    let keeper = Keeper::new(vec![root.clone()]);
    let background = keeper.begin().unwrap().1;
    let found = notes(&keeper, || {
        fs::remove_dir_all(root.join("dep")).unwrap();
        fs::write(&large, "b".repeat(2 << 20)).unwrap();
    });
    assert!(found.contains("moved or removed") && found.contains("too large"), "{found}");
    assert_eq!(notes(&keeper, || ()), "");
    drop(background);
    assert_eq!(keeper.notes(), Vec::<String>::new());
    // What could not be put back is no new baseline: a command may mend it, too.
    assert_eq!(notes(&keeper, || ()), "");
    assert_eq!(notes(&keeper, || fs::write(&large, "a".repeat(2 << 20)).unwrap()), "");
    let found = notes(&keeper, || fs::write(&large, "b".repeat(2 << 20)).unwrap());
    assert!(found.contains("too large"), "{found}");
}

#[test]
fn s13_4_a_repository_that_a_person_makes_anew_is_theirs() {
    let (_folder, root) = repository();
    let keeper = Keeper::new(vec![root.clone()]);
    let found = notes(&keeper, || init(&root.join("x/.git")));
    assert!(found.contains("made the repository"), "{found}");
    fs::remove_dir_all(root.join("x")).unwrap();
    init(&root.join("x/.git"));
    let hook = root.join("x/.git/hooks/pre-commit");
    let found = notes(&keeper, || fs::write(&hook, "theirs").unwrap());
    assert!(found.contains("moved to") && !hook.exists(), "{found}");
}

#[test]
fn s13_4_what_was_not_looked_through_is_not_said_to_be_made() {
    let (_folder, root) = repository();
    init(&root.join("one/two/mine/.git"));
    let folders: Vec<_> = (0..10_001).map(|at| root.join(format!("one/f{at}"))).collect();
    folders.iter().for_each(|folder| fs::create_dir(folder).unwrap());
    let keeper = Keeper::new(vec![root.clone()]);
    let found =
        notes(&keeper, || folders.iter().for_each(|folder| fs::remove_dir(folder).unwrap()));
    assert!(found.contains("was found after a command"), "{found}");
    assert!(!found.contains("made the repository"), "{found}");
    let hook = root.join("one/two/mine/.git/hooks/pre-commit");
    let found = notes(&keeper, || fs::write(&hook, "theirs").unwrap());
    assert!(!hook.exists(), "{found}");
}

#[test]
fn s13_4_other_files_take_no_room_from_settings() {
    let (_folder, root) = repository();
    let config = root.join(".git/config");
    fs::write(&config, "mine").unwrap();
    for at in 0..17 {
        fs::create_dir(root.join(format!("!{at}"))).unwrap();
        let text = "gitdir: x".to_owned() + &"\n".repeat((1 << 20) - 9);
        fs::write(root.join(format!("!{at}/.git")), text).unwrap();
    }
    let keeper = Keeper::new(vec![root.clone()]);
    let found = notes(&keeper, || fs::write(&config, "theirs").unwrap());
    assert!(found.contains("larger than is kept"), "{found}");
    assert_eq!(fs::read_to_string(&config).unwrap(), "mine");
}

#[test]
fn s13_4_ways_through_links_are_bounded() {
    let (_folder, root) = repository();
    fs::create_dir_all(root.join("c/x")).unwrap();
    for at in 0..39 {
        let next = if at == 38 { "nowhere".to_owned() } else { format!("l{}", at + 1) };
        let target = "x/../".repeat((4_095 - next.len()) / 5) + &next;
        symlink(target, root.join(format!("c/l{at}"))).unwrap();
    }
    for at in 0..400 {
        fs::create_dir_all(root.join(format!("s/{at}"))).unwrap();
        symlink("../../c/l0", root.join(format!("s/{at}/.git"))).unwrap();
    }
    let bounds: BTreeSet<_> = look(&root).cut().map(|(_, bound)| bound.to_string()).collect();
    assert_eq!(bounds.len(), 1, "{bounds:?}");
    assert!(bounds.iter().all(|bound| bound.contains("paths")), "{bounds:?}");
}

#[test]
fn s13_4_long_ways_at_deep_places_are_bounded() {
    let (_folder, root) = repository();
    let mut deep = root.clone();
    while deep.as_os_str().len() < 3_900 {
        deep.push("a");
    }
    fs::create_dir_all(&deep).unwrap();
    symlink("../a/".repeat(800), deep.join("l")).unwrap();
    let bounds =
        || -> BTreeSet<_> { look(&root).cut().map(|(_, bound)| bound.to_string()).collect() };
    assert_eq!(bounds(), BTreeSet::new());
    for at in 0..100 {
        fs::create_dir_all(root.join(format!("s/{at}"))).unwrap();
        let pointer = format!("gitdir: {}/l\n", deep.display());
        fs::write(root.join(format!("s/{at}/.git")), pointer).unwrap();
    }
    assert!(bounds().iter().any(|bound| bound.contains("too many links")), "{:?}", bounds());
}

#[test]
fn s13_4_options_of_a_strategy_run_nothing() {
    let (_folder, root) = repository();
    fs::create_dir(root.join(".git/sequencer")).unwrap();
    let options = root.join(".git/sequencer/opts");
    let keeper = Keeper::new(vec![root.clone()]);
    let harmless = "[options]\n\tstrategy-option = subtree=a/b\n";
    assert_eq!(notes(&keeper, || fs::write(&options, harmless).unwrap()), "");
    for line in ["strategy = ./x", "strategy-option = \"a\"/b", "strategy-option = a/b\\"] {
        let found =
            notes(&keeper, || fs::write(&options, format!("{harmless}\t{line}\n")).unwrap());
        assert!(found.contains("taken out") && found.contains("legwork-removed"), "{found}");
        assert_eq!(fs::read_to_string(&options).unwrap(), harmless, "{line}");
    }
}
