//! What a command cannot reach behind the walls.

use std::net::TcpListener;
use std::path::Path;

use legwork_tools::sandbox::{Bubblewrap, Error};
use legwork_tools::{Bash, Environment, Sandbox};

use crate::fixture::{Fixture, environment, ok, refused};

/// A shell behind walls, or none with a line that says why.
fn walled(place: &Fixture, environment: Environment) -> Option<Bash> {
    if let Err(why) = Bubblewrap::new(&environment).check(&place.path("")) {
        println!("skipped: {why}");
        return None;
    }
    let sandbox = Sandbox::bubblewrap(&environment);
    Some(Bash::new(place.workspace(), environment, sandbox))
}

#[tokio::test]
async fn the_workspace_is_writable_and_nothing_else() {
    let (place, other) = (Fixture::new(), Fixture::new());
    let Some(bash) = walled(&place, environment()) else { return };
    let outside = other.path("file");
    let private = format!("/tmp/legwork-walls-{}", std::process::id());
    let command = format!(
        "echo kept >inside; echo lost >{private} && echo private tmp; touch {} /usr/x /etc/x /x; echo over",
        outside.display()
    );
    let text = ok!(bash, { "command": command });
    assert!(text.starts_with("private tmp\n") && text.ends_with("over\n"), "{text}");
    assert_eq!(text.matches("Read-only file system").count(), 3, "{text}");
    assert_eq!(std::fs::read_to_string(place.path("inside")).expect("written"), "kept\n");
    assert!(!outside.exists() && !Path::new(&private).exists());
}

#[tokio::test]
async fn there_is_no_network() {
    let place = Fixture::new();
    let Some(bash) = walled(&place, environment()) else { return };
    let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
    let port = listener.local_addr().expect("an address").port();
    let reach = format!("(exec 3<>/dev/tcp/127.0.0.1/{port}) && echo reached");
    let open = place.bash();
    assert_eq!(ok!(open, { "command": reach.clone() }), "reached\n");
    assert!(!ok!(bash, { "command": reach }).contains("reached"));
}

#[tokio::test]
async fn other_processes_and_the_parents_memory_are_out_of_sight() {
    let place = Fixture::new();
    let Some(bash) = walled(&place, environment()) else { return };
    let text = ok!(bash, { "command": "cat /proc/[0-9]*/comm | sort -u | tr '\\n' ' '" });
    for name in text.split_whitespace() {
        assert!(["bash", "bwrap", "cat", "sort", "tr"].contains(&name), "{text}");
    }
    let text = ok!(bash, { "command": "grep -h CapEff /proc/self/status" });
    assert_eq!(text, "CapEff:\t0000000000000000\n");
}

#[tokio::test]
async fn keys_of_the_home_are_hidden() {
    let home = Fixture::new();
    std::fs::create_dir(home.path(".ssh")).expect("made");
    home.write(".ssh/id", "key").write(".netrc", "token");
    let environment = environment().with("HOME", home.path(""));
    let Some(bash) = walled(&home, environment) else { return };
    let text = ok!(bash, { "command": "cat .netrc; ls -A .ssh; echo over" });
    assert!(!text.contains("token") && !text.contains("id") && text.ends_with("over\n"), "{text}");
}

#[tokio::test]
async fn status_and_limits_hold_behind_walls_too() {
    let place = Fixture::new();
    let Some(bash) = walled(&place, environment()) else { return };
    assert_eq!(ok!(bash, { "command": "exit 9" }), "[exit code 9]");
    let bash = bash.with_grace(std::time::Duration::from_secs(60));
    // Takes its time, so that walls that fell first would be noticed.
    let asked = "trap 'for i in $(seq 200); do /bin/true; done; echo bye; exit 0' TERM; while :; do sleep 1000 & wait; done";
    let text = refused!(bash, { "command": asked, "timeout": 1 });
    assert_eq!(text, "bye\n[timed out after 1 s, asked to end and did]");
}

#[tokio::test]
async fn without_a_sandbox_nothing_runs() {
    let place = Fixture::new();
    let environment = environment();
    let none = Sandbox::bubblewrap(&Environment::default());
    let text =
        refused!(Bash::new(place.workspace(), environment, none), { "command": "touch ran" });
    assert!(
        text.contains("`bwrap` is not on the PATH") && text.contains("--sandbox off"),
        "{text}"
    );
    assert!(!place.path("ran").exists());
}

#[tokio::test]
async fn a_broken_sandbox_says_what_it_said() {
    let (place, programs) = (Fixture::new(), Fixture::new());
    programs.write("bwrap", "#!/bin/sh\necho setting up uid map: Permission denied >&2\nexit 1\n");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(programs.path("bwrap"), executable).expect("set");
    let path = format!("{}:/usr/bin:/bin", programs.path("").display());
    let environment = Environment::default().with("PATH", path);
    let sandbox = Sandbox::bubblewrap(&environment);
    let text =
        refused!(Bash::new(place.workspace(), environment, sandbox), { "command": "touch ran" });
    assert!(text.contains("setting up uid map: Permission denied"), "{text}");
    assert!(!place.path("ran").exists());
}

#[test]
fn the_whole_file_system_is_not_a_workspace_to_confine() {
    let place = Fixture::new();
    if walled(&place, environment()).is_none() {
        return;
    }
    let refused = Bubblewrap::new(&environment()).check(Path::new("/"));
    assert!(matches!(refused, Err(Error::TooWide { .. })), "{refused:?}");
}
