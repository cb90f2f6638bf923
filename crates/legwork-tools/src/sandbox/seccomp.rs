//! System calls that no build needs and that reach out of the walls.
//!
//! What is refused is named, all else is allowed: a list of what builds need
//! would have to know every tool and every kernel to come.

use seccompiler::SeccompCmpArgLen::{Dword, Qword};
use seccompiler::SeccompCmpOp::{self, Eq, Gt, MaskedEq, Ne};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};

/// Refused whatever their arguments: keys, programs in the kernel, mounts,
/// modules, the clock, other ways round what is refused here.
const REFUSED: &[libc::c_long] = &[
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_adjtimex,
    libc::SYS_bpf,
    libc::SYS_chroot,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_finit_module,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_init_module,
    libc::SYS_kexec_file_load,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    libc::SYS_perf_event_open,
    libc::SYS_pivot_root,
    libc::SYS_quotactl,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_setns,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_umount2,
    libc::SYS_userfaultfd,
    libc::SYS_vhangup,
];

/// Told to be unknown, so that programs fall back to what can be looked into:
/// flags of `clone3` and the work of `io_uring` lie in memory, and what lies in a
/// file of `memfd_create` counts for no process.
const UNKNOWN: [libc::c_long; 6] = [
    libc::SYS_clone3,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
];

/// Refused as unsupported, so that programs write instead: space that is reserved and not
/// written is counted for no process.
const UNSUPPORTED: [libc::c_long; 1] = [libc::SYS_fallocate];
/// The same by `ioctl`: `FS_IOC_RESVSP`, `FS_IOC_RESVSP64`, `FS_IOC_ZERO_RANGE`.
const RESERVING: [u64; 3] = [0x4030_5828, 0x4030_582a, 0x4030_5839];

/// Message queues: they hold memory that counts for no process.
const MESSAGES: [libc::c_long; 5] =
    [libc::SYS_msgget, libc::SYS_msgsnd, libc::SYS_msgrcv, libc::SYS_msgctl, libc::SYS_mq_open];

/// Shared memory and semaphores, which outlive who made them, and are the machine's
/// where there is no namespace for them.
const SHARED: [libc::c_long; 7] = [
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semctl,
    libc::SYS_semop,
    libc::SYS_semtimedop,
];

/// Bytes of a segment of shared memory where there is a namespace for them: it counts for
/// no process that does not have it attached. A kernel allows 4,096 segments.
const SEGMENT: u64 = 4 << 10;

/// Calls whose first argument is a process, 0 for the caller: its limits, affinity and
/// scheduling.
const OF_PROCESSES: [libc::c_long; 5] = [
    libc::SYS_prlimit64,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler,
];

/// Calls whose first argument is a kind, and the second which one of it, 0 for the
/// caller's: priorities. With it the kind that means a user, all whose processes it is.
const OF_KINDS: [(libc::c_long, u64); 2] = [(libc::SYS_setpriority, 2), (libc::SYS_ioprio_set, 3)];

/// Bit of the numbers of x32, a second table of the same calls.
#[cfg(target_arch = "x86_64")]
const X32: u32 = 0x4000_0000;
/// Pushes a character into a terminal's input; a second way to do so.
const TERMINAL: [u64; 2] = [0x5412, 0x541c];
/// The type in the second argument of `socketpair`, without its flags.
const SOCKET_TYPE: u64 = 0xf;
/// Reads addresses and routes, as `getaddrinfo` does.
const NETLINK_ROUTE: u64 = 0;

/// Which kinds of sockets a command may open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sockets {
    /// Those of the Internet and of Unix: the walls say what they reach, and namespaces
    /// keep processes and shared memory of others out of sight.
    Usual,
    /// Those of the Internet. One of Unix would reach every server that has a
    /// path, which nothing else holds. There are no namespaces.
    Internet,
    /// Only connected pairs, and no namespaces.
    Pairs,
}

/// The filter as the kernel and bubblewrap take it.
///
/// # Errors
/// When the machine is of no kind that the filter is made for.
pub(super) fn filter(sockets: Sockets) -> Result<Vec<u8>, String> {
    let program = program(sockets).map_err(|error| format!("seccomp: {error}"))?;
    Ok(program.iter().flat_map(bytes).collect())
}

fn program(sockets: Sockets) -> Result<BpfProgram, BackendError> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let mut rules: Vec<(i64, Vec<SeccompRule>)> =
        REFUSED.iter().map(|&call| (call, Vec::new())).collect();
    // The kernel takes the lower half of the request.
    let requests = TERMINAL.into_iter().chain(RESERVING);
    let requests = requests.map(|request| rule(&[(1, Dword, Eq, request)]));
    rules.push((libc::SYS_ioctl, requests.collect::<Result<_, _>>()?));
    let user = libc::CLONE_NEWUSER.cast_unsigned().into();
    for call in [libc::SYS_clone, libc::SYS_unshare] {
        rules.push((call, vec![rule(&[(0, Qword, MaskedEq(user), user)])?]));
    }
    rules.push((libc::SYS_socket, families(sockets)?));
    rules.extend(MESSAGES.map(|call| (call, Vec::new())));
    rules.extend(match sockets {
        Sockets::Usual => vec![(libc::SYS_shmget, vec![rule(&[(1, Qword, Gt, SEGMENT)])?])],
        Sockets::Internet | Sockets::Pairs => of_others()?,
    });
    let refuse = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    let rules = rules.into_iter().collect();
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch)?;
    let mut program = not_there();
    program.extend(BpfProgram::try_from(filter)?);
    Ok(program)
}

/// What reaches processes and objects of others where no namespace keeps them out of sight.
fn of_others() -> Result<Vec<(i64, Vec<SeccompRule>)>, BackendError> {
    let mut rules: Vec<_> = SHARED.map(|call| (call, Vec::new())).into();
    for call in OF_PROCESSES {
        rules.push((call, vec![rule(&[(0, Dword, Ne, 0)])?]));
    }
    for (call, user) in OF_KINDS {
        rules.push((call, vec![rule(&[(1, Dword, Ne, 0)])?, rule(&[(0, Dword, Eq, user)])?]));
    }
    // One that is not bound to its other end can be sent from to any that has a path.
    let bound = [libc::SOCK_STREAM, libc::SOCK_SEQPACKET].map(number);
    let loose = (0..=SOCKET_TYPE).filter(|kind| !bound.contains(kind));
    let loose = loose.map(|kind| rule(&[(1, Dword, MaskedEq(SOCKET_TYPE), kind)]));
    rules.push((libc::SYS_socketpair, loose.collect::<Result<_, _>>()?));
    Ok(rules)
}

fn families(sockets: Sockets) -> Result<Vec<SeccompRule>, BackendError> {
    let allowed: &[libc::c_int] = match sockets {
        Sockets::Usual => &[libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK],
        Sockets::Internet => &[libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK],
        Sockets::Pairs => &[libc::AF_NETLINK],
    };
    let others: Vec<_> = allowed.iter().map(|&family| (0, Dword, Ne, number(family))).collect();
    let netlink = (0, Dword, Eq, number(libc::AF_NETLINK));
    Ok(vec![rule(&others)?, rule(&[netlink, (2, Dword, Ne, NETLINK_ROUTE)])?])
}

type Condition = (u8, seccompiler::SeccompCmpArgLen, SeccompCmpOp, u64);

fn rule(conditions: &[Condition]) -> Result<SeccompRule, BackendError> {
    let conditions = conditions.iter().map(|(argument, length, how, value)| {
        SeccompCondition::new(*argument, length.clone(), how.clone(), *value)
    });
    SeccompRule::new(conditions.collect::<Result<_, _>>()?)
}

fn number(constant: libc::c_int) -> u64 {
    constant.cast_unsigned().into()
}

/// The steps before the filter: calls that are refused as unknown or unsupported.
fn not_there() -> BpfProgram {
    let load = step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0);
    let end = |errno: libc::c_int| {
        let errno = libc::SECCOMP_RET_ERRNO | errno.cast_unsigned();
        step(libc::BPF_RET | libc::BPF_K, 0, errno)
    };
    let equal = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
    let unknown = UNKNOWN.map(|call| (call, libc::ENOSYS));
    let calls = unknown.into_iter().chain(UNSUPPORTED.map(|call| (call, libc::EOPNOTSUPP)));
    let calls = calls.filter_map(|(call, errno)| Some((u32::try_from(call).ok()?, errno)));
    let mut program = vec![load];
    program.extend(calls.flat_map(|(call, errno)| [step(equal, 1, call), end(errno)]));
    #[cfg(target_arch = "x86_64")]
    {
        let above = libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K;
        program.extend([step(above, 1, X32), end(libc::ENOSYS)]);
    }
    program
}

/// One step; `skip` steps are passed over where its comparison fails.
fn step(code: u32, skip: u8, k: u32) -> sock_filter {
    sock_filter { code: u16::try_from(code).unwrap_or(u16::MAX), jt: 0, jf: skip, k }
}

fn bytes(step: &sock_filter) -> impl Iterator<Item = u8> + use<> {
    let [a, b] = step.code.to_ne_bytes();
    [a, b, step.jt, step.jf].into_iter().chain(step.k.to_ne_bytes())
}
