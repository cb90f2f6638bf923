//! Attacks that no shell can make: this test program, started by a command.
#![allow(unsafe_code, reason = "the system calls that are to be refused have no safe face")]

use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixStream};

/// What it prints when an attack succeeds.
pub(super) const ESCAPED: &str = "ESCAPED";

/// Does what `ATTACK` says; by itself it does nothing.
#[test]
fn attack() {
    let Ok(attack) = std::env::var("ATTACK") else { return };
    let argument = std::env::var("ARGUMENT").expect("an argument");
    let escaped = match attack.as_str() {
        "socket" => UnixStream::connect(argument).is_ok(),
        "abstract" => {
            let address = SocketAddr::from_abstract_name(argument).expect("a name");
            UnixStream::connect_addr(&address).is_ok()
        }
        "datagram" => {
            let (one, _other) = UnixDatagram::pair().unzip_or_none();
            one.is_some_and(|one| one.connect(argument).is_ok())
        }
        "ptrace" => ptrace(argument.parse().expect("a number")),
        "userns" => userns(),
        "raw" => raw_pair(&argument),
        "others" => others(argument.parse().expect("a number")),
        "shared" => shared(argument.parse().expect("a number")),
        "memory" => memory_file(argument.parse().expect("a number")),
        "every" => every(argument.parse().expect("a number")),
        "refused" => reached(argument.parse().expect("a number")),
        other => panic!("no attack {other}"),
    };
    if escaped {
        println!("{ESCAPED}");
    }
}

/// A pair of raw sockets, which for Unix are datagrams, one of which is sent from.
fn raw_pair(path: &str) -> bool {
    let mut pair = [0; 2];
    let mut address = libc::sockaddr_un { sun_family: libc::AF_UNIX as u16, sun_path: [0; 108] };
    for (to, from) in address.sun_path.iter_mut().zip(path.bytes()) {
        *to = from.cast_signed();
    }
    // SAFETY: the pair has room for two, and the address is as long as it says.
    unsafe {
        libc::socketpair(libc::AF_UNIX, libc::SOCK_RAW, 0, pair.as_mut_ptr()) == 0
            && libc::sendto(
                pair[0],
                b"lost".as_ptr().cast(),
                4,
                0,
                (&raw const address).cast(),
                size_of_val(&address) as u32,
            ) == 4
    }
}

/// Changes limits, priorities, affinity and scheduling of another process.
fn others(victim: libc::pid_t) -> bool {
    let mut done = false;
    // SAFETY: the kernel reads what the pointers name, which live through the calls.
    unsafe {
        let limit = libc::rlimit { rlim_cur: 3_000, rlim_max: 3_000 };
        done |=
            libc::prlimit(victim, libc::RLIMIT_CPU, &raw const limit, std::ptr::null_mut()) == 0;
        let target = victim.cast_unsigned();
        done |= libc::setpriority(libc::PRIO_PROCESS, target, 7) == 0;
        // Of all that this user runs; root's are left alone, should it succeed.
        if libc::geteuid() != 0 {
            libc::setpriority(libc::PRIO_USER, libc::geteuid(), 7);
        }
        let mut cpus: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(0, &mut cpus);
        done |= libc::sched_setaffinity(victim, size_of_val(&cpus), &raw const cpus) == 0;
        let parameters = libc::sched_param { sched_priority: 0 };
        done |= libc::sched_setscheduler(victim, libc::SCHED_BATCH, &raw const parameters) == 0;
        done |= libc::syscall(libc::SYS_ioprio_set, 1, victim, 3 << 13) == 0;
    }
    done
}

/// Makes a segment of shared memory and leaves it behind.
fn shared(bytes: usize) -> bool {
    // SAFETY: no memory is passed.
    unsafe { libc::shmget(libc::IPC_PRIVATE, bytes, libc::IPC_CREAT | 0o600) >= 0 }
}

/// Fills a file in memory that no process has mapped.
fn memory_file(bytes: usize) -> bool {
    use std::io::Write as _;
    use std::os::fd::FromRawFd as _;
    // SAFETY: the name ends, and the new file is ours.
    let file = unsafe {
        let file = libc::memfd_create(c"kept".as_ptr(), 0);
        if file < 0 {
            return false;
        }
        std::fs::File::from_raw_fd(file)
    };
    let chunk = vec![b'x'; 1 << 20];
    for _ in 0..bytes >> 20 {
        (&file).write_all(&chunk).expect("written");
    }
    true
}

trait Unzip<T> {
    fn unzip_or_none(self) -> (Option<T>, Option<T>);
}

impl<T> Unzip<T> for std::io::Result<(T, T)> {
    fn unzip_or_none(self) -> (Option<T>, Option<T>) {
        self.ok().unzip()
    }
}

fn ptrace(victim: libc::pid_t) -> bool {
    let nothing = std::ptr::null_mut::<u8>();
    // SAFETY: no memory is passed; the tracer ends at once, which detaches.
    unsafe { libc::ptrace(libc::PTRACE_SEIZE, victim, nothing, nothing) == 0 }
}

/// By `unshare`, and by `clone` of a child that ends at once.
fn userns() -> bool {
    // SAFETY: plain calls; the child has a copy of our memory and leaves.
    unsafe {
        let flags = libc::CLONE_NEWUSER | libc::SIGCHLD;
        let child = libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0);
        if child == 0 {
            libc::_exit(0);
        }
        child > 0 || libc::unshare(libc::CLONE_NEWUSER) == 0
    }
}

/// Tries every call with arguments that are wrong, each in a process of its own, and prints
/// which are refused or told to be unknown.
fn every(most: libc::c_long) -> bool {
    // They end the process, or do something whatever their arguments are.
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
            let refused = outcome == -1 && (error == libc::EPERM || error == libc::ENOSYS);
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
