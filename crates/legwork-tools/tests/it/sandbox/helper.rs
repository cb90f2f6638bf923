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
        "refused" => reached(argument.parse().expect("a number")),
        other => panic!("no attack {other}"),
    };
    if escaped {
        println!("{ESCAPED}");
    }
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
