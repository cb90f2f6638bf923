//! Repositories that an index names are looked at wherever they lie: Git looks into them for
//! `git status` in the repository around them.

use std::path::Path;
use std::process::Command;

use super::scene::{Scene, Walls, run};

const BOTH: [Walls; 2] = [Walls::Bubblewrap, Walls::Landlock];

/// Git as a person runs it; what it says.
fn git(work: &Path, arguments: &str) -> String {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=A", "-c", "user.email=a@example.com"]);
    git.args(arguments.split(' ')).current_dir(work).env("HOME", work);
    let output = git.output().expect("started");
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

/// Forms of an index: how a repository is made, and how it is written.
const FORMS: [(&str, &str); 5] = [
    ("--object-format=sha1", "git update-index --index-version 2"),
    ("--object-format=sha1", "git update-index --index-version 4"),
    ("--object-format=sha1", "git update-index --split-index"),
    ("--object-format=sha1", "echo x >intended; git add -N intended"),
    ("--object-format=sha256", "true"),
];

/// Makes a repository at `$1` and names it as a submodule of the one around it.
const NAME: &str = "name() { mkdir -p $1; git init -q $FORMAT $1; \
    git -C $1 -c user.name=A -c user.email=a@example.com commit -q --allow-empty -m x; \
    git update-index --add --cacheinfo 160000,$(git -C $1 rev-parse HEAD),$1; };";

#[test]
fn s13_4_a_repository_that_an_index_names_is_reported_wherever_it_is() {
    for walls in BOTH {
        for (format, form) in FORMS {
            let scene = Scene::new();
            let work = scene.path("home/work/real");
            std::fs::create_dir(&work).expect("made");
            git(&work, &format!("init -q {format}"));
            std::fs::write(work.join("file"), "one").expect("written");
            git(&work, "add file");
            let Ok(bash) = scene.bash(walls) else { return };
            let names = ["node_modules/x", "a/b/c/d/e/f/g", "target/deep/er"];
            let command = format!(
                "export FORMAT={format}; {NAME} cd real; name {}; name {}; {form}; name {}; git status --short",
                names[0], names[1], names[2]
            );
            let text = run(&bash, &command);
            for name in names {
                let report =
                    format!("made the repository {}/{name}/.git", scene.at("home/work/real"));
                assert!(text.contains(&report), "{walls:?} {form} {name}: {text}");
            }
            assert!(!text.contains("more folders"), "{walls:?} {form}: {text}");
            assert!(text.contains("A  node_modules/x"), "{walls:?} {form}: {text}");
        }
    }
}

#[test]
fn s13_4_what_runs_programs_in_a_deep_submodule_stays_as_it_was() {
    for walls in BOTH {
        let scene = Scene::new();
        let work = scene.path("home/work/real");
        let deep = work.join("vendor/a/b/c/d/e");
        std::fs::create_dir_all(&deep).expect("made");
        git(&work, "init -q");
        git(&deep, "init -q");
        git(&deep, "commit -q --allow-empty -m x");
        let head = git(&deep, "rev-parse HEAD");
        git(
            &work,
            &format!("update-index --add --cacheinfo 160000,{},vendor/a/b/c/d/e", head.trim()),
        );
        let before = std::fs::read(deep.join(".git/config")).expect("read");
        let command = "cd real/vendor/a/b/c/d/e; echo '[core] fsmonitor = /tmp/x' >>.git/config; \
                       echo lost >.git/hooks/pre-commit; echo over";
        let Some(text) = scene.run(walls, command) else { return };
        assert!(text.contains("over"), "{walls:?}: {text}");
        assert_eq!(
            std::fs::read(deep.join(".git/config")).expect("read"),
            before,
            "{walls:?}: {text}"
        );
        assert!(!deep.join(".git/hooks/pre-commit").exists(), "{walls:?}: {text}");
    }
}
