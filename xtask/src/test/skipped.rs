//! Tests that skipped what cannot be tested here: they print a line `skipped: why`.

use std::fmt;
use std::path::Path;

#[cfg(test)]
mod tests;

/// What a test prints before why it skips.
const MARK: &str = "skipped: ";

/// A test that passed, and what of it was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Skipped {
    test: String,
    why: String,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.test, self.why)
    }
}

/// The tests of a report in JUnit's form that skipped something.
pub(super) fn of(report: &Path) -> Result<Vec<Skipped>, String> {
    let text = std::fs::read_to_string(report)
        .map_err(|error| format!("cannot read {}: {error}", report.display()))?;
    Ok(read(&text))
}

fn read(report: &str) -> Vec<Skipped> {
    report.split("<testcase ").skip(1).filter_map(test).collect()
}

/// One test, if it passed and skipped something.
fn test(text: &str) -> Option<Skipped> {
    let text = text.split("</testcase>").next()?;
    if text.contains("<failure") || text.contains("<error") {
        return None;
    }
    let output = text.split("<system-out>").nth(1)?.split("</system-out>").next()?;
    let why = output.lines().find_map(reason)?;
    let test = format!("{} {}", attribute(text, " classname")?, attribute(text, "name")?);
    Some(Skipped { test, why: unescaped(why.trim()) })
}

/// Why, of a line that says so; a runner may have begun the line with the test's name.
fn reason(line: &str) -> Option<&str> {
    let (before, why) = line.split_once(MARK)?;
    (before.is_empty() || before.ends_with(" ... ")).then_some(why)
}

fn attribute(text: &str, name: &str) -> Option<String> {
    let value = text.split_once(&format!("{name}=\""))?.1.split('"').next()?;
    Some(unescaped(value))
}

fn unescaped(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    text.replace("&apos;", "'").replace("&amp;", "&")
}
