//! Each promise of the sandboxes, tried from inside by `doctor --sandbox`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use legwork::port::Sandbox;
use legwork::port::sandbox::{self, Confined};
use legwork::tools::Environment;
use legwork::tools::sandbox::probe::{Found, Helper, PROMISES, try_all};
use serde_json::Value;

use crate::home::{Home, Ran, ran};

/// The user that owns nothing.
const NOBODY: u32 = 65_534;

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The command where every user reaches it.
fn for_everybody(dir: &Path) -> PathBuf {
    fs::set_permissions(dir, fs::Permissions::from_mode(0o755)).unwrap();
    let program = dir.join("legwork");
    fs::copy(env!("CARGO_BIN_EXE_legwork"), &program).unwrap();
    program
}

/// Holds what came of a trial against what is promised; skips a sandbox that does not work.
fn check(told: &Ran) {
    let lines: Vec<Value> =
        told.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2, "{told:?}");
    let mut works = false;
    for line in &lines {
        let outcomes = line["promises"].as_array().unwrap();
        assert_eq!(outcomes.len(), PROMISES.len());
        if outcomes.iter().all(|one| one["found"] == "untried") {
            println!("skipped: {}: {}", line["sandbox"], outcomes[0]["why"]);
            continue;
        }
        works = true;
        assert_eq!(line["ok"], true, "{line}");
        for one in outcomes {
            let expected = if one["promised"] == true { "held" } else { "not_held" };
            assert_eq!(one["found"], expected, "{}: {one}", line["sandbox"]);
        }
    }
    assert_eq!(told.code, Some(if works { 0 } else { 1 }), "{told:?}");
}

#[test]
fn s13_13_each_promise_is_tried_and_found_as_it_is_told() {
    check(&Home::new().ran(&["doctor", "--sandbox", "--json"]));
}

#[test]
fn s13_13_each_promise_as_an_ordinary_user() {
    if !is_root() {
        println!("skipped: not root, so the other test is the same");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let mut command = Command::new(for_everybody(dir.path()));
    command.args(["doctor", "--sandbox", "--json"]).env_clear().current_dir("/");
    command.env("HOME", dir.path()).env("PATH", "/usr/local/bin:/usr/bin:/bin");
    check(&ran({
        command.uid(NOBODY).gid(NOBODY);
        command
    }));
}

/// No walls at all.
struct Nothing;

impl Sandbox for Nothing {
    fn name(&self) -> &str {
        "nothing"
    }

    fn confine(
        &self,
        _: &Path,
        command: Vec<std::ffi::OsString>,
    ) -> Result<Confined, sandbox::Error> {
        Ok(command.into())
    }
}

/// An attempt that fails without walls would say nothing of walls.
#[tokio::test]
async fn s13_13_each_attempt_succeeds_where_there_are_no_walls() {
    let environment =
        Environment::default().with("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin");
    let program = PathBuf::from(env!("CARGO_BIN_EXE_legwork"));
    let helper = Helper { program: &program, arguments: "doctor --attempt" };
    let found = try_all(|_, _| Arc::new(Nothing), &environment, &helper).await.unwrap();
    assert_eq!(found.len(), PROMISES.len());
    for (promise, found) in found {
        // What only root may do, an ordinary user cannot without walls either.
        if promise.name == "machine" && !is_root() {
            continue;
        }
        assert_eq!(found, Found::NotHeld, "{}", promise.name);
    }
}

/// The table of the page says of each promise what was found.
#[test]
fn s13_13_the_page_says_the_same() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/sandbox.md");
    let page = fs::read_to_string(page).unwrap();
    let rows: Vec<Vec<&str>> = page
        .lines()
        .filter(|line| line.starts_with("| "))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    for promise in PROMISES {
        let row = rows.iter().find(|row| row.get(1) == Some(&promise.words));
        let row = row.unwrap_or_else(|| panic!("no row for: {}", promise.words));
        for (sandbox, cell) in ["bubblewrap", "landlock"].into_iter().zip(&row[2..]) {
            let told = !cell.contains("**not held**");
            let held = !promise.not_held_by.contains(&sandbox);
            assert_eq!(told, held, "{sandbox}: {}", promise.words);
        }
    }
}

#[test]
fn doctor_tells_people_what_is_held() {
    let told = Home::new().ran(&["doctor", "--sandbox"]);
    assert!(told.out.contains("bubblewrap\n") && told.out.contains("landlock\n"), "{told:?}");
    let help = Home::new().ran(&["doctor", "--help"]);
    assert!(help.out.contains("--sandbox") && !help.out.contains("--attempt"), "{help:?}");
}
