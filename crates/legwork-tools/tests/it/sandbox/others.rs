//! Processes and objects of the kernel outside: none is reached, none is left behind.

use std::process::Command;

use legwork_tools::sandbox::Limits;

use super::helper::ESCAPED;
use super::scene::{Scene, Walls, as_nobody, run};

const BOTH: [Walls; 2] = [Walls::Bubblewrap, Walls::Landlock];

/// The scheduling of a process, as the kernel reports it.
fn standing(process: u32) -> String {
    let read =
        |name: &str| std::fs::read_to_string(format!("/proc/{process}/{name}")).expect("read");
    let stat = read("stat");
    let fields: Vec<_> = stat.rsplit_once(')').expect("a name").1.split_whitespace().collect();
    let status = read("status");
    let cpus = status.lines().find(|line| line.starts_with("Cpus_allowed:")).expect("read");
    // Priority, nice and policy.
    format!("{} {:?} {cpus}", read("limits"), [15, 16, 38].map(|at| fields.get(at)))
}

fn processes(walls: Walls) {
    let scene = Scene::new();
    let before = standing(scene.victim.id());
    let attack = scene.helper("scheduling", &scene.victim.id().to_string());
    for attack in [&attack, &scene.helper("user_priority", "x")] {
        let Some(text) = scene.run(walls, attack) else { return };
        assert!(text.contains("1 passed"), "{walls:?}: {text}");
        assert!(!text.contains(ESCAPED), "{walls:?}: {text}");
        assert_eq!(standing(scene.victim.id()), before, "{walls:?}");
    }
    let text = scene.run(Walls::None, &attack).expect("no walls");
    assert!(text.contains(ESCAPED) && standing(scene.victim.id()) != before, "{text}");
}

#[test]
fn s13_5_limits_and_scheduling_of_others_stay() {
    BOTH.into_iter().for_each(processes);
}

#[test]
fn s13_5_limits_and_scheduling_of_others_stay_as_an_ordinary_user() {
    let test =
        concat!(module_path!(), "::s13_5_limits_and_scheduling_of_others_stay_as_an_ordinary_user");
    as_nobody(test, || BOTH.into_iter().for_each(processes));
}

/// A process may still set its own.
#[test]
fn s13_5_a_process_sets_its_own_limits_and_priority() {
    for walls in BOTH {
        let scene = Scene::new();
        let command = "ulimit -n 100 && ulimit -n && nice -n 5 nice && taskset 1 echo bound";
        let Some(text) = scene.run(walls, command) else { continue };
        assert!(text.starts_with("100\n5\nbound\n"), "{walls:?}: {text}");
    }
}

fn datagrams(walls: Walls) {
    let scene = Scene::new();
    let path = scene.path("outside/datagram");
    let server = std::os::unix::net::UnixDatagram::bind(&path).expect("bound");
    server.set_nonblocking(true).expect("set");
    let attack = scene.helper("datagram", &scene.at("outside/datagram"));
    let Some(text) = scene.run(walls, &attack) else { return };
    assert!(text.contains("1 passed"), "{walls:?}: {text}");
    assert_eq!(text.contains(ESCAPED), walls == Walls::None, "{walls:?}: {text}");
    assert_eq!(server.recv(&mut [0; 9]).is_ok(), walls == Walls::None, "{walls:?}: {text}");
}

#[test]
fn s13_5_a_pair_of_datagram_or_raw_sockets_reaches_no_server() {
    [Walls::None, Walls::Bubblewrap, Walls::Landlock].into_iter().for_each(datagrams);
}

fn segments() -> usize {
    let report = Command::new("cat").arg("/proc/sysvipc/shm").output().expect("read").stdout;
    String::from_utf8_lossy(&report).lines().count()
}

#[test]
fn s13_5_no_shared_memory_is_left_behind() {
    for walls in BOTH {
        let scene = Scene::new();
        let before = segments();
        let attack = scene.helper("shared", "4096");
        let Some(text) = scene.run(walls, &attack) else { continue };
        assert!(text.contains("1 passed"), "{walls:?}: {text}");
        assert_eq!(segments(), before, "{walls:?}: {text}");
        // A small one is usable where it is the command's own.
        assert_eq!(text.contains(ESCAPED), walls == Walls::Bubblewrap, "{walls:?}: {text}");
    }
}

fn memory(walls: Walls) {
    let scene = Scene::new();
    let Some(text) = scene.run(walls, &scene.helper("memory", "x")) else { return };
    assert!(text.contains("1 passed") && !text.contains(ESCAPED), "{walls:?}: {text}");
}

#[test]
fn s13_6_no_memory_is_had_that_counts_for_no_process() {
    BOTH.into_iter().for_each(memory);
}

fn private(places: &[&str]) {
    for place in places {
        let scene = Scene::new();
        let bash = match scene.bash(Walls::Bubblewrap) {
            Ok(bash) => bash.with_limits(Limits::default().with_memory(64 << 20)),
            Err(why) => return println!("skipped: {why}"),
        };
        let fill =
            format!("cd {place} && head -c 200M /dev/zero >file; wc -c <file; sleep 1000; :");
        let text = run(&bash, &fill);
        assert!(text.contains("[killed: more than 64 MiB of memory]"), "{place}: {text}");
    }
}

#[test]
fn s13_6_what_lies_in_private_directories_counts_as_memory() {
    private(&["/tmp", "/var/tmp", "/dev/shm", "~"]);
}

#[test]
fn s13_6_what_lies_in_private_directories_counts_as_an_ordinary_user() {
    let test = concat!(
        module_path!(),
        "::s13_6_what_lies_in_private_directories_counts_as_an_ordinary_user"
    );
    as_nobody(test, || private(&["/tmp"]));
}

#[test]
fn s13_6_a_private_directory_that_a_killed_process_left_is_removed() {
    use std::os::unix::fs::DirBuilderExt as _;
    let left = std::path::Path::new("/tmp/legwork-00000000deadbeef");
    let others = std::path::Path::new("/tmp/legwork-notes");
    for place in [left, others] {
        // From a run of this test that was killed.
        let _ = std::fs::remove_dir_all(place);
        std::fs::DirBuilder::new().mode(0o700).create(place).expect("made");
        std::fs::write(place.join("file"), "").expect("written");
    }
    // Where there are both sandboxes, both make such directories.
    let scene = Scene::new();
    let Some(text) = scene.run(Walls::Landlock, "echo $TMPDIR") else { return };
    assert!(!left.exists(), "{text}");
    assert!(others.join("file").exists(), "{text}");
    std::fs::remove_dir_all(others).expect("removed");
}
