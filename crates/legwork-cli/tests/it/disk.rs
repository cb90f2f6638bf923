//! Disks that are full or may not be written: real ones, in a mount namespace of our own.

use std::fs;
use std::process::Command;

use legwork_testkit::{Server, Turn};
use serde_json::json;

use crate::home::{Home, Ran, ran};

/// Runs a shell script in a namespace where it may mount; none where that is not allowed.
fn in_namespace(home: &Home, server: &Server, script: &str) -> Option<Ran> {
    let trial =
        Command::new("unshare").args(["-rm", "mount", "-t", "tmpfs", "none", "/mnt"]).output();
    if !trial.is_ok_and(|trial| trial.status.success()) {
        println!("skipped: nothing can be mounted here");
        return None;
    }
    let legwork = home.with(server, &[]);
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-euc", script]).env_clear();
    command.envs(legwork.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("LEGWORK", env!("CARGO_BIN_EXE_legwork")).env("LEGWORK_STORE", "sqlite:/mnt/s.db");
    command.current_dir(home.work());
    Some(ran(command))
}

#[test]
fn a_full_disk_loses_nothing_and_is_gone_on_from() {
    let home = Home::new();
    fs::write(home.work().join("big"), "0123456789abcdef\n".repeat(2_000)).unwrap();
    let read = Turn::call("read", json!({"path": "big"}));
    let turns = [vec![read; 12], vec![Turn::text("Done.")]].concat();
    let server = Server::start(turns).unwrap();
    let script = "mount -t tmpfs -o size=400k none /mnt
        set +e
        $LEGWORK run --json Work > first; echo $?
        mount -o remount,size=40m /mnt
        id=$(grep -o '\"session\":\"[^\"]*' first | head -1 | cut -d'\"' -f4)
        $LEGWORK resume $id; echo $?";
    let Some(ran) = in_namespace(&home, &server, script) else { return };
    assert_eq!(ran.out, "1\nDone.\n0\n", "{}", ran.err);
    let first = fs::read_to_string(home.work().join("first")).unwrap();
    let lines: Vec<_> = first.lines().rev().take(2).collect();
    assert!(
        lines[0].contains("execution_interrupted") && lines[0].contains("in_progress"),
        "{first}"
    );
    assert!(lines[1].contains("the disk is full") && lines[1].contains("\"hint\""), "{first}");
}

#[test]
fn a_store_that_may_only_be_read_is_not_run_in_and_can_be_looked_at() {
    let home = Home::new();
    let server = Server::start([Turn::text("Done."), Turn::text("More.")]).unwrap();
    let script = "mount -t tmpfs none /mnt
        $LEGWORK run Work
        mount -o remount,ro /mnt
        set +e
        $LEGWORK run --session $($LEGWORK sessions list --json | cut -d'\"' -f4) More; echo $?
        $LEGWORK sessions list | grep -o completed";
    let Some(ran) = in_namespace(&home, &server, script) else { return };
    assert_eq!(ran.out, "Done.\n1\ncompleted\n", "{}", ran.err);
    ran.says("it can only be read").says("hint: name another store");
    assert_eq!(server.requests().len(), 1);
}
