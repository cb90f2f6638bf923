//! `cargo xtask rules`: numbered rule -> the tests that name it.
//!
//! `docs/behaviour.md` numbers the rules (`- S6.5 ...`); a test names the ones it
//! holds at the front of its own name (`s6_5_sequential_tool_is_a_barrier`, or
//! `s8_2_s8_3_...` for two). `standing.rs` keeps which rules are finished, and what the others
//! lack. Whether the tests would notice is another question: `cargo xtask rules --broken`
//! asks it with the files of `xtask/broken`, of which a finished rule has one at least.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::sources::{self, Source};
use crate::{cargo, no_arguments};

pub(crate) mod broken;
mod standing;
#[cfg(test)]
mod tests;

use standing::{Standing, Standings};

const PAGE: &str = "docs/behaviour.md";

/// The number of a rule, `S6.5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rule {
    section: u32,
    number: u32,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "S{}.{}", self.section, self.number)
    }
}

impl Rule {
    /// Reads `6.5` off the front of `text`, with `separator` for the dot.
    fn parse(text: &str, separator: char) -> Option<(Self, &str)> {
        let (section, rest) = number(text)?;
        let (number, rest) = number(rest.strip_prefix(separator)?)?;
        Some((Self { section, number }, rest))
    }

    /// The rule of a name like `S6.5`, with nothing behind it.
    fn named(name: &str) -> Option<Self> {
        match Self::parse(name.strip_prefix('S')?, '.')? {
            (rule, "") => Some(rule),
            _ => None,
        }
    }
}

/// Rule -> the tests that name it, as `path::name`.
type Tests = BTreeMap<Rule, Vec<String>>;

/// Prints the list and fails on a finished rule without a test; or breaks rules.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    if let Some(("--broken", rest)) = args.split_first().map(|(flag, rest)| (flag.as_str(), rest)) {
        return broken::run(rest);
    }
    no_arguments(args)?;
    let rules = page()?;
    let tests = tests_of(&sources::all()?);
    let standings = Standings::kept();
    print(&rules, &tests, &standings);
    let (broken, mut wrong) = broken::kept()?;
    wrong.extend(unknown(&rules, &tests));
    wrong.extend(standings.problems(&rules, &tests, &broken));
    if wrong.is_empty() {
        return Ok(());
    }
    Err(format!("\n  {}", wrong.join("\n  ")))
}

/// The rules of the page.
fn page() -> Result<BTreeSet<Rule>, String> {
    let page = std::fs::read_to_string(cargo::root().join(PAGE))
        .map_err(|error| format!("cannot read {PAGE}: {error}"))?;
    rules_of(&page)
}

/// The numbered rules of the page; a number stands once.
fn rules_of(page: &str) -> Result<BTreeSet<Rule>, String> {
    let mut rules = BTreeSet::new();
    let numbered = page.lines().filter_map(|line| line.strip_prefix("- S"));
    for (rule, _) in numbered.filter_map(|line| Rule::parse(line, '.')) {
        if !rules.insert(rule) {
            return Err(format!("{rule} stands twice in {PAGE}; renumber the new one"));
        }
    }
    if rules.is_empty() {
        return Err(format!("{PAGE} has no line that starts with `- S1.1`"));
    }
    Ok(rules)
}

/// The tests that name rules. Those of xtask hold none: they have samples that look so.
fn tests_of(sources: &[Source]) -> Tests {
    let mut tests = Tests::new();
    for source in sources.iter().filter(|source| !source.path.starts_with("xtask/")) {
        for name in test_names(&source.text) {
            for rule in rules_named(name) {
                let at = format!("{}::{name}", source.path);
                tests.entry(rule).or_default().push(at);
            }
        }
    }
    tests
}

/// The functions that stand right under an attribute with `test` in it.
fn test_names(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut marked = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with("#[") {
            marked |= line.contains("test");
        } else if let Some(name) = function(line) {
            if marked {
                names.push(name);
            }
            marked = false;
        } else if !line.starts_with("//") {
            marked = false;
        }
    }
    names
}

/// `add` of `pub async fn add(a: i64) {`.
fn function(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("fn ")?;
    let only_words = |c: char| c.is_ascii_alphabetic() || c == ' ';
    if !before.chars().all(only_words) {
        return None;
    }
    after.split(['(', '<']).next()
}

/// `S8.2` and `S8.3` of `s8_2_s8_3_the_claim_guards_the_journal`.
fn rules_named(name: &str) -> Vec<Rule> {
    let mut rules = Vec::new();
    let mut rest = name;
    while let Some((rule, after)) =
        rest.strip_prefix('s').and_then(|digits| Rule::parse(digits, '_'))
    {
        let Some(after) = after.strip_prefix('_') else {
            break;
        };
        rules.push(rule);
        rest = after;
    }
    rules
}

fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit());
    let (digits, rest) = text.split_at(end.unwrap_or(text.len()));
    Some((digits.parse().ok()?, rest))
}

/// Tests that name a rule that the page does not have.
fn unknown(rules: &BTreeSet<Rule>, tests: &Tests) -> Vec<String> {
    let unknown = tests.iter().filter(|(rule, _)| !rules.contains(rule));
    let line = |(rule, names): (&Rule, &Vec<String>)| {
        format!("{rule} is named by {}, but {PAGE} has no such rule", names.join(", "))
    };
    unknown.map(line).collect()
}

fn print(rules: &BTreeSet<Rule>, tests: &Tests, standings: &Standings) {
    for rule in rules {
        let names = tests.get(rule).map_or(&[][..], Vec::as_slice);
        println!("{}", head(*rule, standings.get(*rule), names));
        names.iter().for_each(|name| println!("    {name}"));
    }
    println!("{}", summary(rules, tests, standings));
}

/// What is said of a rule above its tests.
fn head(rule: Rule, standing: Option<Standing>, tests: &[String]) -> String {
    match standing {
        Some(Standing::Finished) if tests.is_empty() => format!("{rule}  finished, TEST MISSING"),
        Some(Standing::Finished) => format!("{rule}  finished"),
        Some(Standing::Unfinished(missing)) if tests.is_empty() => {
            format!("{rule}  no test yet; missing: {missing}")
        }
        Some(Standing::Unfinished(missing)) => format!("{rule}  not whole; missing: {missing}"),
        None => format!("{rule}  NOT LISTED"),
    }
}

fn summary(rules: &BTreeSet<Rule>, tests: &Tests, standings: &Standings) -> String {
    let is_finished = |rule: &Rule| standings.get(*rule) == Some(Standing::Finished);
    let (finished, others): (Vec<&Rule>, Vec<&Rule>) =
        rules.iter().partition(|rule| is_finished(rule));
    let tested = others.iter().filter(|rule| tests.contains_key(rule)).count();
    format!(
        "rules: {} of {} are finished, {tested} have tests but are not whole, {} have no test",
        finished.len(),
        rules.len(),
        others.len() - tested
    )
}
