//! What can confine commands here.

use std::fs;
use std::path::Path;

use legwork::port::Sandbox as _;
use legwork::tools::Environment;
use legwork::tools::sandbox::{Bound, Bubblewrap, Landlock, Limits, Network, Policy};

use super::check::Check;

/// Settings of the kernel that keep ordinary users from making namespaces,
/// the value that does so, and the way out.
const NAMESPACES: [(&str, &str, &str); 3] = [
    ("user/max_user_namespaces", "0", "set user.max_user_namespaces to 15000"),
    ("kernel/unprivileged_userns_clone", "0", "set kernel.unprivileged_userns_clone to 1"),
    (
        "kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "give bwrap an AppArmor profile that allows userns, as bwrap-userns-restrict does",
    ),
];

/// Looks at each; `confined` says whether one of the sandboxes works.
pub(super) fn checks(environment: &Environment, root: &Path, confined: bool) -> Vec<Check> {
    vec![
        bubblewrap(environment, root, confined),
        namespaces(),
        landlock(environment, root, confined),
        network(environment, root),
        seccomp(),
        processes(),
    ]
}

/// One sandbox that does not work is bad only if the other does not either.
fn failed(name: &'static str, why: String, confined: bool) -> Check {
    if confined { Check::warning(name, why) } else { Check::bad(name, why) }
}

fn bubblewrap(environment: &Environment, root: &Path, confined: bool) -> Check {
    let bubblewrap = Bubblewrap::new(environment);
    let version = bubblewrap.version(root);
    match bubblewrap.check(root) {
        Err(error) => {
            let hint = match version {
                None => "install bubblewrap: it holds more than Landlock",
                Some(_) => {
                    "let bwrap make namespaces; inside a container it may have to be allowed"
                }
            };
            failed("bubblewrap", error.cause(), confined).with_hint(hint)
        }
        Ok(()) => {
            let version = version.unwrap_or_else(|| "a version it does not tell".to_owned());
            let found = format!("{version}, its trial run works");
            let gaps = bubblewrap.gaps();
            match gaps.is_empty() {
                true => Check::good("bubblewrap", found),
                false => Check::warning("bubblewrap", format!("{found}; {}", gaps.join("; ")))
                    .with_hint("install 0.8 or newer that is not set-user-id, on a system where any program may make namespaces"),
            }
        }
    }
}

/// Whether `--network` can name hosts.
fn network(environment: &Environment, root: &Path) -> Check {
    let policy = Policy::default().with_network(Network::Hosts(Vec::new()));
    match Bubblewrap::new(environment).with_policy(policy).check(root) {
        Ok(()) => Check::good("network", "can be held to a list of hosts"),
        Err(error) => {
            let found = format!("cannot be held to a list of hosts: {}", error.cause());
            Check::warning("network", found)
                .with_hint("that needs bubblewrap, where any program may make namespaces")
        }
    }
}

fn namespaces() -> Check {
    const NAME: &str = "namespaces";
    if !Path::new("/proc/self/ns/user").exists() {
        return Check::warning(NAME, "this kernel has no user namespaces")
            .with_hint("bubblewrap needs them; use a kernel that has them");
    }
    let set = |path: &str| fs::read_to_string(Path::new("/proc/sys").join(path));
    let against =
        NAMESPACES.iter().find(|(path, value, _)| set(path).is_ok_and(|is| is.trim() == *value));
    match against {
        Some((path, value, hint)) => {
            Check::warning(NAME, format!("kept from ordinary users: {path} is {value}"))
                .with_hint(*hint)
        }
        None => Check::good(NAME, "user namespaces can be made"),
    }
}

fn landlock(environment: &Environment, root: &Path, confined: bool) -> Check {
    let landlock = Landlock::new(environment);
    let abi = match landlock.check(root).and_then(|()| landlock.abi()) {
        Ok(abi) => abi,
        Err(error) => {
            return failed("landlock", error.cause(), confined)
                .with_hint("boot a kernel from 5.13 on with landlock among its lsm=");
        }
    };
    let lacks: Vec<_> =
        [(3, "truncate"), (4, "TCP"), (5, "ioctl"), (6, "signals and abstract sockets")]
            .iter()
            .filter(|(since, _)| abi < *since)
            .map(|(_, what)| *what)
            .collect();
    match lacks.is_empty() {
        true => Check::good("landlock", format!("ABI {abi}")),
        false => Check::warning("landlock", format!("ABI {abi}, which lacks {}", lacks.join(", ")))
            .with_hint("ABI 6 and all of these come with Linux 6.12"),
    }
}

fn seccomp() -> Check {
    match fs::read_to_string("/proc/sys/kernel/seccomp/actions_avail") {
        Ok(actions) if actions.split_whitespace().any(|action| action == "errno") => {
            Check::good("seccomp", "filters of system calls can be set")
        }
        _ => Check::warning("seccomp", "this kernel does not say that it has seccomp filters")
            .with_hint("use a kernel with CONFIG_SECCOMP_FILTER"),
    }
}

fn processes() -> Check {
    const NAME: &str = "processes";
    let most = Limits::default().processes;
    let by = format!("more than {most} of a command are killed");
    match Bound::here() {
        Bound::ControlGroup => Check::good(NAME, format!("{by}; a control group stands behind")),
        Bound::User => Check::good(NAME, format!("{by}; your own limit stands behind")),
        _ => Check::warning(NAME, format!("{by}; nothing stands behind"))
            .with_hint("make the pids control group writable, or do not work as root"),
    }
}
