//! Attempts that no shell can make, and what they need outside.
#![allow(unsafe_code, reason = "the calls that are to be refused have no safe wrapper")]

use std::io;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixStream};

/// Makes an attempt from inside of a sandbox; true if it succeeded.
///
/// A name that is not known is an attempt that fails.
#[must_use]
pub fn attempt(name: &str, argument: &str) -> bool {
    let number = argument.parse().unwrap_or(-1);
    match name {
        "truncate" => truncate(argument),
        "socket" => UnixStream::connect(argument).is_ok(),
        "abstract" => SocketAddr::from_abstract_name(argument)
            .and_then(|address| UnixStream::connect_addr(&address))
            .is_ok(),
        "datagram" => datagram(argument),
        "trace" => trace(number),
        "scheduling" => scheduling(number),
        "shared" => shared(number),
        "memory" => memory_file(),
        "namespace" => namespace(),
        "calls" => calls(),
        _ => false,
    }
}

fn truncate(path: &str) -> bool {
    std::ffi::CString::new(path).is_ok_and(|path| {
        // SAFETY: the path ends with a NUL and lives through the call.
        unsafe { libc::truncate(path.as_ptr(), 0) == 0 }
    })
}

/// Sends to a server by one end of each kind of pair of sockets.
fn datagram(path: &str) -> bool {
    let Ok(family) = u16::try_from(libc::AF_UNIX) else { return false };
    let mut address = libc::sockaddr_un { sun_family: family, sun_path: [0; 108] };
    for (to, from) in address.sun_path.iter_mut().zip(path.bytes()) {
        *to = from.cast_signed();
    }
    let Ok(length) = u32::try_from(size_of_val(&address)) else { return false };
    [libc::SOCK_DGRAM, libc::SOCK_RAW].into_iter().any(|kind| {
        let mut pair = [-1; 2];
        // SAFETY: the pair has room for two, and the address is as long as it says.
        unsafe {
            libc::socketpair(libc::AF_UNIX, kind, 0, pair.as_mut_ptr()) == 0
                && libc::sendto(
                    pair.first().copied().unwrap_or(-1),
                    b"lost".as_ptr().cast(),
                    4,
                    libc::MSG_NOSIGNAL,
                    (&raw const address).cast(),
                    length,
                ) == 4
        }
    })
}

fn trace(victim: libc::pid_t) -> bool {
    let nothing = std::ptr::null_mut::<u8>();
    // SAFETY: no memory is passed; the tracer ends at once, which detaches.
    unsafe { libc::ptrace(libc::PTRACE_SEIZE, victim, nothing, nothing) == 0 }
}

fn scheduling(victim: libc::pid_t) -> bool {
    let mut done = false;
    // SAFETY: the kernel reads what the pointers name, which live through the calls.
    unsafe {
        let limit = libc::rlimit { rlim_cur: 3_000, rlim_max: 3_000 };
        done |=
            libc::prlimit(victim, libc::RLIMIT_CPU, &raw const limit, std::ptr::null_mut()) == 0;
        done |= libc::setpriority(libc::PRIO_PROCESS, victim.cast_unsigned(), 7) == 0;
        let mut cpus: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(0, &mut cpus);
        done |= libc::sched_setaffinity(victim, size_of_val(&cpus), &raw const cpus) == 0;
        let parameters = libc::sched_param { sched_priority: 0 };
        done |= libc::sched_setscheduler(victim, libc::SCHED_BATCH, &raw const parameters) == 0;
        done |= libc::syscall(libc::SYS_ioprio_set, 1, victim, 3 << 13) == 0;
    }
    done
}

/// Attaches a segment of the machine's.
fn shared(segment: libc::c_int) -> bool {
    // SAFETY: the kernel chooses the address; nothing is read or written there.
    unsafe { libc::shmat(segment, std::ptr::null(), libc::SHM_RDONLY) as isize != -1 }
}

fn memory_file() -> bool {
    // SAFETY: the name ends with a NUL and lives through the call; no memory is passed else.
    unsafe {
        let shared = libc::shmget(libc::IPC_PRIVATE, 200 << 20, libc::IPC_CREAT | 0o600);
        let kept = shared >= 0;
        if kept {
            libc::shmctl(shared, libc::IPC_RMID, std::ptr::null_mut());
        }
        kept || libc::memfd_create(c"probe".as_ptr(), 0) >= 0
    }
}

/// By `unshare`, and by `clone` of a child that ends at once.
fn namespace() -> bool {
    // SAFETY: plain calls; the child has a copy of our memory and leaves.
    unsafe {
        let child = libc::syscall(libc::SYS_clone, libc::CLONE_NEWUSER | libc::SIGCHLD, 0, 0, 0, 0);
        if child == 0 {
            libc::_exit(0);
        }
        child > 0 || libc::unshare(libc::CLONE_NEWUSER) == 0
    }
}

/// Whether the kernel looks at calls that it refuses, without a filter, for their arguments.
fn calls() -> bool {
    const CALLS: [libc::c_long; 6] = [
        libc::SYS_ioctl,
        libc::SYS_keyctl,
        libc::SYS_bpf,
        libc::SYS_io_uring_setup,
        libc::SYS_userfaultfd,
        libc::SYS_perf_event_open,
    ];
    CALLS.into_iter().any(|call| {
        let wrong: libc::c_long = -1;
        // SAFETY: no argument is a place in memory that could be written.
        let outcome = unsafe {
            match call {
                libc::SYS_ioctl => libc::syscall(call, wrong, 0x5412, 0, 0, 0),
                _ => libc::syscall(call, wrong, wrong, wrong, wrong, wrong),
            }
        };
        let error = io::Error::last_os_error().raw_os_error();
        outcome >= 0 || !matches!(error, Some(libc::EPERM | libc::ENOSYS))
    })
}

/// A segment of shared memory of the machine's, removed when dropped.
pub(super) struct Segment(libc::c_int);

impl Segment {
    pub(super) fn new() -> io::Result<Self> {
        // SAFETY: no memory is passed.
        let made = unsafe { libc::shmget(libc::IPC_PRIVATE, 4_096, libc::IPC_CREAT | 0o600) };
        if made < 0 { Err(io::Error::last_os_error()) } else { Ok(Self(made)) }
    }

    pub(super) fn id(&self) -> libc::c_int {
        self.0
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        // SAFETY: no memory is passed. One that is gone needs not go.
        unsafe { libc::shmctl(self.0, libc::IPC_RMID, std::ptr::null_mut()) };
    }
}
