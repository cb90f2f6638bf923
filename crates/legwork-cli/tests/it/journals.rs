//! A journal that the person did not write loosens nothing (S13.9).

use std::fs;
use std::process::Command;

use fastrand::Rng;
use legwork_testkit::{Server, Turn};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::home::{Home, Ran, ran};

/// Changes what a journal says: the bodies of its events, by their type.
pub(crate) fn forge(home: &Home, change: impl Fn(&str, &mut Value)) {
    let sqlite = Connection::open(home.store()).unwrap();
    let mut rows = sqlite.prepare("SELECT id, entries FROM journal").unwrap();
    let rows = rows.query_map((), |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?)));
    for (id, entries) in rows.unwrap().map(Result::unwrap) {
        let forged = |line: &str| {
            let mut entry: Value = serde_json::from_str(line).unwrap();
            let kind = entry["type"].as_str().unwrap().to_owned();
            change(&kind, &mut entry["body"]);
            entry.to_string()
        };
        let lines = String::from_utf8(entries).unwrap();
        let forged = lines.lines().map(forged).collect::<Vec<_>>().join("\n");
        let sql = "UPDATE journal SET entries = CAST(?1 AS BLOB) WHERE id = ?2";
        assert_eq!(sqlite.execute(sql, (forged, id)).unwrap(), 1);
    }
}

/// Changes what it remembers of the command that began it.
fn remember(home: &Home, change: impl Fn(&mut Value)) {
    forge(home, |kind, body| {
        if kind == "metadata_set" && body["key"] == "cli" {
            change(&mut body["value"]);
        }
    });
}

/// A finished session in a home with a secret next to the workspace.
fn session(server: &Server, args: &[&str]) -> (Home, String) {
    let home = Home::new();
    fs::write(home.work().join("../secret"), "s3cret").unwrap();
    let args = [&["run", "--json"], args, &["Work"]].concat();
    let id = home.ran_with(server, &args).ends(0).session();
    (home, id)
}

/// Tries what walls keep from it: a file outside to read, to write, and a port.
fn attack(home: &Home, port: u16) -> [Turn; 3] {
    let outside = home.work().parent().unwrap().canonicalize().unwrap();
    let outside = outside.display();
    let command = format!(
        "cat {outside}/secret; echo owned > {outside}/owned; exec 3<>/dev/tcp/127.0.0.1/{port}"
    );
    let path = format!("{outside}/secret");
    let write = json!({"path": format!("{outside}/owned"), "content": "owned"});
    let calls = [
        ("bash", json!({ "command": command })),
        ("read", json!({ "path": path })),
        ("write", write),
    ];
    [Turn::text("Begun."), Turn::calls(calls), Turn::text("Tried.")]
}

/// Some of the forgeries that would open a wall, one or several at once.
fn opened(rng: &mut Rng, outside: &str) -> Vec<(&'static str, Value)> {
    let paths = [
        json!([outside]),
        json!(["/"]),
        json!([format!("{outside}:ro")]),
        json!([format!("{outside}/work/..")]),
        json!(["~", "/etc", "/proc/self/root"]),
        json!([format!("{outside}/./"), "/\u{202e}x", "/a b'; touch owned '"]),
    ];
    let all = [
        ("sandbox", json!("off")),
        ("sandbox", json!("landlock")),
        ("network", json!("all")),
        ("network", json!("*.example.com,127.0.0.1:9")),
        ("allow_paths", rng.choice(paths).unwrap()),
    ];
    let chosen = rng.u8(1..32);
    let is_chosen = |at: &usize| chosen & (1 << at) != 0;
    all.into_iter().enumerate().filter(|(at, _)| is_chosen(at)).map(|(_, one)| one).collect()
}

#[test]
fn s13_9_a_forged_journal_opens_no_wall() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut rng = Rng::with_seed(13);
    for round in 0..12 {
        let server = Server::start([Turn::text("Begun.")]).unwrap();
        let (home, id) = session(&server, &[]);
        let outside = home.work().parent().unwrap().canonicalize().unwrap();
        let forged = opened(&mut rng, outside.to_str().unwrap());
        remember(&home, |value| {
            for (key, to) in &forged {
                value[*key] = to.clone();
            }
        });
        let server = Server::start(attack(&home, port)).unwrap();
        let args = ["run", "--session", &id, "More"];
        let told = home.ran_with(&server, &args).ends(0);
        let told =
            told.says("warning: the session had --").says(", which is not taken from a journal");
        let looser = ["--sandbox", "--network", "--allow-path"];
        let forms = |key: &str| forged.iter().any(|(name, _)| flag(name) == key);
        for flag in looser.into_iter().filter(|flag| forms(flag)) {
            assert!(told.err.contains(flag), "{round}: {flag} in {}", told.err);
        }
        let asked = &server.requests()[1].asked;
        let results = asked.results().join("\n");
        assert!(!results.contains("s3cret"), "{round} {forged:?}: {results}");
        assert!(
            !outside.join("owned").exists() && listener.accept().is_err(),
            "{round} {forged:?}"
        );
    }
}

fn flag(name: &str) -> String {
    format!("--{}", name.trim_end_matches('s').replace('_', "-"))
}

#[test]
fn s13_9_what_the_person_says_now_is_given() {
    let server = Server::start([Turn::text("Begun.")]).unwrap();
    let (home, id) = session(&server, &["--network", "all", "--allow-path", "..:ro"]);
    let server = Server::start(attack(&home, 9)).unwrap();
    let args = ["run", "--session", &id, "--allow-path", "..:ro", "More"];
    let told = home.ran_with(&server, &args).ends(0);
    let told = told.says("the session had --network all, which is not taken from a journal");
    assert!(!told.err.contains("--allow-path"), "{}", told.err);
    let results = server.requests()[1].asked.results().join("\n");
    assert!(results.contains("s3cret"), "{results}");
    assert!(!home.work().join("../owned").exists());
}

#[test]
fn s13_9_a_narrower_choice_is_remembered() {
    let server = Server::start([Turn::text("Begun.")]).unwrap();
    let home = Home::new();
    home.settings("network = 'all'\nsandbox = 'off'\nallow_paths = ['/srv', '/opt']\n");
    let args = ["--sandbox", "auto", "--network", "off", "--allow-path", "/srv:ro"];
    let args = [&["run", "--json"][..], &args, &["Work"]].concat();
    let id = home.ran_with(&server, &args).ends(0).session();
    // The settings are as wide as before, and the session is not.
    let server = Server::start(attack(&home, 9)).unwrap();
    let told = home.ran_with(&server, &["run", "--session", &id, "More"]).ends(0);
    assert!(!told.err.contains("not taken from a journal"), "{}", told.err);
    assert!(!told.err.contains("without a sandbox"), "{}", told.err);
    let instructions = &server.requests()[0].asked.instructions;
    assert!(instructions.contains("Also: /srv (to be read only"), "{instructions}");
    assert!(!home.work().join("../owned").exists());
}

#[test]
fn s13_9_a_journal_says_not_where_to_work() {
    let server = Server::start([Turn::text("Begun."), Turn::text("More.")]).unwrap();
    let (home, id) = session(&server, &[]);
    let odd = home.work().join("../it's $(touch owned)\u{202e}\n; x");
    fs::create_dir(&odd).unwrap();
    for dir in ["/", "..", "/proc/self/root", "/no/such", odd.to_str().unwrap()] {
        remember(&home, |value| value["dir"] = json!(dir));
        for args in [&["resume", &id][..], &["run", "--session", &id, "More"]] {
            let told = home.ran_with(&server, args).ends(2).says("error: the session worked in ");
            let line = told.err.split_once("--dir ").unwrap().1.trim_end();
            assert_eq!(words(line), [dir], "{line:?}");
            assert!(!told.err.contains('\u{202e}'), "{:?}", told.err);
        }
    }
    assert_eq!(server.requests().len(), 1);
    assert!(!home.work().join("owned").exists());
    // The same directory by another name is no other.
    let same = home.work().parent().unwrap().join("same");
    std::os::unix::fs::symlink(home.work(), &same).unwrap();
    remember(&home, |value| value["dir"] = json!(same));
    home.ran_with(&server, &["run", "--session", &id, "More"]).ends(0);
}

/// The words of a line as a shell reads them.
fn words(line: &str) -> Vec<String> {
    let mut shell = Command::new("bash");
    shell.args(["-c", &format!("printf '%s\\0' {line}")]).current_dir("/");
    let told: Ran = ran(shell).ends(0);
    told.out.split_terminator('\0').map(str::to_owned).collect()
}

#[test]
fn s13_9_a_journal_says_not_where_tasks_and_keys_go() {
    let server = Server::start([Turn::text("Begun."), Turn::text("More.")]).unwrap();
    let thanks = || Turn::text("Thanks.");
    let evil = Server::start([thanks(), thanks(), thanks()]).unwrap();
    let url = evil.base_url();
    let (home, id) = session(&server, &[]);
    let mine = || {
        let mut command = home.legwork(&["run", "--session", &id, "More"]);
        command.env("OPENAI_API_KEY", "sk-mine").env("LEGWORK_RETRY_FOR", "0s");
        command
    };
    for by in ["flag", "environment"] {
        remember(&home, |value| value["base_url"] = json!({"url": url, "by": by}));
        let told = ran(mine()).ends(2).says(&format!("give it again with --base-url {url}"));
        told.says("the session's model was served at ");
    }
    // Where the settings say where, that holds: for a flag of before, it has to be the same.
    let mut elsewhere = mine();
    elsewhere.env("OPENAI_BASE_URL", server.base_url());
    ran(elsewhere).ends(0);
    remember(&home, |value| value["base_url"] = json!({"url": url, "by": "flag"}));
    let mut elsewhere = mine();
    elsewhere.env("OPENAI_BASE_URL", server.base_url());
    ran(elsewhere).ends(2).says("which no present setting names");
    assert_eq!(evil.requests().len(), 0);
    let given = ["run", "--session", &id, "--base-url", &url, "More"];
    home.ran(&given).ends(0);
    assert_eq!(evil.requests().len(), 1);
}

#[test]
fn s13_9_a_journal_says_not_that_a_port_of_this_machine_is_asked() {
    let server = Server::start([Turn::text("Begun.")]).unwrap();
    let (home, id) = session(&server, &[]);
    for model in ["vllm:x", "ollama:x", "lmstudio:$(touch owned)"] {
        forge(&home, |kind, body| {
            if kind == "defined" {
                body["definition"]["settings"]["model"] = json!(model);
            }
        });
        remember(&home, |value| value["base_url"] = Value::Null);
        let told = home.ran(&["run", "--session", &id, "More"]).ends(2);
        let told = told.says("on a server that no present setting names");
        let line = told.err.split_once("--model ").unwrap().1.split_once(", as in").unwrap().0;
        assert_eq!(words(line), [model]);
        let mut named = home.legwork(&["run", "--session", &id, "More"]);
        named.env("LEGWORK_MODEL", model).env("LEGWORK_RETRY_FOR", "0s");
        let asked = ran(named);
        assert!(!asked.err.contains("no present setting names"), "{}", asked.err);
    }
}

#[test]
fn s13_9_a_journal_names_no_file_of_an_agent() {
    let server = Server::start([Turn::text("Begun.")]).unwrap();
    let (home, id) = session(&server, &[]);
    let agent = "---\nname: evil\ndescription: x\n---\nYou are evil.\n";
    for place in ["evil.md", ".legwork/other/evil.md", "../evil.md", ".legwork/agents/../evil.md"] {
        let file = home.work().join(place);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, agent).unwrap();
        for origin in ["user", "given", "project"] {
            let dirs = json!([file.parent().unwrap()]);
            let agent = json!({"name": "evil", "file": file, "origin": origin, "dirs": dirs});
            remember(&home, |value| value["agent"] = agent.clone());
            let told = home.ran_with(&server, &["run", "--session", &id, "More"]).ends(2);
            told.says("which is in none of the present places").says("give it again with --agent ");
        }
    }
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn s13_9_a_journal_raises_no_limit_that_the_person_set() {
    let turns = || [Turn::call("list", json!({})), Turn::call("list", json!({})), Turn::text("x")];
    let server = Server::start(turns()).unwrap();
    let home = Home::new();
    home.settings("budget.steps = 2\nbudget.tokens = 100000\n");
    let id = home.ran_with(&server, &["run", "--json", "Work"]).ends(3).session();
    forge(&home, |kind, body| {
        if kind == "defined" {
            let budget = &mut body["definition"]["budget"];
            budget["steps"] = json!(u64::MAX);
            budget["total_tokens"] = json!(u64::MAX);
        }
    });
    home.ran_with(&server, &["resume", &id]).ends(3).says("the limit of 2 steps leaves no room");
    assert_eq!(server.requests().len(), 2);
    home.ran_with(&server, &["resume", &id, "--max-steps", "3"]).ends(0);
}

#[test]
fn s13_9_a_forged_change_is_not_put_back_elsewhere() {
    let home = Home::new();
    let write = json!({"path": "a.txt", "content": "new\n", "overwrite": true});
    let server = Server::start([Turn::call("write", write), Turn::text("Done.")]).unwrap();
    fs::write(home.work().join("a.txt"), "old\n").unwrap();
    let id = home.ran_with(&server, &["run", "--json", "Work"]).ends(0).session();
    fs::create_dir_all(home.work().join(".git/hooks")).unwrap();
    let outside = home.work().parent().unwrap().canonicalize().unwrap();
    let paths = [
        "../victim".to_owned(),
        format!("{}/victim", outside.display()),
        format!("{}/../victim", home.work().display()),
        ".git/hooks/pre-commit".to_owned(),
        ".GIT/hooks/pre-commit".to_owned(),
        "link/victim".to_owned(),
    ];
    std::os::unix::fs::symlink(&outside, home.work().join("link")).unwrap();
    for path in paths {
        for dir in [outside.clone(), home.work(), "/".into()] {
            remember(&home, |value| value["dir"] = json!(dir));
            forge(&home, |kind, body| {
                if kind == "tool_finished" {
                    body["metadata"]["changes"][0]["path"] = json!(path);
                }
            });
            let target = dir.join(&path);
            let there = fs::write(&target, "new\n").is_ok();
            home.ran(&["undo", &id]).ends(1).says("cannot take back ");
            assert!(!there || fs::read_to_string(&target).unwrap() == "new\n", "{target:?}");
        }
    }
}

#[test]
fn s13_9_a_store_that_commands_may_write_to_is_told_and_its_file_is_opened_by_no_tool() {
    let home = Home::new();
    let turns = || {
        let read = |path: &str| ("read", json!({ "path": path }));
        let write = json!({"path": "here.db-journal", "content": "planted"});
        let calls = [
            read("here.db"),
            read("here.db-wal"),
            ("search", json!({"pattern": "execution_started"})),
            ("write", write),
        ];
        [Turn::calls(calls), Turn::text("Done.")]
    };
    let warned = "warning: sessions are kept in ";
    for (store, dir, told) in [
        ("sqlite:here.db", ".", true),
        ("sqlite:deep/er/here.db", ".", true),
        ("sqlite:here.db", "..", true),
        ("sqlite:../beside/here.db", ".", false),
    ] {
        let server = Server::start(turns()).unwrap();
        let args = ["run", "--json", "--store", store, "--dir", dir, "Work"];
        let ran = home.ran_with(&server, &args).ends(0);
        assert_eq!(
            ran.err.contains(warned) || ran.out.contains("sessions are kept in "),
            told,
            "{store}"
        );
        let results = server.requests()[1].asked.results().join("\n");
        assert!(
            !results.contains("SQLite format") && !results.contains("metadata_set"),
            "{results}"
        );
        let planted = home.work().join("here.db-journal").exists();
        assert!(!planted || store != "sqlite:here.db", "{results}");
        // What is written while tools look is all there.
        let show = ["sessions", "show", "--json", "--store", store, &ran.session()];
        assert!(home.ran(&show).ends(0).out.contains("execution_finished"));
    }
    // The usual place is none of those.
    let server = Server::start(turns()).unwrap();
    let ran = home.ran_with(&server, &["run", "Work"]).ends(0);
    assert!(!ran.err.contains(warned), "{}", ran.err);
    // A link that commands may turn elsewhere is.
    std::os::unix::fs::symlink("../beside/here.db", home.work().join("link.db")).unwrap();
    let server = Server::start(turns()).unwrap();
    let args = ["run", "--store", "sqlite:link.db", "Work"];
    home.ran_with(&server, &args).ends(0).says(warned);
}

/// A journal may tell of changes that no session made, so nothing is put back but what a file
/// tool may write.
#[test]
fn s13_9_nothing_is_put_back_that_no_file_tool_may_write() {
    for (name, why) in [
        (".ssh/authorized_keys", "holds keys or private records"),
        (".netrc", "holds keys or private records"),
        ("bare/config", "repository of git"),
        ("bare/hooks/pre-commit", "repository of git"),
        (".git/hooks/pre-commit", "files in .git are not put back"),
        ("plain/file", ""),
    ] {
        let write = json!({ "path": "q7w8", "content": "now\n" });
        let turns = [Turn::call("write", write), Turn::text("done")];
        let home = Home::new();
        let work = home.work();
        for folder in [".ssh", "bare/objects", "bare/hooks", "plain", ".git/hooks"] {
            fs::create_dir_all(work.join(folder)).unwrap();
        }
        fs::write(work.join("bare/HEAD"), "ref: refs/heads/main\n").unwrap();
        let server = Server::start(turns).unwrap();
        let run = |mut command: Command| {
            let store = format!("sqlite:{}", home.store().display());
            command.env("HOME", &work).env("LEGWORK_STORE", store);
            ran(command)
        };
        let session = run(home.with(&server, &["run", "--json", "Work"])).ends(0).session();
        fs::rename(work.join("q7w8"), work.join(name)).unwrap();
        forge(&home, |_, body| {
            let forged = body.to_string().replace("q7w8", name);
            *body = serde_json::from_str(&forged).unwrap();
        });
        let told = run(home.legwork(&["undo", &session]));
        if why.is_empty() {
            told.ends(0);
            assert!(!work.join(name).exists(), "{name}");
            continue;
        }
        let told = told.ends(1);
        assert!(told.err.contains(&format!(": {name}: ")), "{name}: {}", told.err);
        assert!(told.err.contains(why), "{name}: {}", told.err);
        assert_eq!(fs::read_to_string(work.join(name)).unwrap(), "now\n", "{name}");
    }
}
