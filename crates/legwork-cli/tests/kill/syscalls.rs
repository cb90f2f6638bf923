//! The command, killed at one system call after the other that writes its journal.

use crate::counts;
use crate::scene::{Ended, Scene};
use crate::shell::Shell;
use crate::story::Story;
use crate::trace;

/// Kills each run as it enters a system call: the first, and from there one in `stride`.
fn check(name: &str, stride: usize) {
    if !trace::works() {
        return;
    }
    let undisturbed = Story::undisturbed();
    let mut kills = 0;
    loop {
        let mut scene = Scene::<Shell>::new();
        let first = killed_entering(&mut scene, name, 1 + kills * stride);
        let over = first.code.is_some();
        let ended = if over { first } else { resumed(&mut scene) };
        Story::of(&scene, &ended).holds(&undisturbed);
        if over {
            break;
        }
        kills += 1;
    }
    assert!(kills > 0);
    println!("legwork killed entering {name}: {kills} times, one in {stride}");
}

fn killed_entering(scene: &mut Scene<Shell>, name: &str, which: usize) -> Ended {
    let trace = format!("trace={name}");
    let inject = format!("inject={name}:signal=SIGKILL:when={which}");
    let options = ["-e", &trace, "-e", &inject];
    let command = trace::under(&options, &scene.file("trace"), &scene.begin());
    scene.start_by(command);
    scene.end()
}

fn resumed(scene: &mut Scene<Shell>) -> Ended {
    scene.look();
    scene.finishes()
}

/// All of them when many kills are wanted, else few.
fn one_in(many: usize, few: usize) -> usize {
    if counts::kills() >= 30 { many } else { few }
}

#[test]
fn s10_1_killed_entering_any_sync_it_goes_on_where_it_was() {
    check("fsync", one_in(1, 9));
}

#[test]
fn s8_4_killed_entering_any_write_it_goes_on_where_it_was() {
    check("pwrite64", one_in(3, 41));
}
