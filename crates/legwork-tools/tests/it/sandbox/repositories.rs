//! What makes Git run programs stays as it was, after each kind of change.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use legwork_port as port;
use legwork_port::core::ToolOutcome;
use legwork_port::{Cancellation, Tool as _};
use legwork_tools::{Bash, Sandbox, Workspace};

use super::scene::{Scene, Walls, as_nobody, run, sandbox};
use crate::fixture::{Watch, asked, blocking, context};
use crate::random::Random;

const BOTH: [Walls; 2] = [Walls::Bubblewrap, Walls::Landlock];

/// The repositories of a scene: one in the workspace, and one of each other shape.
const REPOSITORIES: [&str; 8] = [
    "home/work/.git",
    "home/work/sub/.git",
    "home/work/.git/modules/deep/name",
    "home/work/.git/worktrees/tree",
    "home/work/elsewhere",
    "home/work/bare.git",
    "home/work/without-hooks/.git",
    "outside/allowed/.git",
];

/// A scene with repositories of all shapes; one folder outside may be written.
struct Repositories {
    scene: Scene,
    sandbox: std::sync::Arc<dyn port::Sandbox>,
    bash: Bash,
}

impl Repositories {
    fn new(walls: Walls) -> Option<Self> {
        let scene = Scene::new();
        for name in REPOSITORIES {
            let git = scene.path(name);
            for folder in ["objects", "refs", "hooks", "info"] {
                std::fs::create_dir_all(git.join(folder)).expect("made");
            }
            std::fs::write(git.join("HEAD"), "ref: refs/heads/main\n").expect("written");
            std::fs::write(git.join("config"), "[core]\n").expect("written");
            std::fs::write(git.join("hooks/post-commit"), "#!/bin/sh\n").expect("written");
        }
        std::fs::remove_dir_all(scene.path("home/work/without-hooks/.git/hooks")).expect("removed");
        std::fs::write(scene.path("home/work/.git/worktrees/tree/commondir"), "../..\n")
            .expect("written");
        std::fs::create_dir(scene.path("home/work/tree")).expect("made");
        std::fs::write(scene.path("home/work/tree/.git"), "gitdir: ../elsewhere\n")
            .expect("written");
        let policy = scene.policy().with_writable(scene.path("outside/allowed"));
        let root = scene.path("home/work");
        let sandbox = sandbox(walls, &scene.environment(), policy);
        if let Err(why) = sandbox.confine(&root, vec!["true".into()]) {
            println!("skipped: {why}");
            return None;
        }
        let workspace = Workspace::open(root).expect("opened");
        let bash =
            Bash::new(workspace, scene.environment(), Sandbox::By(std::sync::Arc::clone(&sandbox)));
        Some(Self { scene, sandbox, bash })
    }

    fn run(&self, command: &str) -> String {
        run(&self.bash, command)
    }

    /// What Git would take for settings and programs, in all repositories.
    fn guarded(&self) -> BTreeMap<PathBuf, String> {
        let mut all = BTreeMap::new();
        for name in REPOSITORIES {
            let git = self.scene.path(name);
            for place in [
                "config",
                "config.worktree",
                "commondir",
                "hooks",
                "info/attributes",
                "remotes",
                "branches",
            ] {
                list(&git.join(place), &mut all);
            }
        }
        list(&self.scene.path("home/work/tree/.git"), &mut all);
        all
    }
}

fn list(place: &Path, all: &mut BTreeMap<PathBuf, String>) {
    let Ok(found) = place.symlink_metadata() else { return };
    let report = if found.is_symlink() {
        format!("-> {}", place.read_link().expect("a link").display())
    } else if found.is_dir() {
        for entry in std::fs::read_dir(place).expect("listed") {
            list(&entry.expect("read").path(), all);
        }
        "a folder".to_owned()
    } else {
        let text = String::from_utf8_lossy(&std::fs::read(place).expect("read")).into_owned();
        format!("{:o} {text}", found.permissions().mode() & 0o7777)
    };
    all.insert(place.to_owned(), report);
}

/// Ways to make Git run something, for a repository `$git`.
const ATTACKS: [&str; 18] = [
    "mkdir -p $git/remotes; echo 'URL: ../evil' >$git/remotes/origin",
    "mkdir -p $git/branches; echo ../evil >$git/branches/origin",
    "echo lost >$git/hooks/pre-commit; chmod +x $git/hooks/pre-commit",
    "mkdir -p $git/hooks; echo lost >$git/hooks/pre-commit",
    "rm -rf $git/hooks; mkdir $git/hooks; echo lost >$git/hooks/post-merge",
    "mv $git/hooks $git/other; ln -s /tmp $git/hooks",
    "chmod 777 $git/hooks/post-commit; echo lost >>$git/hooks/post-commit",
    "rm -f $git/hooks/post-commit; ln -s ../../evil $git/hooks/post-commit",
    "mkdir -p $git/hooks/folder/below; touch $git/hooks/folder/below/x",
    "echo '[core] fsmonitor = /tmp/x' >>$git/config",
    "echo lost >$git/new; mv -f $git/new $git/config",
    "rm -f $git/config; ln -s ../evil $git/config",
    "rm -f $git/config; mkdir $git/config; touch $git/config/x",
    "rm -f $git/config; mkfifo $git/config",
    "echo lost >$git/config.worktree",
    "echo ../evil >$git/commondir",
    "mkdir -p $git/info; echo '* filter=evil' >$git/info/attributes",
    "rm -rf $git/info; mkdir evil; echo '* filter=evil' >evil/attributes; ln -s ../evil $git/info",
];

fn each_attack(walls: Walls) {
    let Some(place) = Repositories::new(walls) else { return };
    let before = place.guarded();
    for attack in ATTACKS {
        let gits = REPOSITORIES.map(|name| place.scene.at(name)).join(" ");
        let text =
            place.run(&format!("for git in {gits}; do {attack}; done 2>/dev/null; echo over"));
        assert!(text.contains("over"), "{walls:?}: {attack}: {text}");
        assert_eq!(place.guarded(), before, "{walls:?}: {attack}: {text}");
    }
    let attack = "rm -f tree/.git; echo 'gitdir: ../evil' >tree/.git; echo over";
    let text = place.run(attack);
    assert_eq!(place.guarded(), before, "{walls:?}: {attack}: {text}");
    if walls == Walls::Landlock {
        assert!(
            text.contains("tree/.git, which makes Git run programs: it was put back"),
            "{text}"
        );
    }
    let text = place.run("echo over");
    assert_eq!(text, "over\n", "nothing is reported twice");
    assert!(place.sandbox.notes().is_empty());
}

#[test]
fn s13_4_each_attack_on_a_repository_is_held_or_undone() {
    for walls in BOTH {
        each_attack(walls);
    }
}

#[test]
fn s13_4_each_attack_on_a_repository_as_an_ordinary_user() {
    let test = concat!(module_path!(), "::s13_4_each_attack_on_a_repository_as_an_ordinary_user");
    as_nobody(test, || BOTH.into_iter().for_each(each_attack));
}

#[test]
fn s13_4_random_attacks_on_repositories_are_held_or_undone() {
    for walls in BOTH {
        let Some(place) = Repositories::new(walls) else { continue };
        let before = place.guarded();
        let mut random = Random::new();
        for _ in 0..12 {
            let steps = (0..random.below(12) + 1).map(|_| {
                let (git, attack) = (random.of(&REPOSITORIES), random.of(&ATTACKS));
                // No process reads the pipe that one of them makes.
                let git = place.scene.at(git);
                format!("git={git}; test -p $git/config && rm -f $git/config; {attack}")
            });
            let command = steps.collect::<Vec<_>>().join("\n");
            let text = place.run(&format!("exec 2>/dev/null\n{command}\necho over"));
            assert!(text.contains("over"), "{walls:?} {random:?}: {command}: {text}");
            assert_eq!(place.guarded(), before, "{walls:?} {random:?}: {command}: {text}");
        }
    }
}

#[test]
fn s13_4_what_a_person_changes_between_commands_stays() {
    for walls in BOTH {
        let Some(place) = Repositories::new(walls) else { continue };
        place.run("true");
        let git = place.scene.path("home/work/.git");
        std::fs::write(git.join("config"), "[user]\nname = A\n").expect("written");
        std::fs::write(git.join("hooks/pre-push"), "mine").expect("written");
        let before = place.guarded();
        let text = place.run("echo lost >>.git/config; rm -f .git/hooks/pre-push; echo over");
        assert!(text.contains("over"), "{text}");
        assert_eq!(place.guarded(), before, "{walls:?}: {text}");
    }
}

#[test]
fn s13_4_a_repository_that_a_command_makes_is_reported() {
    for walls in BOTH {
        let Some(place) = Repositories::new(walls) else { continue };
        let make = |name: &str| {
            format!(
                "mkdir -p {name}/objects {name}/refs; echo 'ref: refs/heads/main' >{name}/HEAD; "
            )
        };
        let text = place.run(&(make("new/.git") + &make("folder/hidden")));
        for name in ["new/.git", "folder/hidden"] {
            let report = format!("made the repository {}", place.scene.at("home/work"));
            assert!(text.contains(&format!("{report}/{name}")), "{walls:?} {name}: {text}");
        }
        assert_eq!(place.run("echo over"), "over\n", "{walls:?}");
    }
}

#[test]
fn s13_4_a_repository_that_is_moved_away_is_reported() {
    let Some(place) = Repositories::new(Walls::Landlock) else { return };
    let text = place.run("mv bare.git away; mv sub/.git sub/other; echo lost >sub/.git");
    for name in ["bare.git", "sub/.git"] {
        let report = format!("removed the repository {}", place.scene.at("home/work"));
        assert!(text.contains(&format!("{report}/{name}: it is not put back")), "{text}");
    }
    assert!(place.scene.path("home/work/sub/.git").symlink_metadata().is_err(), "{text}");
}

#[test]
fn s13_4_putting_back_follows_no_link() {
    let Some(place) = Repositories::new(Walls::Landlock) else { return };
    let outside = place.scene.path("outside/like/.git");
    for folder in ["objects", "hooks"] {
        std::fs::create_dir_all(outside.join(folder)).expect("made");
    }
    std::fs::write(outside.join("HEAD"), "ref: refs/heads/main\n").expect("written");
    std::fs::write(outside.join("config"), "[other]\n").expect("written");
    let text = place.run(&format!("mv sub away; ln -s {} sub", place.scene.at("outside/like")));
    assert!(text.contains("removed the repository"), "{text}");
    assert_eq!(std::fs::read(outside.join("config")).expect("read"), b"[other]\n", "{text}");
    assert!(!outside.join("hooks/post-commit").exists(), "{text}");
}

#[test]
fn nothing_is_made_in_a_repository_that_is_not_changed() {
    let Some(place) = Repositories::new(Walls::Bubblewrap) else { return };
    let git = place.scene.path("home/work/without-hooks/.git");
    let names = || {
        let entries = std::fs::read_dir(&git).expect("listed");
        let mut names: Vec<_> = entries.map(|entry| entry.expect("read").file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    assert_eq!(place.run("echo over"), "over\n");
    assert_eq!(names(), before);
}

#[test]
fn a_repository_with_a_link_for_hooks_is_read_only() {
    let scene = Scene::new();
    let git = scene.path("home/work/.git");
    std::fs::remove_dir(git.join("hooks")).expect("removed");
    std::fs::create_dir(scene.path("home/work/scripts")).expect("made");
    std::os::unix::fs::symlink("../scripts", git.join("hooks")).expect("linked");
    let attack = "rm .git/hooks; mkdir .git/hooks; touch .git/hooks/x .git/y; echo over";
    let Some(text) = scene.run(Walls::Bubblewrap, attack) else { return };
    assert!(text.contains("over") && text.contains("Read-only"), "{text}");
    assert!(git.join("hooks").is_symlink() && !git.join("y").exists(), "{text}");
}

/// Ways by which Git finds hooks and settings that do not lie in a directory that looks like
/// a repository: what makes one, and what a command then changes.
const WAYS: [(&str, &str); 3] = [
    (
        "mkdir common; mv .git/objects .git/config .git/hooks common; echo ../common >.git/commondir",
        "common",
    ),
    ("mkdir -p a/b/c/d; mv .git a/b/c/d/e; echo gitdir: $PWD/a/b/c/d/e >.git", "a/b/c/d/e"),
    ("mkdir -p a/b/c/d; mv .git a/b/c/d/e; ln -s a/b/c s; echo gitdir: s/d/e >.git", "a/b/c/d/e"),
];

#[test]
fn s13_4_what_is_found_in_a_roundabout_way_is_kept_too() {
    for walls in BOTH {
        for (make, git) in WAYS {
            let scene = Scene::new();
            scene.run(
                Walls::None,
                &format!("rm -f .git/marker; echo '#!/bin/sh' >.git/hooks/old; {make}"),
            );
            let mut before = BTreeMap::new();
            let git = scene.path("home/work").join(git);
            let all = |all: &mut BTreeMap<_, _>| {
                for place in ["config", "hooks"] {
                    let Ok(real) = git.join(place).canonicalize() else { continue };
                    list(&real, all);
                }
            };
            all(&mut before);
            assert!(!before.is_empty(), "{make}");
            let attack = format!(
                "cd {}; echo lost >>config; echo lost >hooks/new; echo lost >>hooks/old; echo over",
                git.display()
            );
            let Some(text) = scene.run(walls, &attack) else { break };
            let mut after = BTreeMap::new();
            all(&mut after);
            assert!(text.contains("over"), "{walls:?} {make}: {text}");
            assert_eq!(after, before, "{walls:?} {make}: {text}");
        }
    }
}

#[test]
fn s13_4_hooks_among_many_files_are_removed() {
    let Some(place) = Repositories::new(Walls::Landlock) else { return };
    let before = place.guarded();
    let text = place.run("cd .git/hooks; touch $(seq 3000) pre-commit pre-push; echo over");
    assert!(text.contains("over"), "{text}");
    assert_eq!(place.guarded(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn s13_4_what_a_cancelled_command_changes_until_it_dies_is_put_back() {
    for walls in BOTH {
        let Some(place) = tokio::task::block_in_place(|| Repositories::new(walls)) else { return };
        let before = place.guarded();
        let alive = Watch::new(&place.scene.path("home/work/alive"));
        let cancellation = Cancellation::new();
        let (bash, raised) = (place.bash.clone(), cancellation.clone());
        let line = "for i in $(seq 40); do (while :; do echo ../evil >.git/commondir; \
                    echo evil >without-hooks/.git/config.worktree; done) & done; echo up >alive; wait";
        let call = tokio::spawn(async move {
            let asked = asked(&bash, &serde_json::json!({ "command": line }));
            bash.call(&asked, &context(cancellation)).await
        });
        blocking(move || {
            assert_eq!(alive.lines(1), ["up"]);
            raised.cancel();
        })
        .await;
        assert_eq!(call.await.expect("no panic"), ToolOutcome::Interrupted);
        assert_eq!(place.guarded(), before, "{walls:?}");
    }
}

/// A command takes rights away, and the next one gives them back and writes.
fn rights_do_not_help_around_it(walls: Walls) {
    for (away, back) in [
        ("chmod 000 .git/hooks", "chmod 755 .git/hooks"),
        ("chmod 444 .git/hooks", "chmod 755 .git/hooks"),
        ("chmod 000 .git", "chmod 755 .git"),
        ("chmod 600 .git", "chmod 755 .git"),
        ("chmod 000 sub", "chmod 755 sub"),
        ("chmod 000 .git/modules", "chmod 755 .git/modules"),
    ] {
        let Some(place) = Repositories::new(walls) else { return };
        let todo = place.scene.path("home/work/.git/rebase-merge/git-rebase-todo");
        std::fs::create_dir_all(todo.parent().expect("a folder")).expect("made");
        std::fs::write(&todo, "exec make test\n").expect("written");
        let before = place.guarded();
        place.run("true");
        let first = place.run(&format!("{away}; echo over"));
        let text = place.run(&format!(
            "{back}; for git in .git sub/.git .git/modules/deep/name; do \
             echo evil >>$git/hooks/post-commit; echo evil >$git/hooks/pre-push; \
             echo evil >>$git/config; echo evil >$git/commondir; done; echo over"
        ));
        assert!(
            first.contains("over") && text.contains("over"),
            "{walls:?} {away}: {first} {text}"
        );
        assert_eq!(place.guarded(), before, "{walls:?} {away}: {first} {text}");
        let lines = std::fs::read_to_string(&todo).expect("read");
        assert_eq!(lines, "exec make test\n", "{walls:?} {away}: {text}");
    }
}

#[test]
fn s13_4_what_cannot_be_read_is_not_forgotten_as_an_ordinary_user() {
    let test =
        concat!(module_path!(), "::s13_4_what_cannot_be_read_is_not_forgotten_as_an_ordinary_user");
    as_nobody(test, || BOTH.into_iter().for_each(rights_do_not_help_around_it));
}
