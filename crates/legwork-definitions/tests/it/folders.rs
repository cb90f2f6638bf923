//! Agents in folders: who wins, and what is told of the rest.

use std::fs;
use std::path::{Path, PathBuf};

use legwork_definitions::{AgentDefinition, Definitions, Location, Origin, SkillCatalog};
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

fn yaml(name: &str, description: &str) -> String {
    format!("name: {name}\ndescription: {description}\n")
}

fn markdown(name: &str, description: &str) -> String {
    format!("---\n{}---\n\nGo.\n", yaml(name, description))
}

/// What is told, without the folder.
fn told(definitions: &Definitions, folder: &Path) -> Vec<String> {
    let folder = format!("{}/", folder.display());
    definitions.problems().iter().map(|problem| problem.to_string().replace(&folder, "")).collect()
}

#[test]
fn s13_8_only_the_files_that_were_looked_at_are_used() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let text = |name: &str| format!("---\nname: {name}\ndescription: x\n---\n");
    for name in ["a", "b", "c"] {
        std::fs::write(file(&format!("{name}.md")), text(name)).unwrap();
    }
    std::fs::create_dir(file("pdf")).unwrap();
    std::fs::write(file("pdf/SKILL.md"), text("pdf")).unwrap();
    let digest = |text: &str| legwork_core::digest::Digest::of_bytes(text.as_bytes());
    let only = [
        (file("a.md"), digest(&text("a"))),
        (file("b.md"), digest("another text")),
        (file("pdf/SKILL.md"), digest(&text("pdf"))),
    ];
    let location = Location::project(folder.path()).only(only.into());
    let agents = Definitions::load(std::slice::from_ref(&location));
    assert_eq!(agents.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["a"]);
    assert_eq!(agents.problems().len(), 1);
    assert!(agents.problems()[0].to_string().contains("changed while it was read"));
    let skills = SkillCatalog::load(std::slice::from_ref(&location));
    assert_eq!((skills.len(), skills.problems().len()), (1, 0));
    std::fs::write(file("pdf/SKILL.md"), text("pdf") + "more").unwrap();
    let skills = SkillCatalog::load(&[location]);
    assert_eq!((skills.len(), skills.problems().len()), (0, 1));
    let none = Location::project(folder.path()).only([].into());
    assert!(Definitions::load(&[none]).is_empty());
}

#[test]
fn the_later_place_wins_and_says_over_whom() {
    let user = folder(&[("a.md", &markdown("a", "user")), ("b.yaml", &yaml("b", "user"))]);
    let project = folder(&[
        ("x.yml", &yaml("a", "project")),
        ("c.json", r#"{"name":"c","description":"project"}"#),
    ]);
    let given = folder(&[("mine.md", &markdown("a", "given"))]);
    let mine = given.path().join("mine.md");
    let all = Definitions::load(&[
        Location::user(user.path()),
        Location::user(user.path().join("nowhere")),
        Location::project(project.path()),
        Location::given(&mine),
    ]);
    assert_eq!(all.problems(), []);
    let names: Vec<_> = all
        .iter()
        .map(|(name, found)| (name, found.value.description.as_str(), found.origin))
        .collect();
    assert_eq!(
        names,
        [
            ("a", "given", Origin::Given),
            ("b", "user", Origin::User),
            ("c", "project", Origin::Project)
        ]
    );
    let a = all.get("a").unwrap();
    assert_eq!(a.file, mine);
    assert_eq!(a.value.instructions, "Go.");
    assert_eq!(
        a.overrides,
        [(Origin::Project, project.path().join("x.yml")), (Origin::User, user.path().join("a.md"))]
    );
    assert_eq!((all.len(), all.is_empty(), all.get("d").is_none()), (3, false, true));
}

#[test]
fn two_of_one_name_in_one_place_are_a_problem() {
    let both = folder(&[
        ("1.md", &markdown("a", "first")),
        ("2.yaml", &yaml("a", "second")),
        ("3.yaml", &yaml("b", "b")),
    ]);
    let all = Definitions::load(&[Location::project(both.path())]);
    assert_eq!(all.get("a").unwrap().value.description, "first");
    assert_eq!(all.get("a").unwrap().overrides, []);
    assert_eq!(all.len(), 2);
    assert_eq!(
        told(&all, both.path()),
        [
            "2.yaml: name: `a` is the name in 1.md, too, which is used; give one of them another name"
        ]
    );
}

#[test]
fn what_is_wrong_with_one_file_is_told_and_the_others_are_read() {
    let here = folder(&[
        ("good.md", &markdown("good", "good")),
        ("README.md", "# Agents\n"),
        ("bad.yaml", "name: Bad\ntols: []\n"),
        ("broken.json", "{\"name\": \"broken\",\n"),
        (".hidden.md", "nothing"),
        ("notes.txt", "nothing"),
        ("backup.md~", "nothing"),
        ("folder.md/inner.md", "nothing"),
        ("nested/inner.md", "nothing"),
    ]);
    fs::write(here.path().join("latin.md"), b"---\nname: latin\ndescription: caf\xe9\n---\n")
        .unwrap();
    fs::write(here.path().join("large.yaml"), vec![b'#'; (1 << 20) + 1]).unwrap();
    let all = Definitions::load(&[Location::project(here.path())]);
    assert_eq!(all.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["good"]);
    assert_eq!(
        told(&all, here.path()),
        [
            "README.md:1: there is no front matter; begin the file with a line `---`, \
             then the fields such as `name: NAME`, then a line `---`",
            "bad.yaml: description: is missing; add a line such as `description: Reviews changes`",
            "bad.yaml:1: name: found the text `Bad`, expected a name; \
             use only a-z, 0-9, `-` and `_`, at most 64, such as `bad`",
            "bad.yaml:2: tols: there is no such field; did you mean `tools`?",
            "broken.json:2: cannot be read as JSON: EOF while parsing a value; \
             mend the JSON there: double quotes, no comma at the end, no comments",
            "folder.md: it is a folder; give the folder another name, or take it out",
            "large.yaml: it is larger than 1 MiB; make it shorter, or move parts of it into files",
            "latin.md:3: it is not UTF-8; save it as UTF-8",
        ]
    );
}

#[test]
fn a_wrong_file_wins_over_nothing() {
    let user = folder(&[("a.md", &markdown("a", "user"))]);
    let project = folder(&[("a.md", "---\nname: a\n---\n")]);
    let all = Definitions::load(&[Location::user(user.path()), Location::project(project.path())]);
    assert_eq!(all.get("a").unwrap().value.description, "user");
    assert_eq!(all.problems().len(), 1);
}

#[test]
fn only_what_was_named_must_be_there() {
    let here = folder(&[("a.txt", "x")]);
    let nowhere = here.path().join("nowhere");
    let below = here.path().join("a.txt/agents");
    let all = Definitions::load(&[
        Location::user(&nowhere),
        Location::project(&nowhere),
        Location::user(below),
    ]);
    assert!(all.is_empty() && all.problems().is_empty(), "{all:?}");
    let all =
        Definitions::load(&[Location::given(&nowhere), Location::given(here.path().join("a.txt"))]);
    let told = told(&all, here.path());
    assert!(told[0].starts_with("nowhere: it cannot be read: "), "{told:?}");
    assert_eq!(
        told[1],
        "a.txt: its name does not tell its format; name it NAME.md, NAME.yaml, NAME.yml or NAME.json"
    );
}

#[test]
fn a_thousand_are_enough() {
    let here = folder(&[]);
    for at in 0..1002 {
        fs::write(here.path().join(format!("{at:04}.yaml")), yaml(&format!("a{at}"), "b")).unwrap();
    }
    let all = Definitions::load(&[Location::project(here.path())]);
    assert_eq!((all.len(), all.problems().len()), (1000, 1));
    assert!(all.problems()[0].message.contains("1002"));
}

#[cfg(unix)]
#[test]
fn links_in_folders_are_not_followed_and_those_that_were_named_are() {
    use std::os::unix::fs::symlink;
    let there = folder(&[("a.md", &markdown("a", "linked"))]);
    let here = folder(&[]);
    let link = here.path().join("link.md");
    symlink(there.path().join("a.md"), &link).unwrap();
    symlink(there.path(), here.path().join("folder")).unwrap();
    symlink("gone", here.path().join("gone.md")).unwrap();
    let all = Definitions::load(&[Location::project(here.path())]);
    let mend = "it is a symbolic link, which is not followed; replace it by what it points to, or name that itself";
    assert_eq!(told(&all, here.path()), [format!("gone.md: {mend}"), format!("link.md: {mend}")]);
    assert!(all.is_empty());
    assert_eq!(Definitions::load(&[Location::given(&link)]).len(), 1);
    assert_eq!(Definitions::load(&[Location::project(&link)]).problems().len(), 1);
    assert_eq!(Definitions::load(&[Location::user(here.path().join("folder"))]).len(), 1);
    assert_eq!(AgentDefinition::read(&link).unwrap().name, "a");
}

#[cfg(unix)]
#[test]
fn what_is_no_file_or_may_not_be_read_is_told() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixListener;
    let here = folder(&[("closed.md", &markdown("a", "b"))]);
    let closed = here.path().join("closed.md");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o0)).unwrap();
    let _socket = UnixListener::bind(here.path().join("socket.md")).unwrap();
    let fifo = here.path().join("pipe.md");
    let made = std::process::Command::new("mkfifo")
        .arg(&fifo)
        .status()
        .is_ok_and(|status| status.success());
    let all = Definitions::load(&[Location::project(here.path())]);
    let told = told(&all, here.path());
    assert!(
        told.contains(&"socket.md: it is no regular file; replace it by a file".to_owned()),
        "{told:?}"
    );
    let pipe = "pipe.md: it is no regular file; replace it by a file".to_owned();
    assert!(!made || told.contains(&pipe), "{told:?}");
    if fs::read(&closed).is_ok() {
        println!("skipped: this user may read every file");
        return;
    }
    assert!(told[0].starts_with("closed.md: it cannot be read: "), "{told:?}");
    assert!(told[0].ends_with("; allow it to be read, or take it out"), "{told:?}");
}

#[test]
fn one_file_is_read_by_the_ending_of_its_name() {
    let here = folder(&[("a.MD", &markdown("a", "b")), ("b.yml", "name: b")]);
    let path = |name: &str| -> PathBuf { here.path().join(name) };
    assert_eq!(AgentDefinition::read(path("a.MD")).unwrap().instructions, "Go.");
    let problems = AgentDefinition::read(path("b.yml")).unwrap_err();
    assert!(problems.iter().all(|problem| problem.file.as_deref() == Some(&*path("b.yml"))));
    AgentDefinition::read(path("c.md")).unwrap_err();
}

#[test]
fn s13_10_agents_of_a_folder_are_read_up_to_a_size() {
    let folder = tempfile::tempdir().unwrap();
    let long = "x".repeat(1_000_000);
    for number in 0..40 {
        let text = format!("---\n{}---\n\n{long}\n", yaml(&format!("a{number:02}"), "x"));
        fs::write(folder.path().join(format!("{number:02}.md")), text).unwrap();
    }
    let agents = Definitions::load(&[Location::project(folder.path())]);
    assert_eq!(agents.len(), 8);
    let told = agents.problems()[0].to_string();
    assert!(told.contains("larger than 8 MiB together, the first 8 are read"), "{told}");
}
