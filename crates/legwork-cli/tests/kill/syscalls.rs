//! The command, killed at one system call after the other that writes its journal.
//!
//! Calls are counted by thread: where the store is made, that thread comes first; where
//! it is there already, it is the one that appends.

use crate::counts;
use crate::scene::{Ended, Scene};
use crate::shell::Shell;
use crate::story::Story;
use crate::trace;

/// Kills runs as they enter a system call: the first, and from there one in `stride`,
/// until one is not killed any more.
fn check(name: &str, stride: usize, make: fn() -> Scene<Shell>) {
    if !trace::works() {
        return;
    }
    let undisturbed = Story::undisturbed();
    let (mut kills, mut early) = (0, 0);
    loop {
        let mut scene = make();
        let first = killed_entering(&mut scene, name, 1 + kills * stride);
        let over = first.code.is_some();
        scene.look();
        early += usize::from(scene.session.is_none());
        let ended = if over { first } else { scene.finishes() };
        Story::of(&scene, &ended).holds(&undisturbed);
        if over {
            break;
        }
        kills += 1;
    }
    assert!(kills > 0);
    println!("legwork killed entering {name}: {kills} times, {early} before there was a session");
}

fn killed_entering(scene: &mut Scene<Shell>, name: &str, which: usize) -> Ended {
    let trace = format!("trace={name}");
    let inject = format!("inject={name}:signal=SIGKILL:when={which}");
    let options = ["-e", &trace, "-e", &inject];
    let command = trace::under(&options, &scene.file("trace"), &scene.begin());
    scene.start_by(command);
    scene.end()
}

/// A store with nothing in it.
fn made() -> Scene<Shell> {
    let scene = Scene::<Shell>::new();
    drop(legwork::store::open(&format!("sqlite:{}", scene.store().display())).unwrap());
    scene
}

/// All of them when many kills are wanted, else few.
fn one_in(many: usize, few: usize) -> usize {
    if counts::kills() >= 30 { many } else { few }
}

#[test]
fn s10_1_killed_entering_any_sync_it_goes_on_where_it_was() {
    check("fsync", one_in(1, 9), made);
}

#[test]
fn s10_1_killed_entering_any_sync_with_a_new_store_it_goes_on_where_it_was() {
    check("fsync", one_in(1, 11), Scene::new);
}

#[test]
fn s8_4_killed_entering_any_write_it_goes_on_where_it_was() {
    check("pwrite64", one_in(3, 41), made);
}

#[test]
fn s8_4_killed_entering_any_write_with_a_new_store_it_goes_on_where_it_was() {
    check("pwrite64", one_in(5, 43), Scene::new);
}
