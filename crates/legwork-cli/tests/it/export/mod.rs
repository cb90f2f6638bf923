//! `legwork sessions export` and `import`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use insta::assert_snapshot;
use legwork_testkit::{Server, Turn};
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use serde_json::{Value, json};

use crate::agent_skills::delegating;
use crate::agents::agent;
use crate::home::{Home, fed, text};

/// A session with a branch, a label, a subagent, an image and a denied call.
const DEMO: &str = include_str!("../../journals/demo.jsonl");
/// What a journal may contain to be more than text.
const HOSTILE: &str = "</script></pre></details><script>alert(1)</script>\n```\n````\n# Owned\n\
                       <img src=x onerror=alert(1)>\"' onload='x' [a](javascript:alert(1))\n\
                       </pre>\n<!-- ` -->\n`<b>` \u{1b}[2J";

/// A home with the sessions of a file.
fn imported(journals: &str) -> Home {
    let home = Home::new();
    imports(&home, journals, &[]);
    home
}

fn imports(home: &Home, journals: &str, args: &[&str]) -> String {
    let args = [&["sessions", "import", "-"], args].concat();
    fed(home.legwork(&args), journals.as_bytes()).ends(0).out
}

fn exported(home: &Home, args: &[&str]) -> String {
    home.ran(&[&["sessions", "export"], args].concat()).ends(0).out
}

fn shown(home: &Home, id: &str) -> String {
    home.ran(&["sessions", "show", id, "--json"]).ends(0).out
}

/// The journals with the texts of people, models and tools changed.
fn with_text(journals: &str, to: &str) -> String {
    fn change(value: &mut Value, to: &str) {
        match value {
            Value::Object(fields) => {
                for (name, field) in fields {
                    let is_text = matches!(name.as_str(), "text" | "name" | "arguments" | "reason");
                    let is_text = is_text && field.is_string();
                    if is_text { *field = json!(to) } else { change(field, to) }
                }
            }
            Value::Array(all) => all.iter_mut().for_each(|one| change(one, to)),
            _ => {}
        }
    }
    let lines = journals.lines().map(|line| {
        let mut entry: Value = serde_json::from_str(line).unwrap();
        // A stop signal has a reason of its own.
        if !entry["type"].as_str().unwrap().ends_with("_finished")
            || entry["body"]["index"] != json!(null)
        {
            change(&mut entry["body"], to);
        }
        format!("{entry}\n")
    });
    lines.collect()
}

#[test]
fn s8_1_an_export_is_a_text_to_read() {
    let home = imported(DEMO);
    assert_snapshot!("demo_markdown", exported(&home, &["demo", "--format", "markdown"]));
    assert_snapshot!("demo_html", exported(&home, &["demo", "--format", "html"]));
}

#[test]
fn s8_5_an_import_of_an_export_is_the_session() {
    let home = imported(DEMO);
    let jsonl = exported(&home, &["demo"]);
    assert_eq!(jsonl, shown(&home, "demo") + &shown(&home, "demo.5-1"));
    let other = imported(&jsonl);
    for id in ["demo", "demo.5-1"] {
        assert_eq!(shown(&other, id), shown(&home, id));
        other.ran(&["sessions", "check", id]).ends(0);
    }
    fed(other.legwork(&["sessions", "check", "-"]), jsonl.as_bytes()).ends(0);
    let list = |home: &Home, args: &[&str]| {
        home.ran(&[&["sessions", "list", "--json"], args].concat()).ends(0).events()
    };
    assert_eq!(list(&other, &[]), list(&home, &[]));
    assert_eq!(list(&other, &["--label", "good", "--roots"]).len(), 1);
}

#[test]
fn s8_5_a_session_that_was_run_goes_on_in_another_store() {
    let (home, server) = (Home::new(), delegating());
    home.file(".config/legwork/agents/boss.md", &agent("boss", "", "Lead."));
    home.file(".config/legwork/agents/counter.md", &agent("counter", "", "Count."));
    let run = home.ran_with(&server, &["run", "--json", "--agent", "boss", "Go"]).ends(0);
    let id = run.session();
    let jsonl = exported(&home, &[&id]);
    let starts = jsonl.lines().filter(|line| line.contains("\"session_started\"")).count();
    assert_eq!(starts, 2, "{jsonl}");
    let store = ["--store", "jsonl:other"];
    let told = imports(&home, &jsonl, &store);
    assert!(told.contains("2 sessions imported"), "{told}");
    let args = [&["sessions", "export", &id], &store[..]].concat();
    assert_eq!(home.ran(&args).ends(0).out, jsonl);
    let told = imports(&home, &jsonl, &[&store[..], &["--as", "second"]].concat());
    assert!(told.contains("to go on: legwork run --session second --store jsonl:other"), "{told}");
    let renamed = home.ran(&["sessions", "export", "second", "--store", "jsonl:other"]).ends(0).out;
    assert_eq!(renamed, jsonl.replace(&id, "second"));
    let args = [&["run", "--session", "second", "--agent", "boss"], &store[..], &["More"]].concat();
    assert_eq!(home.ran_with(&server, &args).ends(0).out, "42\n");
}

#[test]
fn s8_5_a_call_that_waits_is_approved_after_an_import() {
    let write = Turn::call("write", json!({"path": "1.txt", "content": "new\n"}));
    let (home, server) = (Home::new(), Server::start([write, Turn::text("Done.")]).unwrap());
    let args = ["run", "--json", "--sandbox", "off", "--approve", "writes", "Work"];
    let id = text(&home.ran_with(&server, &args).ends(4).last(), "session");
    let jsonl = exported(&home, &[&id]);
    let store = ["--store", "sqlite:other.db"];
    let told = imports(&home, &jsonl, &[&store[..], &["--as", "second"]].concat());
    assert!(told.contains("to go on: legwork approve second --store sqlite:other.db"), "{told}");
    home.ran(&[&["approve", "second"], &store[..]].concat()).ends(0);
    let args = [&["resume", "second", "--sandbox", "off"], &store[..]].concat();
    assert_eq!(home.ran_with(&server, &args).ends(0).out, "Done.\n");
    assert_eq!(fs::read_to_string(home.work().join("1.txt")).unwrap(), "new\n");
    let pending = home.ran(&["pending", &id]).ends(0).out;
    assert!(pending.contains("write 1.txt"), "the other session still waits: {pending}");
}

#[test]
fn s8_5_a_file_that_is_not_sound_is_refused_with_its_line() {
    let home = Home::new();
    let refused = |journals: &str| {
        fed(home.legwork(&["sessions", "import", "-"]), journals.as_bytes()).ends(2)
    };
    let lines: Vec<_> = DEMO.lines().collect();
    // Cut within a line, a line taken out of each journal, and a parent changed.
    refused(&DEMO[..DEMO.len() - 10]).says("line 29: entry 7: the line is damaged");
    let without = |at: usize| [&lines[..at], &lines[at + 1..]].concat().join("\n");
    refused(&without(9)).says("line 10: entry 10: its number is 11, expected 10");
    refused(&without(22)).says("line 23: entry 23: its number is 2");
    refused(&without(24)).says("line 25: entry 3: its number is 4");
    refused(&DEMO.replace("\"parent\":12", "\"parent\":9")).says("its parent is 9");
    refused(&DEMO.replace("\"v\":2,\"seq\":20", "\"v\":99,\"seq\":20"))
        .says("line 20: entry 20: this Legwork cannot read it")
        .says("use a newer Legwork");
    refused(&format!("{DEMO}{DEMO}")).says("session demo is in it twice");
    refused("").says("there is no journal in it");
    refused("\u{1b}[2J\n").says("line 1: entry 1");
    assert_eq!(home.ran(&["sessions", "list", "--json"]).ends(0).out, "");
    home.ran(&["sessions", "import", "nosuch.jsonl"]).ends(1).says("nosuch.jsonl");
}

#[test]
fn s8_5_a_session_that_is_there_is_not_replaced_and_then_none_is_imported() {
    let home = imported(DEMO);
    let again = fed(home.legwork(&["sessions", "import", "-"]), DEMO.as_bytes()).ends(2);
    again.says("there is a session demo already").says("--as ID");
    // Another session has the id of the subagent's.
    let other = Home::new();
    let child: String = DEMO.lines().skip(22).map(|line| format!("{line}\n")).collect();
    let begins: String = child.lines().take(5).map(|line| format!("{line}\n")).collect();
    imports(&other, &begins, &[]);
    fed(other.legwork(&["sessions", "import", "-"]), DEMO.as_bytes()).ends(2).says("demo.5-1");
    other.ran(&["sessions", "show", "demo.5"]).ends(0);
    let rows = other.ran(&["sessions", "list", "--json"]).ends(0).events();
    assert_eq!(rows.len(), 1, "{rows:?}");
    // An import that was killed when it had written the subagent's goes on.
    let killed = Home::new();
    imports(&killed, &child, &[]);
    imports(&killed, DEMO, &[]);
    assert_eq!(killed.ran(&["sessions", "list", "--json"]).ends(0).events().len(), 2);
    imports(&other, DEMO, &["--as", "new"]);
    assert_eq!(other.ran(&["sessions", "list", "--json"]).ends(0).events().len(), 3);
    let wrong = ["sessions", "import", "-", "--as", "a\u{202e}b"];
    fed(other.legwork(&wrong), DEMO.as_bytes()).ends(2).says("hint: nothing was imported");
    let two = [DEMO, &DEMO.replace("\"demo", "\"other")].concat();
    let args = ["sessions", "import", "-", "--as", "x"];
    fed(other.legwork(&args), two.as_bytes()).ends(2).says("--as names one");
}

#[test]
fn an_export_is_written_whole_to_a_file_of_its_owner() {
    let home = imported(DEMO);
    let file = home.work().join("demo.md");
    home.ran(&["sessions", "export", "demo", "-o", "demo.md"])
        .ends(0)
        .says("2 sessions in demo.md");
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text, exported(&home, &["demo", "--format", "markdown"]));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    fs::write(&file, "mine").unwrap();
    home.ran(&["sessions", "export", "demo", "-o", "demo.md"]).ends(2).says("--force");
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    home.ran(&["sessions", "export", "demo", "-o", "demo.md", "--force"]).ends(0);
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    home.ran(&["sessions", "export", "demo", "-o", "."]).ends(2).says("not a regular file");
    home.ran(&["sessions", "export", "demo", "-o", "no/such.md"]).ends(1).says("no/such.md");
    home.ran(&["sessions", "export", "nosuch", "-o", "x.md"]).ends(2).says("no session nosuch");
    let names = fs::read_dir(home.work()).unwrap().map(|file| file.unwrap().file_name());
    assert_eq!(names.collect::<Vec<_>>(), ["demo.md"], "no draft is left");
    home.ran(&["sessions", "export", "demo", "-o", "demo.HTML"]).ends(0);
    let page = fs::read_to_string(home.work().join("demo.HTML")).unwrap();
    assert!(page.starts_with("<!doctype html>"), "{page}");
}

#[test]
fn hostile_text_stays_text_in_a_page() {
    let home = imported(&with_text(DEMO, HOSTILE));
    let page = exported(&home, &["demo", "--format", "html"]);
    assert!(page.contains("default-src 'none'") && !page.contains('\u{1b}'));
    let known = [
        "!doctype", "html", "head", "meta", "title", "style", "body", "main", "section", "h1",
        "h2", "h3", "small", "dl", "dt", "dd", "details", "summary", "ul", "li", "a", "span", "p",
        "pre", "div", "strong", "img",
    ];
    for tag in page.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').unwrap();
        let name = tag.trim_start_matches('/').split([' ', '\n']).next().unwrap();
        assert!(known.contains(&name), "<{tag}>");
        let mut attributes = tag.split('"').step_by(2).flat_map(str::split_whitespace).skip(1);
        let names = [
            "lang=",
            "charset=",
            "http-equiv=",
            "content=",
            "name=",
            "id=",
            "class=",
            "href=",
            "alt=",
            "src=",
            "open",
            "html",
        ];
        let strange = attributes.find(|attribute| !names.contains(attribute));
        assert_eq!(strange, None, "<{tag}>");
        assert!(!tag.contains("href=") || tag.contains("href=\"#s"), "<{tag}>");
        assert!(!tag.contains("src=") || tag.contains("src=\"data:image/png;base64,"), "<{tag}>");
    }
    assert_eq!(page.matches("</details>").count(), page.matches("<details").count());
    assert_eq!(page.matches("</pre>").count(), page.matches("<pre>").count());
}

#[test]
fn hostile_text_stays_text_in_markdown() {
    let home = imported(&with_text(DEMO, HOSTILE));
    let markdown = exported(&home, &["demo", "--format", "markdown"]);
    assert!(!markdown.contains('\u{1b}'), "{markdown}");
    let own = ["<details><summary>Thinking</summary>", "</details>"];
    let (mut quotes, mut folded) = (0, 0);
    let mut headings = Vec::new();
    let mut is_heading = false;
    for event in Parser::new(&markdown) {
        match event {
            Event::Html(html) | Event::InlineHtml(html) => {
                assert!(own.contains(&html.trim()), "{html}");
                folded += if html.starts_with("</") { -1 } else { 1 };
            }
            Event::Start(Tag::BlockQuote(_)) => quotes += 1,
            Event::End(TagEnd::BlockQuote(_)) => quotes -= 1,
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                panic!("a link to {dest_url}")
            }
            Event::Start(Tag::Heading { .. }) if quotes == 0 => {
                (is_heading, _) = (true, headings.push(String::new()));
            }
            Event::End(TagEnd::Heading(_)) => is_heading = false,
            Event::Text(text) if is_heading => headings.last_mut().unwrap().push_str(&text),
            _ => {}
        }
    }
    assert_eq!(folded, 0, "what is unfolded is all of it");
    let own = ["</script>", "Task 1", "Step 1 (", "Step 2 (", "Other branches", "Subagent: "];
    let foreign = headings.iter().find(|heading| !own.iter().any(|own| heading.starts_with(own)));
    assert_eq!((foreign, headings.len()), (None, 8), "{headings:?}");
}

#[test]
fn an_export_to_a_dash_is_printed_and_an_unknown_extension_is_refused() {
    let home = imported(DEMO);
    let listed = home.ran(&["sessions", "list", "--roots", "--json"]).ends(0).events();
    let id = text(&listed[0], "session");
    assert_eq!(exported(&home, &[&id, "-o", "-"]), exported(&home, &[&id]));
    assert!(!home.work().join("-").exists());
    let refused = home.ran(&["sessions", "export", &id, "-o", "page.pdf"]).ends(2).err;
    assert!(refused.contains("no format has the extension \"pdf\""), "{refused}");
    assert!(!home.work().join("page.pdf").exists());
    home.ran(&["sessions", "export", &id, "-o", "page.pdf", "--format", "html"]).ends(0);
    assert!(home.work().join("page.pdf").exists());
}
