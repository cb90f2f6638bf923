//! Skills in folders.

use std::fs;
use std::path::{Path, PathBuf};

use legwork_definitions::{AllowedTool, Location, Origin, Severity, Skill, SkillCatalog};
use serde_json::json;
use tempfile::TempDir;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn told(skills: &SkillCatalog, folder: &Path) -> Vec<String> {
    let folder = format!("{}/", folder.display());
    skills.problems().iter().map(|problem| problem.to_string().replace(&folder, "")).collect()
}

/// The skill `x` with these lines of front matter, and what is told of it.
fn with(lines: &str) -> (Option<Skill>, Vec<String>) {
    let text = format!("---\nname: x\ndescription: y\n{lines}\n---\nbody\n");
    let here = folder(&[("x/SKILL.md", &text)]);
    let skills = SkillCatalog::load(&[Location::user(here.path())]);
    let told = told(&skills, here.path());
    (skills.get("x").map(|found| found.value.clone()), told)
}

fn tools(skill: &Skill) -> Vec<String> {
    skill.allowed_tools.iter().flatten().map(ToString::to_string).collect()
}

const PDF: &str = "---
name: pdf-files
description: Reads PDF files. Use it whenever one is named.
license: Apache-2.0
compatibility: Needs pdftotext
metadata:
  author: me
  version: \"1.0\"
allowed-tools: Bash(git add:*), bash(pdftotext:*) Read
model: openai:gpt-5-mini
arguments: [file, pages]
---

# PDF files

Read $pages of $file, that is $ARGUMENTS, with scripts/read.sh \"$1\".

---

It costs $5.
";

#[test]
fn a_skill_says_what_its_front_matter_says() {
    let here = folder(&[
        ("pdf-files/SKILL.md", PDF),
        ("pdf-files/scripts/read.sh", "#!/bin/sh"),
        ("pdf-files/a.txt", ""),
        ("pdf-files/scripts/SKILL.md", ""),
        ("pdf-files/.git/config", ""),
        ("README.md", "no skill"),
        (".hidden/SKILL.md", "no skill"),
    ]);
    let skills = SkillCatalog::load(&[Location::project(here.path())]);
    assert_eq!(skills.problems(), []);
    assert_eq!(skills.len(), 1);
    let found = skills.get("pdf-files").unwrap();
    assert_eq!(
        (found.origin, &found.file),
        (Origin::Project, &here.path().join("pdf-files/SKILL.md"))
    );
    let skill = &found.value;
    assert_eq!(skill.description, "Reads PDF files. Use it whenever one is named.");
    assert_eq!(skill.license.as_deref(), Some("Apache-2.0"));
    assert_eq!(skill.compatibility.as_deref(), Some("Needs pdftotext"));
    assert_eq!(skill.model.as_deref(), Some("openai:gpt-5-mini"));
    assert_eq!(skill.arguments, ["file", "pages"]);
    assert_eq!(json!(skill.metadata), json!({"author": "me", "version": "1.0"}));
    assert_eq!(tools(skill), ["Bash(git add:*)", "bash(pdftotext:*)", "Read"]);
    assert_eq!(skill.folder(), here.path().join("pdf-files"));
    let files = ["a.txt", "scripts/SKILL.md", "scripts/read.sh"].map(PathBuf::from);
    assert_eq!(skill.files().unwrap(), files);
    assert_eq!(
        skill.render("'my file.pdf' 3").unwrap(),
        "# PDF files\n\nRead 3 of my file.pdf, that is 'my file.pdf' 3, \
         with scripts/read.sh \"my file.pdf\".\n\n---\n\nIt costs $5."
    );
}

#[test]
fn the_body_is_read_when_it_is_asked_for() {
    let here = folder(&[("x/SKILL.md", "---\r\nname: x\r\ndescription: y\r\n---\r\n\r\nOne\r\n")]);
    let file = here.path().join("x/SKILL.md");
    let (skill, warnings) = Skill::read(here.path().join("x")).unwrap();
    assert_eq!(warnings, []);
    assert_eq!(skill.body().unwrap(), "One");
    // What is below the front matter is nobody's business before.
    let large = format!("---\nname: x\ndescription: y\n---\n{}", "x".repeat(1 << 20));
    let bytes = [&large.as_bytes()[..40], b"\xff"].concat();
    for (body, what) in [(large.as_bytes(), "1 MiB"), (bytes.as_slice(), "UTF-8")] {
        fs::write(&file, body).unwrap();
        let (skill, _) = Skill::read(here.path().join("x")).unwrap();
        let told = skill.body().unwrap_err();
        assert!(told.to_string().contains(what) && told.file.as_ref() == Some(&file), "{told}");
    }
    fs::remove_file(&file).unwrap();
    assert!(skill.body().is_err() && skill.render("").is_err());
}

#[test]
fn tools_are_texts_or_lists() {
    for (lines, expected) in [
        ("allowed-tools: Read Grep", vec!["Read", "Grep"]),
        ("allowed-tools: Read,Grep,  Bash(a, b c)", vec!["Read", "Grep", "Bash(a, b c)"]),
        ("allowed-tools: [Read, \"Bash(git:*)\"]", vec!["Read", "Bash(git:*)"]),
        ("allowed-tools: Bash(f(x):*)", vec!["Bash(f(x):*)"]),
        ("allowed-tools: \"\"", vec![]),
        ("allowed-tools: []", vec![]),
    ] {
        let (skill, told) = with(lines);
        let skill = skill.unwrap();
        assert_eq!(
            (tools(&skill), told),
            (expected.into_iter().map(str::to_owned).collect(), vec![]),
            "{lines}"
        );
        assert!(skill.allowed_tools.is_some());
    }
    assert_eq!(with("allowed-tools:").0.unwrap().allowed_tools, None);
    let (skill, told) = with("allowed-tools: Read Bash(git (x)y");
    assert_eq!(tools(&skill.unwrap()), ["Read"]);
    assert_eq!(told.len(), 1, "{told:?}");
    for entry in ["", "a(", "(a)", "a)b", "a b", "a(b)c"] {
        entry.parse::<AllowedTool>().unwrap_err();
    }
}

#[test]
fn what_others_wrote_is_kept_and_told() {
    let (skill, told) =
        with("model: sonnet\nversion: 2\nuser-invocable: true\nmetadata: {version: 1}\nlicense:");
    let skill = skill.unwrap();
    assert_eq!(json!(skill.metadata), json!({"version": 1, "user-invocable": true}));
    assert_eq!((skill.model, skill.license), (None, None));
    assert_eq!(
        told,
        [
            "x/SKILL.md:4: model: found the text `sonnet`, expected a model; \
             write it as `provider:name`, or leave it out; it is not used so",
            "x/SKILL.md:5: version: no such field is known; it is kept as metadata; move it below `metadata`",
            "x/SKILL.md:6: user-invocable: no such field is known; it is kept as metadata; move it below `metadata`",
        ]
    );
}

#[test]
fn what_is_wrong_is_told_and_the_others_are_read() {
    let long = "x".repeat(70_000);
    let here = folder(&[
        ("good/SKILL.md", "---\nname: good\ndescription: y\n---"),
        ("a-b/SKILL.md", "---\nname: a-c\ndescription: ''\narguments: [1st, a, a]\n---\n"),
        ("a--b/SKILL.md", "---\nname: a--b\ndescription: y\ncompatibility: ''\n---\n"),
        ("a_b/SKILL.md", "---\nname: a_b\ndescription: y\nlicense: [MIT]\n---\n"),
        ("Big/SKILL.md", "---\ndescription: y\n---\n"),
        ("colon/SKILL.md", "---\nname: colon\ndescription: Use it: always\n---\n"),
        ("lower/skill.md", "---\nname: lower\ndescription: y\n---\n"),
        ("none/README.md", ""),
        ("endless/SKILL.md", &format!("---\nname: endless\n# {long}\n---\n")),
        ("plain/SKILL.md", "# Plain\n"),
    ]);
    let skills = SkillCatalog::load(&[Location::user(here.path())]);
    assert_eq!(skills.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["good"]);
    let told = told(&skills, here.path());
    let expected = [
        "Big/SKILL.md: name: is missing; add a line `name: big`",
        "a--b/SKILL.md:2: name: found `a--b`, expected words of a-z and 0-9 with single `-` between them",
        "a--b/SKILL.md:4: compatibility: has 0 characters, expected 1 to 500",
        "a-b/SKILL.md:2: name: is `a-c`, but its folder is `a-b`; give both the same name",
        "a-b/SKILL.md:3: description: is empty",
        "a-b/SKILL.md:4: arguments[0]: found the text `1st`, expected the name of an argument",
        "a-b/SKILL.md:4: arguments[2]: is there twice",
        "a_b/SKILL.md:2: name: found `a_b`, expected words",
        "a_b/SKILL.md:4: license: found a list, expected text",
        "colon/SKILL.md:3: cannot be read as YAML: ",
        "endless/SKILL.md: its first 65536 bytes hold no whole front matter",
        "lower: there is `skill.md`, no `SKILL.md`; rename it to `SKILL.md`",
        "none: there is no `SKILL.md`; add one, or move the folder elsewhere",
        "plain/SKILL.md:1: there is no front matter",
    ];
    assert_eq!(told.len(), expected.len(), "{told:#?}");
    for (told, expected) in told.iter().zip(expected) {
        assert!(told.starts_with(expected), "{told}");
    }
    let warnings = skills.problems().iter().filter(|problem| problem.severity == Severity::Warning);
    assert_eq!(warnings.count(), 1);
}

#[test]
fn the_later_place_wins_and_a_skill_may_be_a_place() {
    let skill = |of: &str| format!("---\nname: x\ndescription: {of}\n---\n");
    let user = folder(&[("x/SKILL.md", &skill("user"))]);
    let project = folder(&[("x/SKILL.md", &skill("project"))]);
    let given = folder(&[("x/SKILL.md", &skill("given"))]);
    let skills = SkillCatalog::load(&[
        Location::user(user.path()),
        Location::project(project.path().join("x")),
        Location::given(given.path().join("x/SKILL.md")),
        Location::user(user.path().join("nowhere")),
    ]);
    assert_eq!(skills.problems(), []);
    let found = skills.get("x").unwrap();
    assert_eq!(found.value.description, "given");
    assert_eq!(
        found.overrides,
        [
            (Origin::Project, project.path().join("x/SKILL.md")),
            (Origin::User, user.path().join("x/SKILL.md"))
        ]
    );
    fs::write(user.path().join("a.txt"), "").unwrap();
    let skills = SkillCatalog::load(&[
        Location::given(user.path().join("a.txt")),
        Location::given(user.path().join("gone")),
    ]);
    assert_eq!(skills.problems().len(), 2);
}

#[cfg(unix)]
#[test]
fn no_link_is_followed() {
    use std::os::unix::fs::symlink;
    let there =
        folder(&[("x/SKILL.md", "---\nname: x\ndescription: y\n---\nsecret\n"), ("x/a.txt", "")]);
    let here = folder(&[("y/a.txt", "")]);
    symlink(there.path().join("x"), here.path().join("x")).unwrap();
    symlink(there.path().join("x/SKILL.md"), here.path().join("y/SKILL.md")).unwrap();
    symlink(there.path(), there.path().join("x/up")).unwrap();
    let skills = SkillCatalog::load(&[Location::project(here.path())]);
    assert!(skills.is_empty());
    let told = told(&skills, here.path());
    assert!(told[0].starts_with("x: it is a symbolic link"), "{told:?}");
    assert!(told[1].starts_with("y/SKILL.md: it is a symbolic link"), "{told:?}");
    assert_eq!(told.len(), 2);
    let (skill, _) = Skill::read(there.path().join("x")).unwrap();
    assert_eq!(skill.files().unwrap(), [PathBuf::from("a.txt")]);
    fs::remove_file(there.path().join("x/SKILL.md")).unwrap();
    symlink(there.path().join("x/a.txt"), there.path().join("x/SKILL.md")).unwrap();
    skill.body().unwrap_err();
}

#[test]
fn a_field_of_a_stranger_is_told_in_short() {
    let (skill, told) = with(&format!("{}: 1\n\"a.b\\e[2J\": 2", "x".repeat(1000)));
    assert_eq!(skill.unwrap().metadata.len(), 2);
    assert!(told[0].len() < 200 && !told[1].contains('\u{1b}'), "{told:?}");
    assert!(told[1].starts_with("x/SKILL.md:5: `a.b\\u{1b}[2J`: no such field"), "{told:?}");
}
