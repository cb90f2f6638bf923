//! What came from outside is shown as text, in every output for people (S13.12).

use std::fs;
use std::process::Command;

use legwork::core::hidden::is_hidden;
use legwork_testkit::{Script, Server, Turn};
use serde_json::{Value, json};

use crate::home::{Home, Ran, ran};
use crate::journals::forge;

/// Something of each kind that hides or commands.
const NASTY: &str = "\u{1b}[2J\u{1b}[8m\u{1b}]0;t\u{7}\u{9b}31m\u{202e}\u{2066}\u{61c}\u{200b}\u{200d}\
    \u{2028}\u{feff}\u{ad}\u{e0041}\u{e0100}\u{fe01}\u{3164}\u{e000}\u{fff9}\u{10ffff}a\u{301}\u{301}\u{301}\
    \u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}z";

#[track_caller]
fn is_text(what: &str, text: &str) {
    let odd = |c: &char| is_hidden(*c) && !matches!(c, '\n' | '\t');
    let odd: Vec<_> = text.chars().filter(odd).collect();
    assert!(odd.is_empty(), "{what} shows {odd:?}: {text:?}");
    assert!(!text.contains(&"\u{301}".repeat(9)), "{what}: {text:?}");
}

/// What may be read by a program as it is: answers, patches and results that go elsewhere.
#[derive(Clone, Copy, PartialEq)]
enum Out {
    Text,
    Data,
    Json,
}

#[track_caller]
fn check(what: &str, ran: &Ran, out: Out) {
    is_text(what, &ran.err);
    if out != Out::Data {
        is_text(what, &ran.out);
    }
    if out == Out::Json {
        for line in ran.out.lines() {
            assert!(serde_json::from_str::<Value>(line).is_ok(), "{what}: {line}");
        }
    }
}

/// A session in whose journal everything that is text is nasty.
fn session() -> (Home, String, Server) {
    let home = Home::new();
    let file = format!("odd {NASTY}.txt");
    fs::write(home.work().join("seen.txt"), format!("{NASTY}\n")).unwrap();
    let nasty = |text: &str| format!("{text} {NASTY}");
    let script = Script::from([
        Turn::calls([
            ("write", json!({"path": file, "content": nasty("content")})),
            ("read", json!({"path": "seen.txt"})),
            ("bash", json!({"command": format!("printf '%s' '{NASTY}'; exit 3")})),
            ("bash", json!({"command": format!("cat '{NASTY}'")})),
            (&*nasty("no_tool"), json!({"x": NASTY})),
            ("search", json!({"pattern": "z"})),
            ("list", json!({})),
        ]),
        Turn::text(format!(
            "# {NASTY}\n\n- **{NASTY}** `{NASTY}`\n\n|{NASTY}|b|\n|-|-|\n|c|{NASTY}|\n"
        )),
        Turn::text(nasty("again")),
        Turn::text(nasty("again")),
    ]);
    let server = Server::start(script).unwrap();
    let args = ["run", "--json", "--sandbox", "off", &nasty("Task")];
    let ran = home.ran_with(&server, &args).ends(0);
    check("run --json", &ran, Out::Json);
    (home, ran.session(), server)
}

/// Makes each text of a value nasty, but for the words that are known.
fn spoil(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let text = [
                    "text",
                    "message",
                    "name",
                    "instructions",
                    "model",
                    "path",
                    "dir",
                    "url",
                    "file",
                    "reason",
                    "arguments",
                    "explain",
                ];
                match value {
                    Value::String(said) if text.contains(&&**key) => said.push_str(NASTY),
                    other => spoil(other),
                }
            }
        }
        Value::Array(all) => all.iter_mut().for_each(spoil),
        _ => {}
    }
}

#[test]
fn s13_12_a_run_shows_text() {
    let (home, id, server) = session();
    for args in [
        &["run", "--sandbox", "off", "Task"][..],
        &["run", "-v", "--sandbox", "off", "Task"],
        &["run", "-q", "Task"],
        &["run", "--plain", "Task"],
        &["resume", &id],
    ] {
        check(&args.join(" "), &home.ran_with(&server, args), Out::Data);
    }
    let refused = Server::start([Turn::status(400)]).unwrap();
    check("a refusal", &home.ran_with(&refused, &["run", &format!("x {NASTY}")]), Out::Data);
}

#[test]
fn s13_12_on_a_terminal_an_answer_is_text_too() {
    let script = "/usr/bin/script";
    if !std::path::Path::new(script).exists() {
        println!("skipped: there is no script(1) to make a terminal");
        return;
    }
    let (home, id, server) = session();
    for line in [
        "run --sandbox off Task".to_owned(),
        format!("sessions show {id}"),
        format!("sessions diff {id}"),
    ] {
        let program = env!("CARGO_BIN_EXE_legwork");
        let line = format!("{program} {line}");
        let mut command = Command::new(script);
        command.args(["-qec", &line, "/dev/null"]).current_dir(home.work()).env_clear();
        for (name, value) in home.with(&server, &[]).get_envs() {
            command.env(name, value.unwrap_or_default());
        }
        command.env("TERM", "xterm").env("SHELL", "/bin/sh").stdin(std::process::Stdio::null());
        let told = ran(command);
        // The codes of our own, and what the terminal itself adds.
        let own = ["\u{1b}[2K", "\r", "\u{4}", "\u{8}", "^D"];
        let mut text = own.iter().fold(told.out.clone(), |text, own| text.replace(own, ""));
        for code in
            ["0", "1", "2", "3", "9", "31", "32", "33", "36", "35", "34", "1;36", "2;36", "3;36"]
        {
            text = text.replace(&format!("\u{1b}[{code}m"), "");
        }
        assert!(!told.out.is_empty());
        is_text(&line, &text);
    }
}

#[test]
fn s13_12_a_session_of_others_is_shown_as_text() {
    let (home, id, server) = session();
    let read = |args: &[&str]| home.ran_with(&server, args);
    let looks = |id: &str| {
        for args in [
            &["sessions", "list"][..],
            &["sessions", "show", id],
            &["sessions", "diff", "--stat", id],
            &["sessions", "search", "a"],
            &["undo", "--dry-run", id],
            &["run", "--session", id],
        ] {
            check(&args.join(" "), &read(args), Out::Text);
        }
        check("resume", &read(&["resume", id]), Out::Data);
        for args in [
            &["sessions", "list", "--json"][..],
            &["sessions", "show", "--json", id],
            &["sessions", "diff", "--json", id],
            &["sessions", "search", "--json", "a"],
            &["resume", "--json", id],
            &["run", "--json", "--session", id, "More"],
        ] {
            check(&args.join(" "), &read(args), Out::Json);
        }
        check("the patch", &read(&["sessions", "diff", id]), Out::Data);
    };
    looks(&id);
    forge(&home, |_, body| spoil(body));
    looks(&id);
    let odd = format!("odd {NASTY}");
    let sql = format!("UPDATE session SET name = '{odd}'");
    assert!(home.sql(&sql) > 0);
    looks(&odd);
    check("rm", &read(&["sessions", "rm", &odd]), Out::Text);
    check("rm", &read(&["sessions", "rm", "--yes", &odd]), Out::Text);
}

#[test]
fn s13_12_files_and_variables_are_shown_as_text() {
    let home = Home::new();
    let folder = home.work().join(".legwork/agents");
    fs::create_dir_all(&folder).unwrap();
    let agent = |name: &str| {
        format!(
            "---\nname: {name}\ndescription: \"d {NASTY}\"\nmodel: \"m:{NASTY}\"\n---\n{NASTY}\n"
        )
    };
    fs::write(folder.join("fine.md"), agent("fine")).unwrap();
    fs::write(folder.join(format!("{NASTY}.md")), agent(NASTY)).unwrap();
    fs::write(home.work().join("AGENTS.md"), NASTY).unwrap();
    let model = format!("openai:{NASTY}");
    let texts: [&[&str]; 12] = [
        &["doctor", "--offline"],
        &["config", "show", "--model", &model],
        &["config", "path"],
        &["context", "--model", &model],
        &["agents", "list"],
        &["agents", "show", "fine"],
        &["agents", "show", NASTY],
        &["agents", "check"],
        &["tools", "list"],
        &["tools", "show", NASTY],
        &["run", "--agent", NASTY, "x"],
        &["sessions", "show", NASTY],
    ];
    for args in texts {
        let mut command = home.legwork(args);
        command.env("LEGWORK_MODEL", &model).env("OPENAI_BASE_URL", format!("http://{NASTY}/v1"));
        check(&args.join(" "), &ran(command), Out::Text);
        if args[0] == "tools" || args[1] == NASTY || args[0] == "run" {
            continue;
        }
        let mut command = home.legwork(&[args, &["--json"]].concat());
        command.env("LEGWORK_MODEL", &model);
        check(&args.join(" "), &ran(command), Out::Json);
    }
    home.settings(&format!("budget.steps = 5 # {NASTY}\nstore = 'sqlite:{NASTY}'\n"));
    check("settings", &home.ran(&["config", "show"]), Out::Text);
    check("settings", &home.ran(&["sessions", "list"]), Out::Text);
}
