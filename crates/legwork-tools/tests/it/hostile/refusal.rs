//! System calls that the kernel does not know, or that a filter refuses.

use std::collections::BTreeMap;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter,
};

/// What is refused, and what runs then.
const REFUSED: &str = "LEGWORK_TOOLS_TEST_REFUSED";
const ARGUMENTS: &str = "LEGWORK_TOOLS_TEST_ARGUMENTS";

/// What a process has to do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// As before Linux 5.6.
    Openat2,
    /// Files without a name, as network file systems refuse them.
    Tmpfile,
    /// Hard links, as the policy of Android refuses them.
    Linkat,
}

impl Refused {
    const ALL: [Self; 3] = [Self::Openat2, Self::Tmpfile, Self::Linkat];

    fn filter(self) -> BpfProgram {
        let tmpfile = u64::from(rustix::fs::OFlags::TMPFILE.bits() & !libc::O_DIRECTORY as u32);
        let masked = SeccompCmpOp::MaskedEq(tmpfile);
        let condition = SeccompCondition::new(2, SeccompCmpArgLen::Dword, masked, tmpfile);
        let (call, rules, errno) = match self {
            Self::Openat2 => (libc::SYS_openat2, vec![], libc::ENOSYS),
            Self::Tmpfile => {
                let rule = SeccompRule::new(vec![condition.expect("fits")]).expect("a rule");
                (libc::SYS_openat, vec![rule], libc::EOPNOTSUPP)
            }
            Self::Linkat => (libc::SYS_linkat, vec![], libc::EACCES),
        };
        let filter = SeccompFilter::new(
            BTreeMap::from([(call, rules)]),
            SeccompAction::Allow,
            SeccompAction::Errno(errno.cast_unsigned()),
            std::env::consts::ARCH.try_into().expect("known"),
        );
        filter.expect("a filter").try_into().expect("compiled")
    }

    /// Refuses it to this thread and those that it starts.
    pub(super) fn apply(self) {
        apply_filter(&self.filter()).expect("filtered");
    }

    /// A command that runs this program with other arguments, and without this.
    pub(super) fn command(self, arguments: &[&str]) -> Command {
        let mut command = Command::new("/proc/self/exe");
        command
            .args(["--exact", "hostile::refusal::goes_on_without", "--nocapture"])
            .env(REFUSED, format!("{self:?}"))
            .env(ARGUMENTS, arguments.join("\n"));
        command
    }
}

/// Gives up the rights that it was asked to and becomes another run of this program; by itself it does
/// nothing.
#[test]
fn goes_on_without() {
    let Ok(refused) = std::env::var(REFUSED) else { return };
    let named = Refused::ALL.into_iter().find(|one| format!("{one:?}") == refused);
    named.expect("a name").apply();
    let arguments = std::env::var(ARGUMENTS).expect("arguments");
    let failed = Command::new("/proc/self/exe")
        .args(arguments.lines())
        .env_remove(REFUSED)
        .env_remove(ARGUMENTS)
        .exec();
    panic!("{failed}");
}
