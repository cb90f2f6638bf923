//! A system call that waits until something else has happened.
#![allow(unsafe_code, reason = "the kernel's notifications of system calls have no safe face")]

use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::sync::mpsc::{Sender, channel};

/// `SECCOMP_IOCTL_NOTIF_RECV` and `SECCOMP_IOCTL_NOTIF_SEND`.
const RECEIVE: libc::c_ulong = 0xc050_2100;
const SEND: libc::c_ulong = 0xc018_2101;

/// Runs work in which each of these calls waits until `during` has run; it gets how many
/// there were before. What it says after all of them is returned.
pub(super) fn at_each<T: Send>(
    calls: &[libc::c_long],
    work: impl FnOnce() -> T + Send,
    mut during: impl FnMut(usize),
) -> T {
    std::thread::scope(|scope| {
        let (sender, receiver) = channel();
        let worker = scope.spawn(move || {
            listen(calls, &sender);
            drop(sender);
            work()
        });
        let listener = receiver.recv().expect("a listener");
        let mut count = 0_usize;
        while let Some(id) = received(&listener) {
            during(count);
            count += 1;
            go_on(&listener, id);
        }
        worker.join().expect("no panic")
    })
}

/// Lets this thread, and those that it starts, wait at these calls.
fn listen(calls: &[libc::c_long], sender: &Sender<OwnedFd>) {
    let step = |code: u32, jt: u8, jf: u8, k: u32| libc::sock_filter {
        code: u16::try_from(code).expect("small"),
        jt,
        jf,
        k,
    };
    // The number of the call, compared with each; a match waits.
    let mut program = vec![step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0)];
    for call in calls {
        let number = u32::try_from(*call).expect("a number");
        program.push(step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 1, number));
        program.push(step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_USER_NOTIF));
    }
    program.push(step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW));
    let length = u16::try_from(program.len()).expect("short");
    let program = libc::sock_fprog { len: length, filter: program.as_mut_ptr() };
    // SAFETY: the program outlives the call, which copies it; the descriptor is new and ours.
    let listener = unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        let flags = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
        let mode = libc::SECCOMP_SET_MODE_FILTER;
        let fd = libc::syscall(libc::SYS_seccomp, mode, flags, &raw const program);
        assert!(fd >= 0, "{}", std::io::Error::last_os_error());
        OwnedFd::from_raw_fd(i32::try_from(fd).expect("a descriptor"))
    };
    sender.send(listener).expect("awaited");
}

/// The next call that waits; none when all threads that could make one are gone.
fn received(listener: &OwnedFd) -> Option<u64> {
    let mut waiting = libc::pollfd { fd: listener.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    loop {
        // SAFETY: one entry, which lives as long as the call; then a structure of the size
        // that the number of the request names, which must be zero.
        unsafe {
            if libc::poll(&raw mut waiting, 1, -1) < 0 {
                continue;
            }
            if waiting.revents & libc::POLLIN == 0 {
                return None;
            }
            let mut notification: libc::seccomp_notif = std::mem::zeroed();
            if libc::ioctl(listener.as_raw_fd(), RECEIVE, &raw mut notification) == 0 {
                return Some(notification.id);
            }
        }
    }
}

fn go_on(listener: &OwnedFd, id: u64) {
    let flags = u32::try_from(libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE).expect("a flag");
    let answer = libc::seccomp_notif_resp { id, val: 0, error: 0, flags };
    // SAFETY: a structure of the size that the number of the request names.
    let sent = unsafe { libc::ioctl(listener.as_raw_fd(), SEND, &raw const answer) };
    assert_eq!(sent, 0, "{}", std::io::Error::last_os_error());
}
