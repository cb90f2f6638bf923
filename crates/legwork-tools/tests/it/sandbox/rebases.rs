//! What a stopped rebase is to do next runs nothing that a command put there.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::scene::{Scene, Walls, as_nobody, run};

const BOTH: [Walls; 2] = [Walls::Bubblewrap, Walls::Landlock];

/// A line of each kind, and whether it runs something.
const LINES: [(&str, bool); 12] = [
    ("exec touch owned", true),
    ("x touch owned", true),
    ("  exec touch owned", true),
    ("\\tx touch owned", true),
    ("exec\\ttouch owned", true),
    ("pick 0123456 x touch owned", false),
    ("edit 0123456 exec", false),
    ("# exec touch owned", false),
    ("label exec", false),
    ("break", false),
    ("update-ref refs/heads/exec", false),
    ("execute", false),
];

fn todo(scene: &Scene) -> PathBuf {
    scene.path("home/work/.git/rebase-merge/git-rebase-todo")
}

fn report(scene: &Scene) -> String {
    std::fs::read_to_string(todo(scene)).unwrap_or_default()
}

fn lines_are_taken_out(walls: Walls) {
    let scene = Scene::new();
    std::fs::create_dir(scene.path("home/work/.git/rebase-merge")).expect("made");
    std::fs::write(todo(&scene), "pick 1\nexec make test\n").expect("written");
    let Ok(bash) = scene.bash(walls) else { return };
    for (line, runs) in LINES {
        let add = format!("printf '{line}\\n' >>.git/rebase-merge/git-rebase-todo; echo over");
        let before = self::report(&scene);
        let text = run(&bash, &add);
        let line = line.replace("\\t", "\t");
        let expected = if runs { before.clone() } else { format!("{before}{line}\n") };
        assert_eq!(self::report(&scene), expected, "{walls:?} {line:?}: {text}");
        assert_eq!(text.contains("they were taken out"), runs, "{walls:?} {line:?}: {text}");
    }
    // Git takes the last line without an end, too.
    let before = self::report(&scene);
    run(&bash, "printf 'x touch owned' >>.git/rebase-merge/git-rebase-todo");
    assert_eq!(self::report(&scene), before, "{walls:?}");
}

/// Other ways to have a list, in a repository that has none.
const WAYS: [&str; 9] = [
    "mkdir $git/rebase-merge; echo owned/y >$git/rebase-merge/strategy",
    "mkdir $git/sequencer; printf '[options]\\n\\tstrategy = owned/y\\n' >$git/sequencer/opts",
    "mkdir $git/sequencer; printf '[options] strategy = \"owned\\\\\\n/y\"\\n' >$git/sequencer/opts",
    "mkdir $git/rebase-merge; echo x touch owned >$git/rebase-merge/git-rebase-todo",
    "mkdir other; echo x touch owned >other/git-rebase-todo; ln -s $PWD/other $git/rebase-merge",
    "echo x touch owned >list; mkdir $git/rebase-merge; ln -s $PWD/list $git/rebase-merge/git-rebase-todo",
    "mkdir -p $git/rebase-merge/git-rebase-todo/x",
    "mkdir $git/rebase-merge; mkfifo $git/rebase-merge/git-rebase-todo",
    "mkdir $git/rebase-merge; (echo x touch owned; head -c 20M /dev/zero) >$git/rebase-merge/git-rebase-todo",
];

fn ways_are_undone(walls: Walls) {
    for way in WAYS {
        let scene = Scene::new();
        let Some(text) = scene.run(walls, &format!("git=.git; {way}; echo over")) else { return };
        assert!(text.contains("over"), "{walls:?} {way}: {text}");
        for name in ["rebase-merge/git-rebase-todo", "rebase-merge/strategy", "sequencer/opts"] {
            let left = std::fs::read(scene.path("home/work/.git").join(name)).unwrap_or_default();
            let left = String::from_utf8_lossy(&left);
            assert!(!left.contains("owned"), "{walls:?} {way}: {text}");
        }
        assert!(text.contains("the stopped rebase or cherry-pick of"), "{walls:?} {way}: {text}");
        assert!(!scene.path("home/work/.git/rebase-merge").is_symlink(), "{walls:?} {way}: {text}");
    }
}

#[test]
fn s13_4_commands_are_taken_out_of_a_stopped_rebase() {
    BOTH.into_iter().for_each(lines_are_taken_out);
    BOTH.into_iter().for_each(ways_are_undone);
}

#[test]
fn s13_4_commands_are_taken_out_as_an_ordinary_user() {
    let test = concat!(module_path!(), "::s13_4_commands_are_taken_out_as_an_ordinary_user");
    as_nobody(test, || {
        BOTH.into_iter().for_each(lines_are_taken_out);
        BOTH.into_iter().for_each(ways_are_undone);
    });
}

/// Git as a person runs it; what it says.
fn git(work: &Path, arguments: &str) -> String {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=A", "-c", "user.email=a@example.com"]);
    git.args(arguments.split(' ')).current_dir(work).env("HOME", work);
    let output = git.env("GIT_EDITOR", "true").output().expect("started");
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

#[test]
fn s13_4_a_rebase_that_a_command_began_goes_on_without_its_commands() {
    for walls in BOTH {
        let scene = Scene::new();
        let work = scene.path("home/work/real");
        std::fs::create_dir(&work).expect("made");
        git(&work, "init -q -b main");
        for (text, branch) in [("one", None), ("two", None), ("other", Some("side HEAD~1"))] {
            if let Some(branch) = branch {
                git(&work, &format!("checkout -q -b {branch}"));
            }
            std::fs::write(work.join("file"), text).expect("written");
            git(&work, "add file");
            git(&work, &format!("commit -q -m {text}"));
        }
        let began = "cd real; export GIT_EDITOR=true GIT_COMMITTER_NAME=A \
                     GIT_COMMITTER_EMAIL=a@example.com; git rebase -x 'touch owned' main; ls -A";
        let Some(text) = scene.run(walls, began) else { continue };
        assert!(text.contains("CONFLICT"), "{walls:?}: {text}");
        assert!(text.contains("they were taken out"), "{walls:?}: {text}");
        std::fs::write(work.join("file"), "both").expect("written");
        git(&work, "add file");
        let text = git(&work, "rebase --continue");
        assert!(text.contains("Successfully rebased"), "{walls:?}: {text}");
        assert!(!work.join("owned").exists(), "{walls:?}: {text}");
    }
}
