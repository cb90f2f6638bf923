//! Which files are told, in which order, and what is not.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::config::Config;
use crate::trust::{self, Flag, Trust, Wanted};

use super::{Context, MOST_ALL, MOST_EACH, differs};

/// A folder with a repository in `repo`, in which `repo/a/b` is worked in.
struct Folder(TempDir, PathBuf);

impl Folder {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let path = folder.path().canonicalize().unwrap();
        fs::create_dir_all(path.join("repo/a/b")).unwrap();
        fs::create_dir_all(path.join("home")).unwrap();
        fs::create_dir(path.join("repo/.git")).unwrap();
        Self(folder, path)
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        fs::write(self.1.join(path), text).unwrap();
    }

    fn context(&self) -> Context {
        let _kept = &self.0;
        context(&self.1.join("repo/a/b"), &self.1.join("home"))
    }

    /// The files that are told, below the folder.
    fn told(&self) -> Vec<String> {
        let below = |path: &Path| path.strip_prefix(&self.1).unwrap().display().to_string();
        self.context().files.iter().map(|file| below(&file.path)).collect()
    }

    fn warns(&self, words: &str) {
        let warnings = self.context().warnings;
        assert!(warnings.iter().any(|one| one.contains(words)), "no {words:?} in {warnings:?}");
    }
}

/// The context of a directory whose project is trusted.
fn context(dir: &Path, home: &Path) -> Context {
    Context::of(&trusted(dir), Some(home))
}

fn trusted(dir: &Path) -> Trust {
    let wanted = Wanted { dir, kinds: &trust::ALL, flag: Flag::Given };
    Trust::of(wanted, &Config::default())
}

#[test]
fn files_come_from_the_outermost_to_the_nearest() {
    let folder = Folder::new();
    assert!(folder.context().section().is_empty());
    for place in ["", "home/", "repo/", "repo/a/", "repo/a/b/"] {
        folder.write(&format!("{place}AGENTS.md"), format!("rules of {place}\n"));
    }
    let wanted = ["home/AGENTS.md", "repo/AGENTS.md", "repo/a/AGENTS.md", "repo/a/b/AGENTS.md"];
    assert_eq!(folder.told(), wanted);
    let section = folder.context().section();
    let path = folder.1.join("repo/a/AGENTS.md").display().to_string();
    assert!(section.contains(&format!("\n\n# {path}\n\nrules of repo/a/\n\n# ")), "{section}");
    assert!(section.ends_with("rules of repo/a/b/"), "{section}");
    assert!(folder.context().warnings.is_empty());
}

#[test]
fn without_a_repository_only_the_directory_itself_tells() {
    let folder = Folder::new();
    fs::remove_dir(folder.1.join("repo/.git")).unwrap();
    folder.write("repo/AGENTS.md", "outer");
    folder.write("repo/a/b/AGENTS.md", "inner");
    assert_eq!(folder.told(), ["repo/a/b/AGENTS.md"]);
    // A worktree has a file there.
    folder.write("repo/.git", "gitdir: elsewhere");
    assert_eq!(folder.told(), ["repo/AGENTS.md", "repo/a/b/AGENTS.md"]);
}

#[test]
fn an_empty_file_is_nothing() {
    let folder = Folder::new();
    folder.write("repo/AGENTS.md", " \n\n");
    assert!(folder.told().is_empty() && folder.context().warnings.is_empty());
}

#[test]
fn what_is_no_text_file_is_skipped_with_a_warning() {
    let folder = Folder::new();
    folder.write("repo/AGENTS.md", b"caf\xe9");
    fs::create_dir(folder.1.join("repo/a/AGENTS.md")).unwrap();
    let pipe = folder.1.join("repo/a/b/AGENTS.md");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert!(folder.told().is_empty());
    folder.warns("repo/AGENTS.md: skipped: it is not UTF-8");
    folder.warns("repo/a/AGENTS.md: skipped: it is a directory");
    folder.warns("repo/a/b/AGENTS.md: skipped: it is a pipe");
}

#[test]
fn a_link_may_not_lead_out_of_the_repository() {
    let folder = Folder::new();
    folder.write("secret", "the key");
    folder.write("repo/CLAUDE.md", "rules");
    symlink("../secret", folder.1.join("repo/AGENTS.md")).unwrap();
    symlink("../CLAUDE.md", folder.1.join("repo/a/AGENTS.md")).unwrap();
    symlink("nowhere", folder.1.join("repo/a/b/AGENTS.md")).unwrap();
    symlink("../secret", folder.1.join("home/AGENTS.md")).unwrap();
    // The user's own may lie anywhere; a link to nowhere is no file.
    assert_eq!(folder.told(), ["home/AGENTS.md", "repo/a/AGENTS.md"]);
    let told = trusted(&folder.1.join("repo/a/b")).warnings();
    assert!(told[0].contains("leads out of the repository"), "{told:?}");
    assert!(!folder.context().files[1].text.contains("key"));
}

#[test]
fn a_link_in_a_circle_is_told() {
    let folder = Folder::new();
    symlink("AGENTS.md", folder.1.join("repo/AGENTS.md")).unwrap();
    assert!(folder.told().is_empty());
    folder.warns("cannot be read");
}

#[test]
fn one_file_under_two_names_is_told_once() {
    let folder = Folder::new();
    folder.write("repo/AGENTS.md", "rules");
    symlink("../AGENTS.md", folder.1.join("repo/a/AGENTS.md")).unwrap();
    assert_eq!(folder.told(), ["repo/a/AGENTS.md"]);
}

#[test]
fn a_large_file_is_cut_at_a_line() {
    let folder = Folder::new();
    let line = format!("{}\n", "é".repeat(60));
    folder.write("repo/AGENTS.md", line.repeat(1_000));
    let context = folder.context();
    let text = &context.files[0].text;
    assert!(text.len() <= MOST_EACH + 100 && text.len() > MOST_EACH - 200, "{}", text.len());
    let lines: Vec<_> = text.lines().collect();
    let (note, kept) = lines.split_last().unwrap();
    assert!(kept.iter().all(|kept| *kept == line.trim_end()));
    assert_eq!(*note, "[cut here: 121000 bytes long, only the first 65461 are given]");
    folder.warns("cut: it is 121000 bytes long");
    // A single line is cut between characters.
    folder.write("repo/AGENTS.md", "é".repeat(60_000));
    assert!(folder.context().files[0].text.starts_with("éé"));
    folder.write("repo/AGENTS.md", [vec![b'a'; MOST_EACH], vec![0xff; 9]].concat());
    assert_eq!(folder.told().len(), 1);
    folder.write("repo/AGENTS.md", [vec![0xff; 9], vec![b'a'; MOST_EACH]].concat());
    folder.warns("not UTF-8");
}

#[test]
fn where_there_is_too_much_the_furthest_is_left_out() {
    let folder = Folder::new();
    let deep = "repo/a/b/c/d";
    fs::create_dir_all(folder.1.join(deep)).unwrap();
    for place in ["repo", "repo/a", "repo/a/b", "repo/a/b/c", deep] {
        folder.write(&format!("{place}/AGENTS.md"), "text\n".repeat(13_000));
    }
    folder.write("home/AGENTS.md", "mine");
    let context = context(&folder.1.join(deep), &folder.1.join("home"));
    assert!(context.section().len() <= MOST_ALL + 2_000, "{}", context.section().len());
    assert!(context.files.last().unwrap().path.ends_with("d/AGENTS.md"));
    assert!(!context.files.iter().any(|file| file.path.ends_with("home/AGENTS.md")));
    let skipped = context.warnings.iter().filter(|one| one.contains("take all of the")).count();
    assert!(skipped >= 1, "{:?}", context.warnings);
}

#[test]
fn whether_the_context_is_another_one_is_seen() {
    let folder = Folder::new();
    folder.write("repo/AGENTS.md", "rules");
    let section = folder.context().section();
    let recorded = format!("You are Legwork.{section}");
    assert!(!differs(&recorded, &section));
    assert!(differs(&recorded, ""));
    assert!(differs("You are Legwork.", &section));
    assert!(!differs("You are Legwork.", ""));
    folder.write("repo/AGENTS.md", "other rules");
    assert!(differs(&recorded, &folder.context().section()));
}
