//! A project that one did not write: what of it is taken, and when.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use legwork_testkit::{Script, Server, Turn};
use serde_json::Value;

use crate::agents::agent;
use crate::home::{Home, Ran, ran};

/// Nobody in particular, and somebody else.
const NOBODY: u32 = 65_534;
const OTHER: u32 = 65_533;

/// What a project says, each with a word that shows where it went.
fn fill(project: &Path) {
    for folder in ["sub", ".legwork/agents", ".legwork/skills/pdf"] {
        fs::create_dir_all(project.join(folder)).unwrap();
    }
    let write = |path: &str, text: &str| fs::write(project.join(path), text).unwrap();
    write("AGENTS.md", "Say ROOT.\n");
    write("sub/AGENTS.md", "Say SUB.\n");
    write("legwork.toml", "max_steps = 7\n");
    write(".legwork/agents/reviewer.md", &agent("reviewer", "skills: [pdf]\n", "Say AGENT."));
    write(".legwork/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Say SKILL\n---\n");
}

fn server() -> Server {
    Server::start(Script::from_fn(|_| Turn::text("Done."))).unwrap()
}

/// What the agent was told first in the last request.
fn told(server: &Server) -> String {
    server.requests().pop().unwrap().asked.instructions
}

/// The values of `config show`.
fn limit(home: &Home, args: &[&str]) -> Value {
    let shown = home.ran(&[&["config", "show", "--json"], args].concat()).ends(0).last();
    shown["values"]["max_steps"]["value"].clone()
}

/// What standard error says of trust.
fn lines(ran: &Ran) -> Vec<&str> {
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
    // Programs are told as a warning, not as an error.
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
        "trusted ~/work: sub/AGENTS.md, AGENTS.md, legwork.toml and 2 more are taken from now on\n"
    );
    assert!(takes(&[]) && takes(&["--dir", "sub"]) && told(&server).contains("Say SUB."));
    assert_eq!(limit(&home, &[]), 7);
    assert_eq!(home.ran(&["trust", "rm"]).ends(0).out, "forgot ~/work, which was trusted\n");
    assert!(!takes(&[]));
    home.ran(&["trust", "rm"]).ends(2).says("is not among the projects");
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
fn s13_8_the_line_to_copy_trusts_the_project_whatever_it_is_called() {
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
    // Whose file or folder it is; the person is nobody, and root.
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
                // The directory itself is somebody else's.
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
fn s13_8_root_takes_files_of_who_became_root_and_of_nobody_else() {
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

/// Whether instructions are taken, though other files are.
fn takes_with_others(home: &Home, server: &Server) -> bool {
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
    assert!(listed.contains("another folder is there now"), "{listed}");
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
    let settings = home.file("outside.toml", "max_steps = 7\n");
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
        run.says("what is known of projects cannot be used").says(words);
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
    refused("others than you may write to it");
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
    one("none").ends(2).says("none is not among");
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
    assert!(
        doctor.contains("✓ project") && doctor.contains("~/work is trusted: nothing"),
        "{doctor}"
    );
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

#[test]
fn s13_8_the_persons_own_agent_wins_and_the_projects_is_named_by_project() {
    let (home, server) = (Home::new(), server());
    fill(&home.work());
    home.file(
        ".config/legwork/agents/reviewer.md",
        &agent("reviewer", "tools: [read]\n", "Say OWN."),
    );
    home.file(
        ".config/legwork/skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Say OWNSKILL\n---\n",
    );
    let run = home.ran_with(&server, &["run", "--json", "--agent", "reviewer", "Go"]).ends(0);
    assert!(told(&server).contains("Say OWN.") && !told(&server).contains("Say AGENT."));
    assert_eq!(server.requests().pop().unwrap().asked.tools, ["read"]);
    let warning = run.events().into_iter().find(|event| event["type"] == "warning").unwrap();
    assert!(warning.to_string().contains("--agent project:reviewer"), "{warning}");
    let args = ["run", "--json", "--agent", "project:reviewer", "Go"];
    let id = home.ran_with(&server, &args).ends(0).session();
    // Its skill of the person's name is the person's.
    assert!(told(&server).contains("Say AGENT.") && told(&server).contains("Say OWNSKILL"));
    home.ran_with(&server, &["run", "--session", &id, "More"]).ends(0);
    assert!(told(&server).contains("Say AGENT."));
    home.ran(&["agents", "show", "project:reviewer"]).ends(0);
    home.ran_with(&server, &["run", "--agent", "project:none", "Go"])
        .ends(2)
        .says("no agent \"none\"");
}

#[test]
fn s13_8_a_project_names_no_server() {
    let (home, server) = (Home::new(), server());
    let asked = || server.requests().pop().unwrap().asked.model;
    let run = |args: &[&str]| {
        let mut command = home.with(&server, &[&["run"], args, &["Go"]].concat());
        command.env_remove("LEGWORK_MODEL").env("OPENAI_API_KEY", "sk-none");
        ran(command).ends(0)
    };
    home.settings("model = 'test:mine'");
    for model in ["vllm:x", "ollama:x", "llamacpp:x", "lmstudio:x", "unknown:x", "groq:x"] {
        home.project(&format!("model = '{model}'"));
        home.file("work/.legwork/agents/a.md", &agent("a", &format!("model: {model}\n"), ""));
        home.file("work/x.md", &agent("x", &format!("model: {model}\n"), ""));
        let cases: [(&[&str], &str); 4] = [
            (&[], "legwork.toml:1"),
            (&["--agent", "a"], "a.md"),
            (&["--agent", "project:a"], "a.md"),
            (&["--agent", "x.md"], "x.md"),
        ];
        for (args, place) in cases {
            let told = run(args);
            assert_eq!(asked(), "mine", "{model} {args:?}");
            let words = format!("the model {model} in ");
            let told = told.says(&words).says(place).says("is not taken");
            told.says("[providers.");
        }
    }
    // Where the person names the provider, or has its key, the project may say which model.
    home.project("model = 'test:theirs'");
    run(&[]);
    assert_eq!(asked(), "theirs");
    home.project("model = 'openai:theirs'");
    run(&[]);
    assert_eq!(asked(), "theirs");
    home.settings(&format!("[providers.vllm]\nbase_url = '{}'\n", server.base_url()));
    home.project("model = 'vllm:theirs'");
    run(&[]);
    assert_eq!(asked(), "theirs");
}

#[test]
fn s13_8_a_subagent_or_skill_of_a_project_names_no_server() {
    let (home, server) = (Home::new(), server());
    home.file("work/.legwork/agents/a.md", &agent("a", "skills: [pdf]\n", ""));
    home.file("work/.legwork/agents/b.md", &agent("b", "model: vllm:x\n", ""));
    home.file(
        "work/.legwork/skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: x\nmodel: ollama:y\n---\n",
    );
    let ran = home.ran_with(&server, &["run", "--agent", "a", "Go"]);
    let all = format!("{}{}", ran.out, ran.err);
    assert!(all.contains("do not name `ollama`"), "{all}");
    fs::remove_dir_all(home.work().join(".legwork/skills")).unwrap();
    home.file("work/.legwork/agents/a.md", &agent("a", "", ""));
    home.ran_with(&server, &["run", "--agent", "a", "Go"]).ends(0).says("do not name `vllm`");
}
#[test]
fn s13_8_a_file_of_the_project_that_is_named_itself_only_narrows() {
    let (home, server) = (Home::untrusted(), server());
    home.settings("max_steps = 5\n");
    home.file("work/x.md", &agent("x", "budget: {steps: 50}\n", "Say X."));
    let shown = home.ran(&["agents", "show", "x.md", "--json"]).ends(0).last();
    assert_eq!(shown["budget"]["steps"], 5);
    home.ran_with(&server, &["run", "--agent", "x.md", "Go"]).ends(0);
    assert!(told(&server).contains("Say X."), "who names a file has read it");
    // Outside of the project it is the person's.
    home.file("mine/x.md", &agent("x", "budget: {steps: 50}\n", ""));
    let shown = home.ran(&["agents", "show", "../mine/x.md", "--json"]).ends(0).last();
    assert_eq!(shown["budget"]["steps"], 50);
}
