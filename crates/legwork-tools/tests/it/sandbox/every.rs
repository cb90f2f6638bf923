//! Every system call and every place, tried from inside, compared with the page.

use std::collections::{BTreeMap, BTreeSet};

use super::scene::{Scene, Walls, as_nobody};

const BOTH: [Walls; 2] = [Walls::Bubblewrap, Walls::Landlock];
const PAGE: &str = include_str!("../../../../../docs/sandbox.md");

/// Those of the page, by name.
macro_rules! numbers {
    ($($name:ident: $call:ident),* $(,)?) => {
        [$((stringify!($name), libc::$call)),*]
    };
}

fn numbers() -> BTreeMap<&'static str, libc::c_long> {
    BTreeMap::from(numbers! {
        acct: SYS_acct, add_key: SYS_add_key, adjtimex: SYS_adjtimex, bpf: SYS_bpf,
        chroot: SYS_chroot, clock_adjtime: SYS_clock_adjtime, clock_settime: SYS_clock_settime,
        clone: SYS_clone, clone3: SYS_clone3, delete_module: SYS_delete_module,
        fallocate: SYS_fallocate,
        finit_module: SYS_finit_module, fsconfig: SYS_fsconfig, fsmount: SYS_fsmount,
        fsopen: SYS_fsopen, fspick: SYS_fspick, init_module: SYS_init_module,
        io_uring_enter: SYS_io_uring_enter, io_uring_register: SYS_io_uring_register,
        io_uring_setup: SYS_io_uring_setup, ioprio_set: SYS_ioprio_set,
        kexec_file_load: SYS_kexec_file_load, kexec_load: SYS_kexec_load, keyctl: SYS_keyctl,
        memfd_create: SYS_memfd_create, memfd_secret: SYS_memfd_secret, mount: SYS_mount,
        mount_setattr: SYS_mount_setattr, move_mount: SYS_move_mount, mq_open: SYS_mq_open,
        msgctl: SYS_msgctl, msgget: SYS_msgget, msgrcv: SYS_msgrcv, msgsnd: SYS_msgsnd,
        open_by_handle_at: SYS_open_by_handle_at, open_tree: SYS_open_tree,
        perf_event_open: SYS_perf_event_open, pivot_root: SYS_pivot_root,
        prlimit64: SYS_prlimit64, quotactl: SYS_quotactl, reboot: SYS_reboot,
        request_key: SYS_request_key, sched_setaffinity: SYS_sched_setaffinity,
        sched_setattr: SYS_sched_setattr, sched_setparam: SYS_sched_setparam,
        sched_setscheduler: SYS_sched_setscheduler, semctl: SYS_semctl, semget: SYS_semget,
        semop: SYS_semop, semtimedop: SYS_semtimedop, setns: SYS_setns,
        setpriority: SYS_setpriority, settimeofday: SYS_settimeofday, shmat: SYS_shmat,
        shmctl: SYS_shmctl, shmget: SYS_shmget, socket: SYS_socket, socketpair: SYS_socketpair,
        swapoff: SYS_swapoff, swapon: SYS_swapon, umount2: SYS_umount2, unshare: SYS_unshare,
        userfaultfd: SYS_userfaultfd, vhangup: SYS_vhangup,
    })
}

/// The names that a paragraph of the page lists.
fn listed(begin: &str) -> BTreeSet<libc::c_long> {
    let (_, text) = PAGE.split_once(begin).expect("a paragraph");
    let (text, _) = text.split_once("\n\n").unwrap_or((text, ""));
    let numbers = numbers();
    let names = text.split('`').skip(1).step_by(2);
    let known = |name: &str| numbers.get(name).copied();
    let unknown: Vec<_> = names.clone().filter(|name| known(name).is_none()).collect();
    assert!(unknown.is_empty(), "no number is known for {unknown:?}");
    names.filter_map(known).collect()
}

/// The calls that are refused, or reported as unknown, with wrong arguments.
fn refused(scene: &Scene, walls: Walls) -> Option<BTreeSet<libc::c_long>> {
    let text = scene.run(walls, &scene.helper("every", "470"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("REFUSED "));
    assert!(line.is_some(), "{text}");
    let numbers = line.unwrap_or_default().split_whitespace();
    Some(numbers.map(|number| number.parse().expect("a number")).collect())
}

fn calls(walls: Walls) {
    let scene = Scene::new();
    let Some(found) = refused(&scene, walls) else { return };
    // An ordinary user is refused some anyway.
    let anyway = refused(&scene, Walls::None).expect("no walls");
    let mut report = listed("These system calls are refused");
    if walls == Walls::Landlock {
        report.extend(listed("Behind Landlock these, too"));
    }
    let unexpected: Vec<_> =
        found.difference(&anyway).filter(|call| !report.contains(call)).collect();
    assert!(
        unexpected.is_empty(),
        "{walls:?} refuses, and the page does not say so: {unexpected:?}"
    );
    let missing: Vec<_> = report.difference(&found).collect();
    assert!(missing.is_empty(), "{walls:?} does not refuse, and the page says so: {missing:?}");
}

#[test]
fn s13_13_every_system_call_is_refused_or_not_as_the_page_says() {
    let test =
        concat!(module_path!(), "::s13_13_every_system_call_is_refused_or_not_as_the_page_says");
    as_nobody(test, || BOTH.into_iter().for_each(calls));
}

/// Every directory and file that can be written, from the root down.
fn places(walls: Walls) {
    let scene = Scene::new();
    let find = "find / \\( -path /proc -o -path /sys -o -path /dev/pts \\) -prune -o -writable ! -type l \
        ! -type c -print 2>/dev/null; echo \"$TMPDIR\"; echo over";
    let Some(text) = scene.run(walls, find) else { return };
    let mut lines: Vec<_> = text.lines().take_while(|line| *line != "over").collect();
    let temp = lines.pop().expect("a directory").to_owned();
    assert!(lines.len() > 3, "{text}");
    let home = scene.at("home");
    let work = scene.at("home/work");
    let private = match walls {
        Walls::Bubblewrap => vec!["/tmp", "/var/tmp", "/dev/shm", &home],
        _ => vec![],
    };
    // Devices that reach no process; a listing takes what they are mounted over for files.
    let devices = ["null", "zero", "full", "random", "urandom", "tty"];
    let device =
        |line: &str| line.strip_prefix("/dev/").is_some_and(|name| devices.contains(&name));
    for line in lines.into_iter().filter(|line| !device(line)) {
        let own = line.starts_with(&work) || line.starts_with(&temp);
        // The kernel says that root may write all; what it then lets root do, escapes.rs tries.
        let asked = private.iter().any(|private| line.starts_with(private));
        assert!(own || asked, "{walls:?}: {line} can be written");
    }
}

#[test]
fn s13_13_every_place_that_can_be_written_is_on_the_page() {
    // Landlock does not change what access(2) says.
    places(Walls::Bubblewrap);
}

#[test]
fn s13_13_every_place_that_can_be_written_by_an_ordinary_user() {
    let test =
        concat!(module_path!(), "::s13_13_every_place_that_can_be_written_by_an_ordinary_user");
    as_nobody(test, || places(Walls::Bubblewrap));
}
