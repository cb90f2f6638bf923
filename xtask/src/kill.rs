//! `cargo xtask kill`: the release command, killed as often as the project promises.
//!
//! The tests are those of the normal suite, `crates/legwork-cli/tests/kill`, which kills
//! a few times only; here they get more to do, and print what they did.

use crate::cargo;

/// Kills at each place, and at random moments.
struct Counts {
    kills: usize,
    random: usize,
}

/// Builds for release and kills.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let counts = Counts::read(args)?;
    println!("at each place: {} kills, at random moments: {}", counts.kills, counts.random);
    let mut tests = cargo::command();
    tests.args(["test", "--release", "--package", "legwork-cli", "--test", "kill"]);
    tests.args(["--", "--nocapture"]);
    tests.env("LEGWORK_KILLS", counts.kills.to_string());
    tests.env("LEGWORK_RANDOM_KILLS", counts.random.to_string());
    let status = tests.status().map_err(|error| format!("cannot start cargo: {error}"))?;
    match status.success() {
        true => Ok(()),
        false => Err("something was lost or done twice; what, stands above".to_owned()),
    }
}

impl Counts {
    fn read(args: &[String]) -> Result<Self, String> {
        let mut counts = Self { kills: 30, random: 100 };
        let mut args = args.iter();
        while let Some(flag) = args.next() {
            let count = match flag.as_str() {
                "--kills" => &mut counts.kills,
                "--random" => &mut counts.random,
                other => return Err(format!("takes --kills N and --random N, not `{other}`")),
            };
            let number = args.next().and_then(|number| number.parse().ok());
            *count = number.ok_or_else(|| format!("{flag} wants a whole number"))?;
        }
        Ok(counts)
    }
}
