//! What runs in the background is held as what is waited for.

use legwork_tools::sandbox::Limits;
use serde_json::json;

use super::scene::{Scene, Walls, as_nobody};
use crate::background::Shell;
use crate::fixture::Watch;

const ALL: [Walls; 3] = [Walls::None, Walls::Bubblewrap, Walls::Landlock];

/// The classic, each of whose members holds a pipe open.
const BOMB: &str = "exec 9>alive; echo lit >&9; f() { f | f & }; f; sleep 1000";

/// Everything that it prints, and how it ended.
fn ran(shell: &Shell, command: &str) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let id = shell.start(command).await;
        let mut text = String::new();
        loop {
            let read = shell.read(json!({ "id": id, "wait": 60 })).await;
            text += &read;
            if !read.contains("running for ") {
                return text;
            }
        }
    })
}

fn bombs() {
    for walls in ALL {
        let scene = Scene::new();
        let Ok(bash) = scene.bash(walls) else { continue };
        let watch = Watch::new(&scene.path("home/work/alive"));
        let shell = Shell::new(bash.with_limits(Limits::default().with_processes(128)));
        let text = ran(&shell, BOMB);
        assert!(text.ends_with(", killed: more than 128 processes]"), "{walls:?}: {text}");
        watch.all_gone();
    }
}

#[test]
fn a_fork_bomb_in_the_background_is_killed() {
    bombs();
}

#[test]
fn a_fork_bomb_in_the_background_as_an_ordinary_user() {
    let test = concat!(module_path!(), "::a_fork_bomb_in_the_background_as_an_ordinary_user");
    as_nobody(test, bombs);
}

#[test]
fn a_command_in_the_background_that_takes_too_much_memory_is_killed() {
    // The shell stays to the end: as the last command `sleep` would take its place.
    let hog = "x=$(head -c 80000000 /dev/zero | tr '\\0' x); echo ${#x}; sleep 1000; :";
    let scene = Scene::new();
    let bash = scene.bash(Walls::None).expect("no walls");
    let shell = Shell::new(bash.with_limits(Limits::default().with_memory(64 << 20)));
    let text = ran(&shell, hog);
    assert!(text.ends_with(", killed: more than 64 MiB of memory]"), "{text}");
}

#[test]
fn the_walls_stand_in_the_background_too() {
    let attack = "cat ../secret; echo lost >../../outside/kept; echo x >.git/hooks/h; echo here";
    for walls in [Walls::Bubblewrap, Walls::Landlock] {
        let scene = Scene::new();
        let bash = match scene.bash(walls) {
            Ok(bash) => bash,
            Err(why) => {
                println!("skipped: {why}");
                continue;
            }
        };
        let text = ran(&Shell::new(bash), attack);
        assert!(text.contains("here\n") && !text.contains("the secret"), "{walls:?}: {text}");
        assert_eq!(std::fs::read_to_string(scene.path("outside/kept")).expect("read"), "kept");
    }
}

#[test]
fn what_the_walls_do_not_hold_is_reported_when_it_starts() {
    let scene = Scene::new();
    let bash = match scene.bash(Walls::Landlock) {
        Ok(bash) => bash,
        Err(why) => return println!("skipped: {why}"),
    };
    let background = legwork_tools::Background::default();
    let bash = bash.with_background(&background);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let arguments = json!({ "command": "true", "background": true });
    let report = runtime.expect("a runtime").block_on(crate::fixture::call(&bash, &arguments));
    assert!(
        report.to_text().contains("\n[the sandbox here, landlock, does not hold: "),
        "{report:?}"
    );
}
