//! Several Legworks over one workspace, as in several processes: none puts back what another
//! one's command did.

use std::path::Path;
use std::thread;

use super::scene::{Scene, Walls, as_nobody, run};

/// How a command waits for a file.
const WAIT: &str = "await() { while ! test -e $1; do sleep 0.01; done; };";

fn wait_for(path: &Path) {
    while !path.exists() {
        thread::yield_now();
    }
}

/// What one does, and then another one that began meanwhile and ends later.
fn scene_of(first: &str, second: &str) -> Option<(Scene, String, String)> {
    let scene = Scene::new();
    let (one, other) = match (scene.bash(Walls::Landlock), scene.bash(Walls::Landlock)) {
        (Ok(one), Ok(other)) => (one, other),
        (Err(why), _) | (_, Err(why)) => {
            println!("skipped: {why}");
            return None;
        }
    };
    let work = scene.path("home/work");
    let first = format!("{WAIT} {first}; touch first; await second");
    let second = format!("{WAIT} touch second; await ended; {second}");
    let one = thread::spawn(move || run(&one, &first));
    wait_for(&work.join("first"));
    let other = thread::spawn(move || run(&other, &second));
    let first = one.join().expect("ran");
    std::fs::write(work.join("ended"), "").expect("written");
    let second = other.join().expect("ran");
    Some((scene, first, second))
}

fn none_puts_back_what_another_did() {
    let write = "echo lost >.git/hooks/pre-commit; echo lost >>.git/config; \
                 echo lost >.git/config.worktree";
    for (first, second) in [(write, "true"), ("true", write), (write, write)] {
        let Some((scene, one, other)) = scene_of(first, second) else { return };
        let at = |name: &str| scene.path("home/work/.git").join(name);
        let report = format!("{first} | {second}: {one} {other}");
        assert_eq!(std::fs::read(at("config")).expect("read"), b"[core]\n", "{report}");
        for name in ["hooks/pre-commit", "config.worktree"] {
            assert!(!at(name).exists(), "{name}: {report}");
        }
    }
}

#[test]
fn s13_4_none_of_two_puts_back_what_the_other_one_did() {
    none_puts_back_what_another_did();
}

#[test]
fn s13_4_nor_where_both_are_of_an_ordinary_user() {
    let test = concat!(module_path!(), "::s13_4_nor_where_both_are_of_an_ordinary_user");
    as_nobody(test, none_puts_back_what_another_did);
}

#[test]
fn s13_4_once_the_last_has_ended_a_person_may_change_it() {
    let Some((scene, _, _)) = scene_of("true", "true") else { return };
    let config = scene.path("home/work/.git/config");
    std::fs::write(&config, "[user]\n").expect("written");
    for _ in 0..2 {
        let Some(text) = scene.run(Walls::Landlock, "echo lost >>.git/config") else { return };
        assert!(text.contains("it was put back"), "{text}");
        assert_eq!(std::fs::read(&config).expect("read"), b"[user]\n", "{text}");
    }
}

#[test]
fn s13_4_nothing_is_left_of_what_was_written_down() {
    let Some((scene, _, _)) = scene_of("true", "true") else { return };
    let found = rustix::fs::stat(scene.path("home/work")).expect("there");
    let name = format!("{:x}-{:x}", found.st_dev, found.st_ino);
    let user = rustix::process::geteuid().as_raw();
    let places = [format!("/run/user/{user}"), "/run".to_owned(), "/tmp".to_owned()];
    let place = places.map(|place| format!("{place}/legwork-kept-{user}"));
    let place = place.iter().find(|place| Path::new(place).is_dir()).expect("a place");
    let names: Vec<_> = std::fs::read_dir(place).expect("made").flatten().collect();
    let left = names.iter().filter(|entry| entry.file_name().to_string_lossy() == name);
    assert_eq!(left.count(), 0);
    let gate = names.iter().find(|entry| entry.file_name() == "gate").expect("a gate");
    let mode = std::os::unix::fs::MetadataExt::mode(&gate.metadata().expect("there"));
    assert_eq!(mode & 0o777, 0o600);
}
