//! Patterns of `search`: globs and regular expressions, and the ignore files on its way.

use std::cell::OnceCell;

use fastrand::Rng;
use legwork_core::ToolOutcome;
use legwork_testkit::tool;
use legwork_tools::{List, Search, Workspace};
use serde_json::json;
use tempfile::TempDir;

use super::ground::folder;
use super::store::wait;
use super::{MIB, Target, texts};

pub(super) const TARGET: Target = Target {
    name: "globs",
    seeds,
    grammar: None,
    words: &[
        "**/",
        "*",
        "?",
        "[a-z]",
        "[!a]",
        "{a,b}",
        "{",
        "}",
        "!",
        ",",
        "\\",
        "(a*)*",
        "(?i)",
        "a{1000}",
        "(a{100}){100}",
        "\\p{L}",
        "[[:alpha:]]",
        "$",
        "^",
        "(?:",
        "(?P<n>",
        ".*",
        "\\b",
        "[\\d--5]",
    ],
    longest: 16 << 10,
    memory: 128 * MIB,
    one_of: 4,
    run,
};

fn seeds() -> Vec<Vec<u8>> {
    texts([
        "*.rs",
        "src/**/*.{ts,tsx}",
        "!*.md,*.txt",
        "fn \\w+\\(",
        "(a|b)*c",
        "/top/*",
        "[a-z]{2,5}\\d+",
        "**/{a,{b,c}}/[!x]*",
    ])
}

thread_local! {
    static PLACE: OnceCell<(TempDir, Workspace)> = const { OnceCell::new() };
}

fn open() -> (TempDir, Workspace) {
    let base = folder();
    let place = |name: &str| base.path().join(name);
    let made = std::fs::create_dir_all(place("src/a"))
        .and_then(|()| {
            std::fs::write(place("src/a/one.rs"), "fn one() {}\naaaaaaaaaaaaaaaaaaaab\n")
        })
        .and_then(|()| std::fs::write(place("src/two.txt"), "two é 漢字\r\n\0"))
        .and_then(|()| std::fs::write(place("top.md"), "abc\n".repeat(200)));
    assert!(made.is_ok(), "no files: {made:?}");
    let workspace = Workspace::open(base.path());
    (base, workspace.unwrap_or_else(|error| panic!("no workspace: {error}")))
}

fn run(input: &[u8], random: &mut Rng) -> bool {
    let text = String::from_utf8_lossy(input);
    PLACE.with(|place| {
        let (base, workspace) = place.get_or_init(open);
        let search = Search::new(workspace.clone());
        let arguments = match random.u8(..4) {
            0 => json!({ "pattern": text }),
            1 => json!({ "pattern": text, "literal": true, "ignore_case": true, "context": 2 }),
            2 => json!({ "pattern": "a", "glob": text }),
            _ => {
                // The same text as what a project leaves out.
                let ignored = std::fs::write(base.path().join("src/.gitignore"), input);
                assert!(ignored.is_ok(), "no file: {ignored:?}");
                let list = List::new(workspace.clone());
                small(&wait(tool::call(&list, json!({ "depth": 5 }))), text.len());
                json!({ "pattern": "o", "files_only": true })
            }
        };
        let outcome = wait(tool::call(&search, arguments));
        small(&outcome, text.len());
        matches!(outcome, ToolOutcome::Ok(_))
    })
}

fn small(outcome: &ToolOutcome, asked: usize) {
    let told = format!("{outcome:?}");
    assert!(!told.contains("panicked"), "{told}");
    assert!(told.len() < 300_000 + 16 * asked, "{} bytes are reported", told.len());
}
