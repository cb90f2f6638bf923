//! A project that one did not write: what of it is taken, and when.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use legwork_testkit::{Script, Server, Turn};
use serde_json::Value;

use crate::agents::agent;
use crate::home::{Home, Ran, ran};

/// What a project says, each with a word that shows where it went.
pub(crate) fn fill(project: &Path) {
    for folder in ["sub", ".legwork/agents", ".legwork/skills/pdf"] {
        fs::create_dir_all(project.join(folder)).unwrap();
    }
    let write = |path: &str, text: &str| fs::write(project.join(path), text).unwrap();
    write("AGENTS.md", "Say ROOT.\n");
    write("sub/AGENTS.md", "Say SUB.\n");
    write("legwork.toml", "budget.steps = 7\n");
    write(".legwork/agents/reviewer.md", &agent("reviewer", "skills: [pdf]\n", "Say AGENT."));
    write(".legwork/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Say SKILL\n---\n");
}

pub(crate) fn server() -> Server {
    Server::start(Script::from_fn(|_| Turn::text("Done."))).unwrap()
}

/// The first message of the last request.
pub(crate) fn told(server: &Server) -> String {
    server.requests().pop().unwrap().asked.instructions
}

/// The values of `config show`.
fn limit(home: &Home, args: &[&str]) -> Value {
    let shown = home.ran(&[&["config", "show", "--json"], args].concat()).ends(0).last();
    shown["budget"]["steps"]["value"].clone()
}

/// What standard error says of trust.
pub(crate) fn lines(ran: &Ran) -> Vec<&str> {
    ran.err.lines().filter(|line| line.contains("left out")).collect()
}

#[test]
fn s13_8_nothing_of_an_untrusted_project_is_taken_and_one_line_tells_it() {
    let (home, server) = (Home::untrusted(), server());
    fill(&home.work());
    fs::create_dir(home.work().join(".git")).unwrap();
    for dir in [".", "sub"] {
        let run = home.ran_with(&server, &["run", "--dir", dir, "Go"]).ends(0);
        assert!(!told(&server).contains("Say "), "{}", told(&server));
        let [line] = lines(&run)[..] else { panic!("{}", run.err) };
        assert!(line.starts_with("warning: ~/work is not trusted, so "), "{line}");
        assert!(line.contains("AGENTS.md") && line.contains("legwork.toml"), "{line}");
    }
    assert_eq!(limit(&home, &[]), 100);
    // What would not be read anyhow is not told.
    let run = home.ran_with(&server, &["run", "--no-context", "Go"]).ends(0);
    assert!(lines(&run)[0].contains("so legwork.toml is left out"), "{}", run.err);
    // An agent of the project is none.
    let refused = home.ran_with(&server, &["run", "--agent", "reviewer", "Go"]).ends(2);
    refused.says("the agent \"reviewer\" of the project is left out").says("legwork trust add /");
    // Programs get a warning, not an error.
    let run = home.ran_with(&server, &["run", "--json", "Go"]).ends(0);
    let warnings = run.events().into_iter().filter(|event| event["type"] == "warning");
    assert_eq!(warnings.count(), 1);
}

#[test]
fn s13_8_a_project_that_says_nothing_is_not_spoken_of() {
    let (home, server) = (Home::untrusted(), server());
    fs::write(home.work().join("README.md"), "text").unwrap();
    let run = home.ran_with(&server, &["run", "Go"]).ends(0);
    assert!(!run.err.contains("trust"), "{}", run.err);
}

#[test]
fn s13_8_trust_is_given_by_flag_setting_or_command_and_taken_back() {
    let (home, server) = (Home::untrusted(), server());
    fill(&home.work());
    fs::create_dir(home.work().join(".git")).unwrap();
    let takes = |args: &[&str]| {
        let run = home.ran_with(&server, &[&["run"], args, &["Go"]].concat()).ends(0);
        let takes = told(&server).contains("Say ROOT.");
        assert_eq!(lines(&run).is_empty(), takes, "{}", run.err);
        takes
    };
    assert!(takes(&["--trust"]) && !takes(&[]), "a flag is for one time");
    assert!(takes(&["--trust", "--agent", "reviewer"]) && told(&server).contains("Say AGENT."));
    assert!(told(&server).contains("Say SKILL"));
    for (setting, trusts) in [
        ("trust = ['~/work']", true),
        ("trust = ['~/*']", true),
        ("trust = ['../../work']", true),
        ("trust = ['*']", true),
        ("trust = ['~/work/*', '~/wor', '~', '/nowhere']", false),
    ] {
        home.settings(setting);
        assert_eq!(takes(&[]), trusts, "{setting}");
    }
    home.settings("");
    let added = home.ran(&["trust", "add", "sub"]).ends(0).out;
    assert_eq!(
        added,
        "trusted ~/work: sub/AGENTS.md, AGENTS.md, legwork.toml and 2 more are used from now on\n"
    );
    assert!(takes(&[]) && takes(&["--dir", "sub"]) && told(&server).contains("Say SUB."));
    assert_eq!(limit(&home, &[]), 7);
    assert_eq!(home.ran(&["trust", "rm"]).ends(0).out, "forgot ~/work, which was trusted\n");
    assert!(!takes(&[]));
    home.ran(&["trust", "rm"]).ends(2).says("there is no decision about ~/work");
}

#[test]
fn s13_8_a_session_that_goes_on_is_held_to_the_trust_of_now() {
    let (home, server) = (Home::untrusted(), server());
    fill(&home.work());
    let run = ["run", "--json", "--trust", "--agent", "reviewer", "Go"];
    let id = home.ran_with(&server, &run).ends(0).session();
    let again = ["run", "--session", &id, "More"];
    home.ran_with(&server, &again).ends(2).says("left out: its project is not trusted");
    home.ran_with(&server, &[&again[..], &["--trust"]].concat()).ends(0);
    assert!(told(&server).contains("Say AGENT.") && told(&server).contains("Say ROOT."));
    let id = home.ran_with(&server, &["run", "--json", "--trust", "Go"]).ends(0).session();
    let run = home.ran_with(&server, &["run", "--session", &id, "More"]).ends(0);
    assert!(!told(&server).contains("Say ") && lines(&run).len() == 1, "{}", run.err);
}

/// Names of folders that a shell or terminal could stumble over.
fn names() -> Vec<OsString> {
    let mut names: Vec<OsString> = [
        "a b",
        "it's",
        "$HOME",
        "`id`",
        "a\nb",
        "\u{1b}[2J",
        "-rf",
        "é\u{202e}x",
        "%41",
        "*",
        "~",
        "\\",
    ]
    .map(OsString::from)
    .to_vec();
    names.push(OsString::from_vec(b"\xff\xfe x".to_vec()));
    for _ in 0..12 {
        let byte = |_| loop {
            let byte = fastrand::u8(1..);
            if byte != b'/' {
                return byte;
            }
        };
        names.push(OsString::from_vec((0..fastrand::usize(3..12)).map(byte).collect()));
    }
    names
}

#[test]
fn s13_8_the_line_to_copy_trusts_a_project_of_any_name() {
    let bin = Path::new(env!("CARGO_BIN_EXE_legwork")).parent().unwrap();
    for name in names() {
        let (home, server) = (Home::untrusted(), server());
        let project = home.work().join(&name);
        fill(&project);
        let run = |home: &Home| {
            let mut command = home.with(&server, &["run", "--no-context", "Go"]);
            command.current_dir(&project);
            ran(command).ends(0)
        };
        let first = run(&home);
        let [line] = lines(&first)[..] else { panic!("{name:?}: {}", first.err) };
        assert!(line.chars().all(|c| !c.is_control()), "{line:?}");
        let start = line.find("`legwork trust add ").unwrap() + 1;
        let line = &line[start..line.rfind('`').unwrap()];
        let mut shell = Command::new("bash");
        shell.args(["-c", line]).env_clear().current_dir("/");
        shell.env("HOME", home.work().parent().unwrap());
        shell.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
        ran(shell).ends(0);
        assert_eq!(lines(&run(&home)), [""; 0], "{name:?}");
        let listed = home.ran(&["trust", "list"]).ends(0).out;
        assert!(
            listed.lines().count() == 1 && listed.starts_with("trusted  ~/work/"),
            "{listed:?}"
        );
        let mut command = home.legwork(&["trust", "rm", "--"]);
        command.arg(&project);
        ran(command).ends(0);
        assert_eq!(lines(&run(&home)).len(), 1, "{name:?}");
    }
}

/// Whether instructions are taken, though other files are.
pub(crate) fn takes_with_others(home: &Home, server: &Server) -> bool {
    home.ran_with(server, &["run", "Go"]).ends(0);
    told(server).contains("Say ROOT.")
}

#[test]
fn s13_8_another_folder_of_the_same_name_is_not_trusted() {
    let (home, server) = (Home::untrusted(), server());
    fill(&home.work());
    home.ran(&["trust", "add"]).ends(0);
    assert!(takes_with_others(&home, &server));
    // As after `rm -r` and `git clone` of something else.
    fs::rename(home.work(), home.work().with_file_name("before")).unwrap();
    fs::create_dir(home.work()).unwrap();
    fill(&home.work());
    assert!(!takes_with_others(&home, &server));
    let listed = home.ran(&["trust", "list"]).ends(0).out;
    assert!(listed.contains("another folder has this path now"), "{listed}");
    // And a link to a project is the project that it leads to.
    fs::remove_dir_all(home.work()).unwrap();
    let other = home.work().with_file_name("other");
    fill(&other);
    symlink(&other, home.work()).unwrap();
    assert!(!takes_with_others(&home, &server));
}

#[test]
fn s13_8_a_repository_within_one_and_one_around_it_are_others() {
    let (home, server) = (Home::untrusted(), server());
    fill(&home.work());
    fs::create_dir(home.work().join(".git")).unwrap();
    home.ran(&["trust", "add"]).ends(0);
    let takes = |dir: &str| {
        home.ran_with(&server, &["run", "--dir", dir, "Go"]).ends(0);
        told(&server).contains("Say ")
    };
    assert!(takes("sub"));
    fs::write(home.work().join("sub/.git"), "gitdir: ../.git/modules/sub").unwrap();
    assert!(!takes("sub") && takes("."), "a module of a repository is a project of its own");
    // The home itself, and what merely lies in a home that is a repository.
    let home = Home::untrusted();
    let top = home.work().parent().unwrap().to_owned();
    fs::create_dir(top.join(".git")).unwrap();
    fs::write(top.join("AGENTS.md"), "Say HOME.").unwrap();
    fs::write(home.work().join("AGENTS.md"), "Say WORK.").unwrap();
    home.ran(&["trust", "add", ".."]).ends(0);
    home.ran_with(&server, &["run", "--dir", "..", "Go"]).ends(0);
    assert!(told(&server).contains("Say HOME."));
    home.ran_with(&server, &["run", "Go"]).ends(0);
    assert!(!told(&server).contains("Say "), "{}", told(&server));
}

#[test]
fn s13_8_a_link_out_of_the_project_is_not_taken() {
    let (home, server) = (Home::new(), server());
    let outside = home.file("outside.md", "Say OUTSIDE.");
    let settings = home.file("outside.toml", "budget.steps = 7\n");
    symlink(&outside, home.work().join("AGENTS.md")).unwrap();
    symlink(&settings, home.work().join("legwork.toml")).unwrap();
    let run = home.ran_with(&server, &["run", "Go"]).ends(0);
    assert!(!told(&server).contains("OUTSIDE"), "{}", told(&server));
    assert_eq!(lines(&run).len(), 2, "{}", run.err);
    assert!(run.err.contains("a link that leads out of the repository"), "{}", run.err);
    assert_eq!(limit(&home, &[]), 100);
}

fn records(home: &Home) -> PathBuf {
    home.store().with_file_name("trust").join("records.json")
}

#[test]
fn s13_8_what_is_remembered_is_the_persons_alone() {
    let (home, server) = (Home::new(), server());
    fill(&home.work());
    let file = records(&home);
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(file.parent().unwrap()).unwrap().mode() & 0o777, 0o700);
    let good = fs::read_to_string(&file).unwrap();
    let refused = |words: &str| {
        let run = home.ran_with(&server, &["run", "Go"]).ends(0);
        assert!(!told(&server).contains("Say "), "{words}");
        run.says("the records of trusted projects cannot be used").says(words);
        home.ran(&["trust", "list"]).ends(2).says(words);
        let before = fs::read(&file).unwrap_or_default();
        home.ran(&["trust", "add"]).ends(2).says(words);
        assert_eq!(fs::read(&file).unwrap_or_default(), before, "it is left as it is");
    };
    for (text, words) in [
        ("", "EOF"),
        ("{", "EOF"),
        ("[]", "invalid length"),
        (&good.replace("\"version\": 1", "\"version\": 2"), "version 2"),
        (&good.replace("\"version\"", "\"more\": 1, \"version\""), "unknown field"),
        (&good[..good.len() / 2], "EOF"),
    ] {
        fs::write(&file, text).unwrap();
        refused(words);
    }
    fs::write(&file, &good).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    refused("other users may write to it");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    assert!(takes_with_others(&home, &server));
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    refused("regular file");
}

#[test]
fn s13_8_many_processes_remember_at_once() {
    let home = Home::untrusted();
    let names: Vec<_> = (0..24).map(|number| format!("p{number}")).collect();
    names.iter().for_each(|name| fs::create_dir(home.work().join(name)).unwrap());
    let children: Vec<_> = names
        .iter()
        .map(|name| {
            home.legwork(&["trust", "add", name]).stdout(std::process::Stdio::null()).spawn()
        })
        .collect();
    for child in children {
        assert!(child.unwrap().wait().unwrap().success());
    }
    let listed = home.ran(&["trust", "list", "--json"]).ends(0).events();
    assert_eq!(listed.len(), names.len());
    assert!(listed.iter().all(|one| one["state"] == "trusted" && one["holds"] == true));
    let folder: Vec<_> =
        fs::read_dir(records(&home).parent().unwrap()).unwrap().flatten().collect();
    assert!(folder.iter().all(|entry| entry.path().extension() != Some(OsStr::new("draft"))));
    let one = |name: &str| home.ran(&["trust", "rm", "p0", name]);
    one("none").ends(2).says("no decision about ~/work/none");
    assert_eq!(home.ran(&["trust", "list"]).ends(0).out.lines().count(), names.len());
    fs::remove_dir(home.work().join("p1")).unwrap();
    one("p1").ends(0);
    assert_eq!(home.ran(&["trust", "list"]).ends(0).out.lines().count(), names.len() - 2);
}

#[test]
fn s13_8_each_command_tells_whether_the_project_is_trusted() {
    let home = Home::untrusted();
    fill(&home.work());
    fs::create_dir(home.work().join(".git")).unwrap();
    let shown = home.ran(&["config", "show"]).ends(0).out;
    assert!(
        shown.contains("# ~/work is not trusted, so AGENTS.md and legwork.toml are left out"),
        "{shown}"
    );
    let trust = home.ran(&["config", "show", "--json"]).ends(0).last()["trust"].clone();
    assert_eq!(
        (&trust["trusted"], trust["left_out"].as_array().unwrap().len()),
        (&false.into(), 2)
    );
    let paths = home.ran(&["config", "path", "--json"]).ends(0).events();
    assert_eq!(paths.last().unwrap()["state"], "left_out");
    home.ran(&["context"]).ends(0).says("~/work is not trusted, so AGENTS.md");
    assert_eq!(home.ran(&["context", "--json"]).ends(0).last()["trust"]["trusted"], false);
    let listed = home.ran(&["agents", "list"]).ends(0).says("so 1 agent and 1 skill are left out");
    assert_eq!(listed.out, "reviewer  project  (left out) Does reviewer\n");
    assert_eq!(home.ran(&["agents", "list", "--json"]).ends(0).last()["left_out"], true);
    home.ran(&["agents", "show", "reviewer"]).ends(0).says("not trusted");
    home.ran(&["agents", "check"]).ends(0).says("not trusted");
    let doctor = home.ran(&["doctor", "--offline"]).out;
    assert!(doctor.contains("! project"), "{doctor}");
    home.ran(&["trust", "add"]).ends(0);
    let trust = home.ran(&["config", "show", "--json"]).ends(0).last()["trust"].clone();
    assert_eq!((&trust["trusted"], &trust["by"]), (&true.into(), &"record".into()));
    for args in [&["context"][..], &["agents", "list"], &["agents", "show", "reviewer"]] {
        let told = home.ran(args).ends(0);
        assert!(!told.err.contains("trusted"), "{}", told.err);
    }
    let doctor = home.ran(&["doctor", "--offline"]).out;
    assert!(doctor.contains("✓ project") && doctor.contains("~/work is trusted: none"), "{doctor}");
    home.settings("trust = ['~/x/*']");
    let listed = home.ran(&["trust", "list"]).ends(0).out;
    assert!(listed.contains("x/* (~/.config/legwork/legwork.toml:1)"), "{listed}");
}

#[test]
fn s13_8_a_project_does_not_trust_itself() {
    let home = Home::new();
    home.project("trust = ['*']");
    home.ran(&["run", "--model", "ollama:q", "x"]).ends(2).says("it could trust itself");
}
