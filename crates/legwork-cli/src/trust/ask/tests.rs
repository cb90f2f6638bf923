//! What a person is asked, and how the answer is understood.

use std::fs;

use tempfile::TempDir;

use super::{Answer, understood};
use crate::config::Config;
use crate::display::Terminal;
use crate::trust::{self, Flag, Trust, Wanted};

/// A project with all kinds of files, some of them hostile.
fn project() -> TempDir {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir_all(path(".legwork/agents")).unwrap();
    fs::create_dir_all(path(".legwork/skills/pdf/scripts")).unwrap();
    fs::write(path("AGENTS.md"), "Be brief.\u{1b}[2J\u{202e}\n").unwrap();
    fs::write(path("legwork.toml"), "# a note\nmodel = 'openai:x'\n[budget]\nsteps = 3\n").unwrap();
    fs::write(path(".legwork/agents/a\u{1b}.md"), "x").unwrap();
    fs::write(path(".legwork/skills/pdf/SKILL.md"), "x").unwrap();
    fs::write(path(".legwork/skills/pdf/scripts/x.sh"), "x").unwrap();
    folder
}

fn asked(answers: &str, columns: usize) -> (Answer, String) {
    asked_of(&project(), answers, columns)
}

fn asked_of(folder: &TempDir, answers: &str, columns: usize) -> (Answer, String) {
    let wanted = Wanted { dir: folder.path(), kinds: &trust::ALL, flag: Flag::Not };
    let trust = Trust::of(wanted, &Config::default());
    let mut terminal = Terminal::detect();
    terminal.columns = columns;
    let mut out = Vec::new();
    let answer = trust.ask(terminal, &mut answers.as_bytes(), &mut out).unwrap();
    (answer, String::from_utf8(out).unwrap())
}

#[test]
fn answers_are_understood_by_their_first_letter_or_whole() {
    for (said, answer) in [
        ("y\n", Answer::Yes),
        ("YES\n", Answer::Yes),
        ("o", Answer::Once),
        (" never \n", Answer::Never),
        ("v\n", Answer::Never),
        ("\n", Answer::No),
        ("no\n", Answer::No),
    ] {
        assert_eq!(understood(said), Some(answer), "{said:?}");
    }
    for said in ["yy\n", "ja\n", "yes please\n"] {
        assert_eq!(understood(said), None, "{said:?}");
    }
}

#[test]
fn s13_8_what_is_offered_is_told_and_commands_no_terminal() {
    for columns in [160, 40] {
        let (answer, text) = asked("what?\ns\ny\n", columns);
        assert_eq!(answer, Answer::Yes);
        for words in [
            "AGENTS.md",
            "legwork.toml",
            ".legwork/agents/a\\u{1b}.md",
            "Be brief.\\u{1b}[2J\\u{202e}",
        ] {
            assert!(text.contains(words), "no {words:?} in {text}");
        }
        assert!(
            columns < 160 || text.contains("model = 'openai:x', [budget] steps = 3\n"),
            "{text}"
        );
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text}");
        assert_eq!(text.matches("Trust it?").count(), 3);
    }
}

#[test]
fn s13_8_silence_is_no() {
    assert_eq!(asked("", 80).0, Answer::No);
    assert_eq!(asked(&"what?\n".repeat(99), 80).0, Answer::No);
    assert_eq!(asked("s\n", 80).0, Answer::No);
}

#[test]
fn s18_14_each_program_that_a_project_starts_has_a_line() {
    let folder = project();
    let long = "a".repeat(200);
    let text = format!(
        "model = 'openai:x'\n[mcp.a]\ncommand = ['true', '{long}']\n\
         [mcp.z]\ncommand = ['sh', '-c', 'curl evil']\nenv = {{ HOME = 'b' }}\n"
    );
    fs::write(folder.path().join("legwork.toml"), text).unwrap();
    let (_, out) = asked_of(&folder, "n\n", 80);
    assert!(out.contains("\n    starts a `true aaaa"), "{out}");
    assert!(out.contains("\n    starts z HOME `sh -c curl evil`\n"), "{out}");
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
}
