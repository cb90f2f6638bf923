//! `legwork sessions diff`: what a session changed, and how to take it back.

use std::fs;
use std::process::Command;

use legwork_testkit::{Server, Turn};
use serde_json::json;

use crate::home::{Home, Ran, fed};

/// A session that wrote, edited and ran a command.
fn worked() -> (Home, String) {
    let home = Home::new();
    fs::write(home.work().join("notes.txt"), "one\ntwo\nthree\n").unwrap();
    let edits = json!([{"old": "two", "new": "zwei"}]);
    let server = Server::start([
        Turn::call("write", json!({"path": "new.txt", "content": "made\n"})),
        Turn::call("edit", json!({"path": "notes.txt", "edits": edits})),
        Turn::call("bash", json!({"command": "echo more >>new.txt; rm -f nothing"})),
        Turn::text("done"),
    ])
    .unwrap();
    let ran = home.ran_with(&server, &["run", "--json", "--sandbox", "off", "Work"]).ends(0);
    let session = ran.session();
    (home, session)
}

const PATCH: &str = "\
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1,2 @@
+made
+more
diff --git a/notes.txt b/notes.txt
--- a/notes.txt
+++ b/notes.txt
@@ -1,3 +1,3 @@
 one
-two
+zwei
 three
";

#[test]
fn a_session_tells_what_it_changed_and_git_takes_it_back() {
    let (home, session) = worked();
    let ran = home.ran(&["sessions", "diff", &session]).ends(0);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), (PATCH, ""));
    let mut git = Command::new("git");
    git.args(["apply", "-R"]).current_dir(home.work()).env("HOME", home.work());
    fed(git, ran.out.as_bytes()).ends(0);
    assert_eq!(fs::read_to_string(home.work().join("notes.txt")).unwrap(), "one\ntwo\nthree\n");
    assert!(!home.work().join("new.txt").exists());
    // What happened stays told: it is read from the journal, not from the disk.
    assert_eq!(home.ran(&["sessions", "diff", &session[..13]]).ends(0).out, PATCH);
}

#[test]
fn programs_get_a_file_a_line_and_people_may_ask_for_the_sum() {
    let (home, session) = worked();
    let ran = home.ran(&["sessions", "diff", "--json", &session]).ends(0);
    let files = ran.events();
    assert_eq!(files.len(), 2);
    assert_eq!((&files[0]["path"], &files[0]["before"]), (&json!("new.txt"), &json!(null)));
    assert_eq!((&files[1]["added"], &files[1]["removed"]), (&json!(1), &json!(1)));
    assert_eq!(files[1]["before"]["bytes"], json!(14));
    let stat = home.ran(&["sessions", "diff", "--stat", &session]).ends(0);
    let lines =
        "+2 -0        new.txt\n+1 -1        notes.txt\n2 files, 3 lines added, 1 line removed\n";
    assert_eq!(stat.out, lines);
}

fn nothing(ran: Ran) {
    assert_eq!(ran.out, "");
}

#[test]
fn a_session_without_changes_says_so() {
    let (home, server) = (Home::new(), Server::start([Turn::text("hello")]).unwrap());
    let session = home.ran_with(&server, &["run", "--json", "Greet"]).ends(0).session();
    nothing(
        home.ran(&["sessions", "diff", &session]).ends(0).says("no changes of files are recorded"),
    );
    nothing(home.ran(&["sessions", "diff", "--json", &session]).ends(0));
    nothing(home.ran(&["sessions", "diff", "no-such"]).ends(2).says("there is no session no-such"));
}
