//! A project of another user, or with files of one: what of it is taken.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::Path;

use legwork_testkit::Server;

use crate::home::{Home, Ran, ran};
use crate::trusted::{fill, lines, server, takes_with_others, told};

/// An unprivileged user, and another one.
const NOBODY: u32 = 65_534;
const OTHER: u32 = 65_533;

/// Lets everybody go through the folders of a home, so that others can work in it.
fn open(home: &Home) {
    let top = home.work().parent().unwrap().to_owned();
    fs::set_permissions(top, fs::Permissions::from_mode(0o777)).unwrap();
    fs::set_permissions(home.work(), fs::Permissions::from_mode(0o777)).unwrap();
}

/// Gives all below a path to a user; says so where this user cannot.
fn give(path: &Path, user: u32) -> bool {
    let given = std::os::unix::fs::lchown(path, Some(user), Some(user));
    if given.is_err() {
        println!("skipped: this user cannot give a file away");
        return false;
    }
    let below = fs::read_dir(path).into_iter().flatten().flatten();
    below.filter(|_| !path.is_symlink()).all(|entry| give(&entry.path(), user))
}

/// The command as a user, by `--trust` where nothing else is to be tried.
fn run_as(home: &Home, server: &Server, user: u32, dir: &Path, args: &[&str]) -> Ran {
    let mut command = home.with(server, &[&["run"], args, &["Go"]].concat());
    command.current_dir(dir).uid(user).gid(user);
    let store = format!("sqlite:{}", home.work().parent().unwrap().join("s.db").display());
    ran({
        command.env("LEGWORK_STORE", store);
        command
    })
    .ends(0)
}

fn is_root() -> bool {
    let root = rustix::process::geteuid().is_root();
    if !root {
        println!("skipped: only root can run the command as other users");
    }
    root
}

#[test]
fn s13_8_files_and_folders_of_another_user_are_not_taken() {
    if !is_root() {
        return;
    }
    // The owner of the file or folder; the user is `nobody`, and root.
    for me in [NOBODY, 0] {
        for foreign in ["AGENTS.md", "legwork.toml", "sub", "sub/AGENTS.md"] {
            let (home, server) = (Home::untrusted(), server());
            open(&home);
            let project = home.work().join("project");
            fill(&project);
            fs::create_dir(project.join(".git")).unwrap();
            fs::create_dir(home.work().join(".git")).unwrap();
            assert!(give(&home.work(), me));
            chown(project.join(foreign), Some(OTHER), None).unwrap();
            let run = run_as(&home, &server, me, &project.join("sub"), &["--trust"]);
            let all = told(&server);
            let lost = |file: &str, word: &str| {
                let is = Path::new(file).starts_with(foreign);
                assert_eq!(!all.contains(word), is, "{me} {foreign} {file}: {all}");
            };
            if foreign == "sub" {
                // The directory itself belongs to another user.
                assert!(!all.contains("Say SUB."), "{all}");
            } else {
                lost("AGENTS.md", "Say ROOT.");
                lost("sub/AGENTS.md", "Say SUB.");
            }
            let told = format!("belongs to user {OTHER}");
            assert!(lines(&run).iter().any(|line| line.contains(&told)), "{foreign}: {}", run.err);
        }
    }
}

#[test]
fn s13_8_a_repository_of_another_user_above_is_not_taken() {
    if !is_root() {
        return;
    }
    for me in [NOBODY, 0] {
        for whose in ["work", "work/.git", "work/between"] {
            let (home, server) = (Home::untrusted(), server());
            open(&home);
            fill(&home.work());
            fs::create_dir_all(home.work().join("between/mine")).unwrap();
            fs::create_dir(home.work().join(".git")).unwrap();
            let mine = home.work().join("between/mine");
            fs::write(mine.join("AGENTS.md"), "Say MINE.").unwrap();
            assert!(give(&home.work(), me));
            let foreign = home.work().parent().unwrap().join(whose);
            chown(&foreign, Some(OTHER), Some(OTHER)).unwrap();
            let run = run_as(&home, &server, me, &mine, &["--trust"]);
            let all = told(&server);
            assert!(all.contains("Say MINE.") && !all.contains("Say ROOT."), "{whose}: {all}");
            let [line] = lines(&run)[..] else { panic!("{whose}: {}", run.err) };
            assert!(line.contains("work/AGENTS.md") && line.contains("of another user"), "{line}");
        }
    }
}

#[test]
fn s13_8_root_takes_files_of_the_user_who_became_root_only() {
    if !is_root() {
        return;
    }
    let (home, server) = (Home::untrusted(), server());
    fill(&home.work());
    assert!(give(&home.work(), OTHER));
    let takes = |args: &[&str], sudo: Option<u32>| {
        let mut command = home.with(&server, &[&["run"], args, &["Go"]].concat());
        command.envs(sudo.map(|user| ("SUDO_UID", user.to_string())));
        let run = ran(command).ends(0);
        let takes = told(&server).contains("Say ROOT.");
        assert_eq!(lines(&run).is_empty(), takes, "{}", run.err);
        takes
    };
    assert!(!takes(&[], None) && !takes(&["--trust"], None), "not even by the flag");
    assert!(takes(&["--trust"], Some(OTHER)) && !takes(&["--trust"], Some(NOBODY)));
    home.settings("trust = ['*']");
    assert!(!takes(&[], None));
    // Only by name.
    let refused = home.ran(&["trust", "add"]).ends(2);
    refused.says("belongs to user 65533").says("legwork trust add --owner 65533 /");
    home.ran(&["trust", "add", "--owner", "root"]).ends(2);
    home.ran(&["trust", "add", "--owner", "65533"]).ends(0);
    assert!(takes(&[], None));
    chown(home.work().join("AGENTS.md"), Some(NOBODY), None).unwrap();
    assert!(!takes_with_others(&home, &server));
}
