//! The guard: a process between us and a command that outlives neither.
//!
//! It is forked from the process that starts the command and becomes the
//! parent of the command. It holds the reading end of a pipe, the *lifeline*,
//! whose only writing end is ours: when we die, by SIGKILL too, or let go of
//! it, the guard reads its end. Then, and when the command has ended, it kills
//! every process that came of the command. As their *subreaper* it inherits
//! those that left the group, the session or their parent, so none escapes.
//! At last it ends the way the command did.
//!
//! A death signal alone would not do: it fires when the *thread* that forked
//! ends, and reaches only the child, not what the child has started.
//!
//! Unsafe code: between `fork` and `exec` only calls that are safe in a signal
//! handler may be made. Nothing here allocates, locks or panics.
#![allow(
    unsafe_code,
    reason = "fork, signal masks and closing inherited files have no safe wrapper"
)]

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    DumpableBehavior, Pid, Signal, WaitOptions, WaitStatus, getpid, getppid, kill_process,
    set_child_subreaper, set_dumpable_behavior, set_parent_process_death_signal, setsid, wait,
};

use super::census::Census;
use super::private::Private;
use super::restrict::Restriction;
use super::watch::{Excess, TICK, Watch};

/// How often the guard looks for survivors without any dying before it gives
/// up: those left cannot be killed (another user's, or stuck in the kernel).
const FRUITLESS_PASSES: u32 = 40;
/// How long one such look waits for deaths.
const PASS: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// What a guard holds.
#[derive(Debug)]
pub(super) struct Post {
    /// Read to its end, it makes the guard kill.
    pub(super) lifeline: OwnedFd,
    /// Receives a byte that says which limit was exceeded.
    pub(super) report: OwnedFd,
    /// Put on by the command, not by the guard.
    pub(super) restriction: Restriction,
    /// What of the command's own lies in memory.
    pub(super) private: Private,
}

/// Lets `command` run under a guard.
pub(super) fn install(command: &mut tokio::process::Command, post: Post) {
    // SAFETY: `set_up` keeps to calls that are safe after `fork`, see above.
    unsafe {
        command.pre_exec(move || set_up(&post));
    }
}

/// Forks: the parent stays as the guard for ever, the child returns to `exec`.
fn set_up(post: &Post) -> io::Result<()> {
    set_mask(libc::SIG_BLOCK)?;
    setsid()?;
    set_child_subreaper(Some(getpid()))?;
    // Our memory, copied into the guard, is closed to what the command runs.
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    let deaths = deaths()?;
    let guard = getpid();
    match fork()? {
        Some(command) => watch(command, post, deaths.as_fd()),
        None => become_command(guard, &post.restriction),
    }
}

fn become_command(guard: Pid, restriction: &Restriction) -> io::Result<()> {
    setsid()?;
    set_parent_process_death_signal(Some(Signal::KILL))?;
    if getppid() != Some(guard) {
        return Err(io::ErrorKind::BrokenPipe.into());
    }
    // Files that we inherited open, without the flag, are not the command's.
    // Kernels before 5.11 refuse; then only files opened without it leak.
    let _ = close_from(3, libc::CLOSE_RANGE_CLOEXEC);
    restriction.put_on()?;
    set_mask(libc::SIG_UNBLOCK)
}

fn watch(command: Pid, post: &Post, deaths: BorrowedFd<'_>) -> ! {
    let ready = rustix::stdio::dup2_stdin(&post.lifeline)
        .and(rustix::stdio::dup2_stdout(deaths))
        .and(rustix::stdio::dup2_stderr(&post.report));
    let census = ready.and_then(|()| Census::new());
    let Ok(census) = census else {
        let _ = kill_process(command, Signal::KILL);
        leave(None);
    };
    // Everything else goes: pipes whose end others wait for, locks that die
    // with the process that took them, the lifelines of other guards.
    close_others();
    let _ = rustix::thread::set_name(c"legwork-guard");
    let mut watch = Watch::new(census, post.restriction.limits, &post.private);
    let mut status = None;
    while status.is_none() && next_wake(&mut watch) == Wake::Deaths {
        if reap(command, &mut status).is_none() {
            break;
        }
    }
    kill_descendants(command, &mut status, watch.into_census());
    leave(status)
}

/// What ended a wait of the guard.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wake {
    /// A child may have exited.
    Deaths,
    /// The lifeline was closed, or a limit was exceeded.
    End,
}

/// Waits for a death, the end of the lifeline, or a limit that is passed.
fn next_wake(watch: &mut Watch<'_>) -> Wake {
    let lifeline = rustix::stdio::stdin();
    let deaths = rustix::stdio::stdout();
    let mut waited = [PollFd::new(&lifeline, PollFlags::IN), PollFd::new(&deaths, PollFlags::IN)];
    let polled = poll(&mut waited, Some(&TICK));
    // Children that exit all the time must not keep us from checking the limits.
    if let Some(excess) = watch.excess() {
        report(excess);
        return Wake::End;
    }
    match polled {
        Ok(_) | Err(Errno::INTR) => {}
        Err(_) => return Wake::End,
    }
    let [lifeline, deaths] = waited;
    if !deaths.revents().is_empty() {
        drain_deaths();
    }
    if lifeline.revents().is_empty() { Wake::Deaths } else { Wake::End }
}

fn report(excess: Excess) {
    // The pipe is empty, so the write fails only if the reader is gone.
    let _ = rustix::io::write(rustix::stdio::stderr(), &[excess.as_byte()]);
}

/// Reaps what has died; how many, or none when no child is left.
fn reap(command: Pid, status: &mut Option<WaitStatus>) -> Option<u32> {
    let mut reaped = 0_u32;
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, ended))) => {
                reaped = reaped.saturating_add(1);
                if pid == command {
                    *status = Some(ended);
                }
            }
            Err(Errno::INTR) => {}
            Err(_) => return None,
            Ok(None) => return Some(reaped),
        }
    }
}

/// Kills until no process is left. Orphans of a killed process become our children,
/// and are found on the next pass.
///
/// All are stopped before any is killed: while some die, others would fork.
fn kill_descendants(command: Pid, status: &mut Option<WaitStatus>, mut census: Census) {
    let mut fruitless = 0;
    while fruitless < FRUITLESS_PASSES {
        match reap(command, status) {
            None => return,
            Some(0) => fruitless += 1,
            Some(_) => fruitless = 0,
        }
        match census.take() {
            Ok(()) => {
                census.signal(Signal::STOP);
                census.signal(Signal::KILL);
            }
            Err(_) if status.is_none() => {
                let _ = kill_process(command, Signal::KILL);
            }
            Err(_) => {}
        }
        let deaths = rustix::stdio::stdout();
        let _ = poll(&mut [PollFd::new(&deaths, PollFlags::IN)], Some(&PASS));
        drain_deaths();
    }
}

/// Ends the guard as the command ended; as killed when that is not known.
fn leave(status: Option<WaitStatus>) -> ! {
    if let Some(code) = status.and_then(WaitStatus::exit_status) {
        // SAFETY: `_exit` runs nothing of ours and does not return.
        unsafe { libc::_exit(code) }
    }
    let signal = status.and_then(WaitStatus::terminating_signal).unwrap_or(libc::SIGKILL);
    // SAFETY: plain calls; not dumpable, so no core is written. The signal is
    // delivered on unblocking; `_exit` follows for one that is ignored.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::kill(libc::getpid(), signal);
        let _ = set_mask(libc::SIG_UNBLOCK);
        libc::_exit(128_i32.saturating_add(signal))
    }
}

fn set_mask(how: libc::c_int) -> io::Result<()> {
    // SAFETY: the set is filled before it is read; only a mask changes.
    let outcome = unsafe {
        let mut all = MaybeUninit::<libc::sigset_t>::uninit();
        libc::sigfillset(all.as_mut_ptr());
        libc::sigprocmask(how, all.as_ptr(), std::ptr::null_mut())
    };
    if outcome == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// A file that becomes readable when a child dies.
fn deaths() -> io::Result<OwnedFd> {
    // SAFETY: the set is emptied before it is read; the new file is ours.
    unsafe {
        let mut set = MaybeUninit::<libc::sigset_t>::uninit();
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), libc::SIGCHLD);
        let file = libc::signalfd(-1, set.as_ptr(), libc::SFD_NONBLOCK | libc::SFD_CLOEXEC);
        if file < 0 { Err(io::Error::last_os_error()) } else { Ok(OwnedFd::from_raw_fd(file)) }
    }
}

fn drain_deaths() {
    let mut one = [0_u8; 128];
    while matches!(rustix::io::read(rustix::stdio::stdout(), &mut one), Ok(1..)) {}
}

/// The bare system call: the library's `fork` would take locks that another
/// thread of the process we were forked from may have held.
fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: no shared memory and no stack of its own: a plain fork. The
    // child makes system calls only, until it is replaced by `exec`.
    let pid = unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) };
    match i32::try_from(pid) {
        Ok(0) => Ok(None),
        Ok(pid) if pid > 0 => Ok(Pid::from_raw(pid)),
        _ => Err(io::Error::last_os_error()),
    }
}

fn close_from(first: libc::c_uint, flags: libc::c_uint) -> io::Result<()> {
    // SAFETY: no code uses these files in this process after the call.
    let outcome = unsafe { libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, flags) };
    if outcome == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn close_others() {
    if close_from(3, 0).is_ok() {
        return;
    }
    // Before kernel 5.9: one by one, as far as a file could have a number.
    let most = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let most = most.and_then(|most| i32::try_from(most).ok()).unwrap_or(65_536);
    for file in 3..most {
        // SAFETY: no code uses these files in this process after the call.
        unsafe { libc::close(file) };
    }
}
