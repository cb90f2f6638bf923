//! How many tests passed, read off what the runners say while it is shown.

use std::fmt;
use std::io::{BufRead, BufReader, IsTerminal, Read};
use std::ops::AddAssign;
use std::process::{Command, Stdio};
use std::thread;

#[cfg(test)]
mod tests;

/// Tests that passed, failed and were skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
}

impl Counts {
    /// Counts so many of those that passed as skipped.
    pub(super) fn skip(&mut self, tests: usize) {
        let tests = self.passed.min(tests as u64);
        self.passed -= tests;
        self.skipped += tests;
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, more: Self) {
        self.passed += more.passed;
        self.failed += more.failed;
        self.skipped += more.skipped;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        if self.skipped > 0 {
            write!(f, ", {} skipped", self.skipped)?;
        }
        Ok(())
    }
}

/// Runs a test runner, shows what it says, and counts.
pub(super) fn of(command: &mut Command) -> Result<Counts, String> {
    let line = line_of(command);
    // The runner sees a pipe; colours only if a person reads the other end of ours.
    if std::io::stdout().is_terminal() {
        command.env("CARGO_TERM_COLOR", "always");
    }
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot start `{line}`: {error}"))?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let counts = thread::scope(|scope| {
        let err = scope
            .spawn(|| err.map_or_else(Counts::default, |it| pass_on(it, |l| eprintln!("{l}"))));
        let mut counts = out.map_or_else(Counts::default, |it| pass_on(it, |l| println!("{l}")));
        counts += err.join().unwrap_or_default();
        counts
    });
    let status = child.wait().map_err(|error| format!("lost `{line}`: {error}"))?;
    // A runner that failed without a failed test could not build, or found no test.
    if !status.success() && counts.failed == 0 {
        return Err(format!("`{line}` failed; its messages stand above"));
    }
    Ok(counts)
}

/// The command as a person would type it.
pub(super) fn line_of(command: &Command) -> String {
    let args = command.get_args().map(|arg| arg.to_string_lossy());
    std::iter::once("cargo".into()).chain(args).collect::<Vec<_>>().join(" ")
}

fn pass_on(from: impl Read, show: impl Fn(&str)) -> Counts {
    let mut tally = Tally::default();
    let mut reader = BufReader::new(from);
    let mut bytes = Vec::new();
    while reader.read_until(b'\n', &mut bytes).is_ok_and(|read| read > 0) {
        let line = String::from_utf8_lossy(&bytes);
        let line = line.trim_end_matches(['\n', '\r']);
        show(line);
        tally.read(&without_colours(line));
        bytes.clear();
    }
    tally.counts()
}

/// What a runner's output counts so far.
#[derive(Debug, Default)]
struct Tally {
    /// The sum of libtest's closing lines, one for each binary.
    results: Counts,
    /// Nextest's own line. It runs each test with libtest and shows the whole output of
    /// one that failed, so beside this line libtest's count nothing.
    summary: Option<Counts>,
}

impl Tally {
    fn read(&mut self, line: &str) {
        let line = line.trim_start();
        if line.starts_with("Summary [") {
            self.summary = Some(counts_in(line));
        } else if line.starts_with("test result:") {
            self.results += counts_in(line);
        }
    }

    fn counts(self) -> Counts {
        self.summary.unwrap_or(self.results)
    }
}

/// The counts of a runner's closing line.
fn counts_in(line: &str) -> Counts {
    let before = |word| count_before(line, word);
    Counts {
        passed: before("passed"),
        failed: before("failed") + before("timed"),
        skipped: before("skipped") + before("ignored"),
    }
}

/// 12 of `12 passed`.
fn count_before(line: &str, word: &str) -> u64 {
    let words: Vec<_> =
        line.split([' ', ',', ';', '(', ')']).filter(|part| !part.is_empty()).collect();
    let pair = words.windows(2).find(|pair| pair.last() == Some(&word));
    pair.and_then(|pair| pair.first()?.parse().ok()).unwrap_or(0)
}

/// Takes out `ESC [ .. m`.
fn without_colours(line: &str) -> String {
    let mut parts = line.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').map_or(part, |(_, rest)| rest))
}
