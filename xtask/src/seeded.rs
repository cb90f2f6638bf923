//! What plays or feeds things by the number of a seed: `cargo xtask random` and `fuzz`.

use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::cargo;

/// The command that builds an example with the optimisations of a release, and runs it.
pub(crate) fn example(name: &str, numbers: &[u64]) -> Command {
    let mut command = cargo::command();
    command.args(["run", "--quiet", "--profile", "profiling"]);
    command.args(["--package", "xtask", "--example", name, "--"]);
    command.args(numbers.iter().map(ToString::to_string));
    command
}

/// A first seed that no run before began with.
pub(crate) fn fresh() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.as_secs().wrapping_mul(1_000_000)
}

/// The whole number behind a flag.
pub(crate) fn number<'a>(
    flag: &str,
    args: &mut impl Iterator<Item = &'a String>,
) -> Result<u64, String> {
    let number = args.next().and_then(|number| number.parse().ok());
    number.ok_or_else(|| format!("{flag} wants a whole number"))
}
