//! What a repository is made of: `.git` files, links, modules and worktrees, as commands leave
//! them. Each input is a list of what there is, a line `---`, and what a command does.

use std::path::{Path, PathBuf};
use std::str::Lines;

use fastrand::Rng;
use legwork_tools::fuzzing::{Keeper, is_of_repository};

use super::ground::{Ground, folder, listed};
use super::{MIB, Target, texts};

pub(super) const TARGET: Target = Target {
    name: "repository",
    seeds,
    grammar: None,
    words: &[
        "\n---\n",
        "\nfile .git gitdir: x\n",
        "\nfile .git/commondir ../y\n",
        "\nfile x/.git gitdir: ../.git/modules/x\n",
        "\nfile .git/modules/a/b/c/HEAD ref: x\n",
        "\nfile .git/worktrees/w/commondir ../..\n",
        "\nfile .git/worktrees/w/gitdir ../../../w/.git\n",
        "\nlink .git/hooks ../hooks\n",
        "\nlink .git /etc\n",
        "\nlink .git/config /etc/passwd\n",
        "\nlink a/.git .git\n",
        "\nlink .git/modules .\n",
        "\nrm .git\n",
        "\nrm .git/config\n",
        "\nrm .git/hooks\n",
        "\ndir .git\n",
        "\ndir .git/config\n",
        "\ndir .git/info\n",
        "\nfile .git/info/attributes * filter=x\n",
        "\nfile .git/hooks/post-checkout x\n",
        "\nfile .git/config.worktree [core]\n",
        "\nchain 40 c\n",
        "\nmany 250 .git/modules/m\n",
        "\nmany 60 d\n",
        "../",
        "/.git",
        "HEAD",
        "objects",
    ],
    longest: 16 << 10,
    memory: 16 * MIB,
    one_of: 10,
    run,
};

fn seeds() -> Vec<Vec<u8>> {
    texts([
        "dir .git/objects\nfile .git/HEAD ref: refs/heads/main\nfile .git/config [core]\n\
         file .git/hooks/pre-commit #!/bin/sh\n---\nfile .git/config [core] fsmonitor\n\
         file .git/hooks/post-checkout x\nrm .git/hooks/pre-commit\n",
        "dir .git/objects\nfile .git/HEAD x\nfile .git/config [core]\n\
         file w/.git gitdir: ../.git/worktrees/w\nfile .git/worktrees/w/HEAD x\n\
         file .git/worktrees/w/commondir ../..\nfile .git/worktrees/w/gitdir ../../../w/.git\n---\n\
         file w/.git gitdir: ../evil\nfile .git/worktrees/w/commondir ../../../evil\n\
         file evil/HEAD x\ndir evil/objects\nfile evil/config [core]\n",
        "dir .git/objects\nfile .git/HEAD x\nfile .git/modules/a/b/HEAD x\n\
         dir .git/modules/a/b/objects\nfile .git/modules/a/b/config y\n\
         file sub/.git gitdir: ../.git/modules/a/b\n---\nrm .git/modules/a\n\
         link .git/modules/a /\nfile sub/.git gitdir: /etc\n",
        "file bare/HEAD x\ndir bare/objects\nfile bare/config x\n---\nlink bare/hooks ../h\n\
         file h/pre-push x\nfile bare/config y\n",
        "link .git g\nfile g/HEAD x\ndir g/objects\nfile g/config x\n---\nrm .git\nlink .git e\n",
        "chain 30 c\nmany 20 d\n---\nchain 30 e\nfile c3/config x\nfile d1/.git/config y\n",
    ])
}

fn run(input: &[u8], _: &mut Rng) -> bool {
    let text = String::from_utf8_lossy(input);
    let base = folder();
    let (root, outside) = (base.path().join("root"), base.path().join("outside"));
    let made = [&root, &outside].map(std::fs::create_dir);
    assert!(made.iter().all(Result::is_ok), "no folders: {made:?}");
    assert!(std::fs::write(outside.join("config"), "theirs").is_ok(), "no file");
    let root = root.canonicalize().unwrap_or(root);
    let Ok(ground) = Ground::new(&root, &outside) else { return false };
    let mut lines = text.lines();
    play(&ground, &mut lines);
    let around = listed(&outside);
    let git = is_repository(&root).then(|| guarded(&root));
    let keeper = Keeper::new(vec![root.clone()]);
    let (mounts, watched) = match keeper.begin() {
        Ok(begun) => begun,
        Err(unseen) => panic!("{unseen}"),
    };
    assert!(mounts.iter().all(|mount| mount.place.starts_with(&root)), "a mount lies outside");
    play(&ground, &mut lines);
    for line in text.lines().take(20) {
        let _ = is_of_repository(&root, Path::new(line));
    }
    drop(watched);
    let notes = keeper.notes();
    // Fifty of what failed and of what was done, and how many were left out.
    assert!(notes.len() <= 101, "{} notes", notes.len());
    assert!(listed(&outside) == around, "something outside was changed");
    let held = !notes.iter().any(|note| note.contains("put back (") || note.contains("removed"));
    if let Some(git) = git.filter(|_| held && notes.len() < 50) {
        let now = guarded(&root);
        assert!(now == git, "not put back: {now:?}, not {git:?}; notes: {notes:?}");
    }
    !mounts.is_empty()
}

/// Whether the folder itself is a repository, with all in its `.git`.
fn is_repository(root: &Path) -> bool {
    let is_dir = |name: &str| root.join(name).symlink_metadata().is_ok_and(|found| found.is_dir());
    is_dir(".git") && is_dir(".git/objects") && root.join(".git/HEAD").is_file()
}

/// What makes Git run programs in the repository of the folder itself.
fn guarded(root: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    const NAMES: [&str; 3] = ["config", "config.worktree", "commondir"];
    let git = root.join(".git");
    let hooks = git.join("hooks");
    let is_dir = hooks.symlink_metadata().is_ok_and(|found| found.is_dir());
    let hooks = if is_dir { listed(&hooks) } else { Vec::new() };
    let files = NAMES.map(|name| git.join(name)).into_iter();
    let files = files.chain(hooks.into_iter().map(|(path, _)| path));
    let plain = files.filter(|path| path.symlink_metadata().is_ok_and(|found| found.is_file()));
    plain.map(|path| (path.clone(), std::fs::read(path).unwrap_or_default())).collect()
}

/// Files and folders that one half of an input makes at most, that time is not spent on making
/// them.
const MADE_MAX: usize = 5_000;

/// Does what the lines say, up to a line `---`; what cannot be done is left out.
fn play(ground: &Ground, lines: &mut Lines<'_>) {
    let mut left = MADE_MAX;
    for line in lines.take_while(|line| *line != "---").take(400) {
        let mut words = line.splitn(3, ' ');
        let (verb, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let rest = words.next().unwrap_or_default();
        let number = path.parse::<usize>().unwrap_or_default().min(300).min(left / 3);
        left -= match verb {
            "chain" | "many" => number * 3,
            _ => 0,
        };
        // What an input asks for may not be possible.
        let _ = match verb {
            "dir" => ground.dir(path),
            "file" => ground.file(path, rest.as_bytes()),
            "link" => ground.link(path, rest),
            "rm" => {
                let _ = ground.remove(path);
                Ok(())
            }
            "chain" => (0..number).try_for_each(|at| {
                ground.file(&format!("{rest}{at}/HEAD"), b"x")?;
                ground.file(
                    &format!("{rest}{at}/commondir"),
                    format!("../{rest}{}", at + 1).as_bytes(),
                )
            }),
            "many" => (0..number).try_for_each(|at| {
                ground.file(&format!("{rest}{at}/.git/HEAD"), b"x")?;
                ground.file(&format!("{rest}{at}/HEAD"), b"x")?;
                ground.dir(&format!("{rest}{at}/objects"))
            }),
            _ => Ok(()),
        };
    }
}
