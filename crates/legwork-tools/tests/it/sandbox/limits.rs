//! What a command may take of the machine: processes, memory, output, time.

use legwork_port::Tool as _;
use legwork_tools::sandbox::{Bound, Limits};

use super::scene::{Scene, Walls, as_nobody, is_root, run};
use crate::fixture::Watch;

const ALL: [Walls; 3] = [Walls::None, Walls::Bubblewrap, Walls::Landlock];

/// The classic, each of whose members holds a pipe open.
const BOMB: &str = "exec 9>alive; echo lit >&9; f() { f | f & }; f; sleep 1000";

fn bomb(walls: Walls) {
    let scene = Scene::new();
    let bash = match scene.bash(walls) {
        Ok(bash) => bash,
        Err(why) => return println!("skipped: {why}"),
    };
    let watch = Watch::new(&scene.path("home/work/alive"));
    let bash = bash.with_limits(Limits::default().with_processes(128));
    let text = run(&bash, BOMB);
    assert!(text.contains("[killed: more than 128 processes]"), "{walls:?}: {text}");
    watch.all_gone();
}

macro_rules! bombs {
    ($($name:ident: $walls:ident),*) => {$(mod $name {
        use super::*;

        #[test]
        fn a_fork_bomb_as_root() {
            match is_root() {
                true => bomb(Walls::$walls),
                false => println!("skipped: not root"),
            }
        }

        #[test]
        fn a_fork_bomb_as_an_ordinary_user() {
            let test = concat!(module_path!(), "::a_fork_bomb_as_an_ordinary_user");
            as_nobody(test, || bomb(Walls::$walls));
        }
    })*};
}

bombs! { none: None, bubblewrap: Bubblewrap, landlock: Landlock }

const UNGROUPED: &str = "LEGWORK_TOOLS_TEST_UNGROUPED";

/// Root has no limit of processes of its own, so where no control group can be
/// made nothing but the guard is between a bomb and the machine.
#[test]
fn a_fork_bomb_as_root_where_no_control_group_can_be_made() {
    if std::env::var_os(UNGROUPED).is_some() {
        assert_eq!(Bound::here(), Bound::Nothing);
        return [Walls::None, Walls::Landlock].into_iter().for_each(bomb);
    }
    if Bound::here() != Bound::ControlGroup {
        return println!("skipped: no control group to keep the bomb in, should the guard fail");
    }
    let this = std::env::current_exe().expect("a name");
    let script = format!(
        "set -e; place=/sys/fs/cgroup/pids/keep-$$; mkdir $place; trap 'rmdir $place' EXIT; \
         echo 3000 >$place/pids.max; (echo 0 >$place/cgroup.procs; exec bwrap --ro-bind / / \
         --dev-bind /dev /dev --bind /tmp /tmp {} --exact {} --nocapture)",
        this.display(),
        "sandbox::limits::a_fork_bomb_as_root_where_no_control_group_can_be_made"
    );
    if !std::path::Path::new("/sys/fs/cgroup/pids").is_dir() {
        return println!("skipped: the control groups here are not those of version 1");
    }
    let output =
        std::process::Command::new("bash").args(["-c", &script]).env(UNGROUPED, "1").output();
    let output = output.expect("started");
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    if text.contains("bwrap: ") {
        return println!("skipped: {text}");
    }
    assert!(text.contains("1 passed"), "{text}");
}

#[test]
fn within_its_limit_it_may_have_many_processes() {
    for walls in ALL {
        let scene = Scene::new();
        let many = "for i in $(seq 60); do sleep 1000 & done; echo $(jobs -p | wc -l)";
        let Ok(bash) = scene.bash(walls) else { continue };
        assert_eq!(first_line(&run(&bash, many)), "60", "{walls:?}");
    }
}

#[test]
fn a_command_that_takes_too_much_memory_is_killed() {
    // Each pass holds what was read so far twice.
    // The shell stays to the end: as the last command `sleep` would take its place.
    let hog = "x=$(head -c 80000000 /dev/zero | tr '\\0' x); echo ${#x}; sleep 1000; :";
    for walls in ALL {
        let scene = Scene::new();
        let Ok(bash) = scene.bash(walls) else { continue };
        let bash = bash.with_limits(Limits::default().with_memory(64 << 20));
        let text = run(&bash, hog);
        assert!(text.contains("[killed: more than 64 MiB of memory]"), "{walls:?}: {text}");
    }
}

fn ten_gigabytes(walls: Walls) {
    let scene = Scene::new();
    let Some(text) = scene.run(walls, "head -c 10G /dev/zero") else { return };
    assert!(text.len() < 100_000, "{} bytes are shown", text.len());
    assert!(text.contains("of 10737418240 bytes left out"), "{walls:?}");
}

#[test]
fn ten_gigabytes_of_output_are_counted_not_kept() {
    ten_gigabytes(Walls::Bubblewrap);
}

#[test]
fn ten_gigabytes_of_output_by_landlock_are_counted_not_kept() {
    ten_gigabytes(Walls::Landlock);
}

#[test]
fn limits_of_the_kernel_are_set() {
    for walls in ALL {
        let scene = Scene::new();
        let asked = "ulimit -c; ulimit -f; ulimit -n | awk '{ print ($1 <= 65536) }'";
        let Some(text) = scene.run(walls, asked) else { continue };
        let lines: Vec<_> = text.lines().take(3).collect();
        // The shell counts blocks of 1 KiB.
        assert_eq!(lines, ["0", "2097152", "1"], "{walls:?}: {text}");
    }
}

#[test]
fn a_file_cannot_be_larger_than_its_limit() {
    let scene = Scene::new();
    let text = scene.run(Walls::None, "truncate -s 17G big; echo $?").expect("no walls");
    assert!(!text.starts_with('0'), "{text}");
}

#[test]
fn the_description_says_what_a_command_may_do() {
    let scene = Scene::new();
    for walls in [Walls::Bubblewrap, Walls::Landlock] {
        let Ok(bash) = scene.bash(walls) else { continue };
        let report = bash.spec().description.to_string();
        assert!(report.contains("runs in a sandbox") && report.contains("no network"), "{report}");
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Whether the kernel counts what processes write to the file system of a place.
fn counts_writing(place: &std::path::Path) -> bool {
    let report = || {
        let io = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
        let line = io.lines().find_map(|line| line.strip_prefix("write_bytes: "));
        line.and_then(|bytes| bytes.parse::<u64>().ok()).unwrap_or_default()
    };
    let before = report();
    std::fs::write(place.join("trial"), vec![b'x'; 1 << 20]).expect("written");
    std::fs::remove_file(place.join("trial")).expect("removed");
    report() >= before + (1 << 20)
}

fn writing(walls: Walls) {
    let scene = Scene::new();
    let Ok(bash) = scene.bash(walls) else { return };
    if !counts_writing(&scene.path("home/work")) {
        return println!("skipped: what is written to this file system is not counted");
    }
    let bash = bash.with_limits(Limits::default().with_written(64 << 20));
    // By processes that end, and over the same file: what is there in the end is little.
    let many =
        "for i in $(seq 20); do head -c 10M /dev/zero >file; done; echo wrote; sleep 1000; :";
    let text = run(&bash, many);
    assert!(text.contains("[killed: wrote more than 64 MiB to a disk]"), "{walls:?}: {text}");
    let text = run(&bash, "head -c 10M /dev/zero >file; wc -c <file");
    assert!(text.starts_with("10485760\n"), "{walls:?}: {text}");
    let text = run(&bash, "head -c 100M /dev/zero >large; wc -c <large");
    assert!(!text.contains("104857600"), "{walls:?}: {text}");
}

#[test]
fn s13_6_a_command_that_writes_too_much_is_killed() {
    ALL.into_iter().for_each(writing);
}

#[test]
fn s13_6_a_command_that_writes_too_much_as_an_ordinary_user() {
    let test =
        concat!(module_path!(), "::s13_6_a_command_that_writes_too_much_as_an_ordinary_user");
    as_nobody(test, || ALL.into_iter().for_each(writing));
}

/// Room that is reserved is no less than room that is written, and is counted as such.
fn reserving(walls: Walls) {
    let scene = Scene::new();
    let Ok(bash) = scene.bash(walls) else { return };
    let text = run(&bash, "fallocate -l 10M file; echo $(stat -c %b file)");
    assert!(text.contains("not supported\n0\n"), "{walls:?}: {text}");
    let text = run(&bash, &scene.helper("reserve", "file"));
    assert!(!text.contains("ESCAPED"), "{walls:?}: {text}");
    if !counts_writing(&scene.path("home/work")) {
        return println!("skipped: what is written to this file system is not counted");
    }
    // Programs take what the standard library does instead: it writes.
    let bash = bash.with_limits(Limits::default().with_written(64 << 20));
    let many = "for i in $(seq 20); do fallocate -x -l 10M file$i; done; echo all; sleep 1000; :";
    let text = run(&bash, many);
    assert!(text.contains("[killed: wrote more than 64 MiB to a disk]"), "{walls:?}: {text}");
}

#[test]
fn s13_6_room_that_is_reserved_counts() {
    [Walls::Bubblewrap, Walls::Landlock].into_iter().for_each(reserving);
}

#[test]
fn s13_6_tables_of_pages_count_as_memory() {
    for walls in ALL {
        let scene = Scene::new();
        let Ok(bash) = scene.bash(walls) else { continue };
        let bash = bash.with_limits(Limits::default().with_memory(100 << 20));
        let text = run(&bash, &scene.helper("tables", "200"));
        assert!(text.contains("[killed: more than 100 MiB of memory]"), "{walls:?}: {text}");
    }
}

#[test]
fn s13_6_empty_files_in_private_directories_count_as_memory() {
    let scene = Scene::new();
    let Ok(bash) = scene.bash(Walls::Bubblewrap) else { return };
    let bash = bash.with_limits(Limits::default().with_memory(100 << 20));
    let many = "mkdir /tmp/d; cd /tmp/d; seq 200000 | xargs touch; sleep 1000; :";
    let text = run(&bash, many);
    assert!(text.contains("[killed: more than 100 MiB of memory]"), "{text}");
}
