//! Attacks that no shell can make: this test program, started by a command.
#![allow(unsafe_code, reason = "the system calls that are to be refused have no safe face")]

use legwork_tools::sandbox::probe;

/// What it prints when an attack succeeds.
pub(super) const ESCAPED: &str = "ESCAPED";

/// Does what `ATTACK` says; by itself it does nothing.
#[test]
fn attack() {
    let Ok(attack) = std::env::var("ATTACK") else { return };
    let argument = std::env::var("ARGUMENT").expect("an argument");
    let escaped = match attack.as_str() {
        "socket" | "abstract" | "datagram" | "trace" | "scheduling" | "memory" | "namespace" => {
            probe::attempt(&attack, &argument)
        }
        "user_priority" => user_priority(),
        "shared" => shared(argument.parse().expect("a number")),
        "reserve" => reserve(&argument),
        "tables" => tables(argument.parse().expect("a number")),
        "every" => every(argument.parse().expect("a number")),
        "refused" => reached(argument.parse().expect("a number")),
        other => panic!("no attack {other}"),
    };
    if escaped {
        println!("{ESCAPED}");
    }
}

/// Changes the priority of every process of this user that it reaches; never tried as root,
/// whose processes are the machine's.
///
/// In a process namespace of its own the call succeeds and reaches only what is inside, so
/// that only a change outside proves an escape.
fn user_priority() -> bool {
    // SAFETY: no memory is passed.
    unsafe {
        if libc::geteuid() != 0 {
            libc::setpriority(libc::PRIO_USER, libc::geteuid(), 7);
        }
    }
    false
}

/// Makes a segment of shared memory and leaves it behind.
fn shared(bytes: usize) -> bool {
    // SAFETY: no memory is passed.
    unsafe { libc::shmget(libc::IPC_PRIVATE, bytes, libc::IPC_CREAT | 0o600) >= 0 }
}

/// Reserves room for a file without writing it, by requests from before `fallocate`.
fn reserve(path: &str) -> bool {
    /// `struct space_resv`: kind and whence, start, length, and what is not used.
    #[repr(C)]
    struct Room(i16, i16, i64, i64, [i32; 6]);
    const REQUESTS: [libc::c_ulong; 3] = [0x4030_5828, 0x4030_582a, 0x4030_5839];
    use std::os::fd::AsRawFd as _;
    let file = std::fs::File::create(path).expect("made");
    let room = Room(0, 0, 0, 10 << 20, [0; 6]);
    // SAFETY: the kernel reads the structure, which lives through the calls.
    REQUESTS
        .into_iter()
        .any(|request| unsafe { libc::ioctl(file.as_raw_fd(), request, &raw const room) == 0 })
}

/// Has the kernel keep so many MiB of tables, by reading one page of zeros at many places.
fn tables(megabytes: usize) -> bool {
    // A table of 4 KiB is for 2 MiB of addresses.
    const TABLE: usize = 4 << 10;
    const REACH: usize = 2 << 20;
    let count = (megabytes << 20) / TABLE;
    // SAFETY: the pages are new, and only read.
    unsafe {
        let (access, kind) =
            (libc::PROT_READ, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE);
        let start = libc::mmap(std::ptr::null_mut(), count * REACH, access, kind, -1, 0);
        assert!(start != libc::MAP_FAILED, "no room");
        // Else one page of 2 MiB would do without a table.
        libc::madvise(start, count * REACH, libc::MADV_NOHUGEPAGE);
        for at in 0..count {
            std::ptr::read_volatile(start.cast::<u8>().add(at * REACH));
        }
    }
    // What waits is ended from outside.
    std::thread::park();
    true
}

/// Tries every call with arguments that are wrong, each in a process of its own, and prints
/// which are refused, or reported as unknown or unsupported.
fn every(most: libc::c_long) -> bool {
    // They end the process, or act with any arguments.
    let left_out = [
        libc::SYS_exit,
        libc::SYS_exit_group,
        libc::SYS_fork,
        libc::SYS_vfork,
        libc::SYS_rt_sigreturn,
        libc::SYS_sync,
    ];
    let tried = (0..most).filter(|call| !left_out.contains(call));
    let refused: Vec<_> =
        tried.filter(|&call| is_refused(call)).map(|call| call.to_string()).collect();
    println!("REFUSED {}", refused.join(" "));
    false
}

/// The status of a process whose call was refused.
const REFUSED: libc::c_int = 77;

fn is_refused(call: libc::c_long) -> bool {
    // SAFETY: the child makes one call with arguments that name no memory, and ends; one that
    // waits is ended by its alarm.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            libc::alarm(2);
            let wrong: libc::c_long = -1;
            let outcome = libc::syscall(call, wrong, wrong, wrong, wrong, wrong, wrong);
            let error = *libc::__errno_location();
            let refusals = [libc::EPERM, libc::ENOSYS, libc::EOPNOTSUPP];
            let refused = outcome == -1 && refusals.contains(&error);
            libc::_exit(if refused { REFUSED } else { 0 });
        }
        let mut status = 0;
        libc::waitpid(child, &raw mut status, 0);
        libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == REFUSED
    }
}

/// Whether the kernel looks at a call, which without a filter it refuses for its arguments.
fn reached(number: libc::c_long) -> bool {
    let wrong: libc::c_long = -1;
    // SAFETY: no argument is a place in memory that could be written.
    let outcome = unsafe {
        match number {
            libc::SYS_ioctl => libc::syscall(number, wrong, 0x5412, 0, 0, 0),
            _ => libc::syscall(number, wrong, wrong, wrong, wrong, wrong),
        }
    };
    let error = std::io::Error::last_os_error().raw_os_error();
    outcome >= 0 || !matches!(error, Some(libc::EPERM | libc::ENOSYS))
}
