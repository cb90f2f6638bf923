//! `cargo xtask rules`: numbered rule -> the tests that name it.
//!
//! `docs/behaviour.md` numbers the rules (`- S6.5 ...`); a test names the ones it
//! holds at the front of its own name (`s6_5_sequential_tool_is_a_barrier`, or
//! `s8_2_s8_3_...` for two). This file keeps which rules must have a test. Whether those
//! tests would notice is another question: `cargo xtask rules --broken` asks it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::sources::{self, Source};
use crate::{cargo, no_arguments};

mod broken;
#[cfg(test)]
mod tests;

/// What is finished: a section (`S3`) or single rules (`S5.1`). Each rule of it
/// needs a test; a rule outside may still be without.
const FINISHED: &[&str] = &[
    "S1", "S2", "S3", "S4", "S5", "S8.1", "S8.2", "S8.3", "S8.6", "S10.1", "S10.2", "S10.5", "S11",
];

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
    print(&rules, &tests);
    let wrong = problems(&rules, &tests, FINISHED);
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

fn tests_of(sources: &[Source]) -> Tests {
    let mut tests = Tests::new();
    for source in sources {
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

fn problems(rules: &BTreeSet<Rule>, tests: &Tests, finished: &[&str]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (rule, names) in tests.iter().filter(|(rule, _)| !rules.contains(rule)) {
        let names = names.join(", ");
        wrong.push(format!("{rule} is named by {names}, but {PAGE} has no such rule"));
    }
    for entry in finished {
        let meant: Vec<_> = rules.iter().filter(|rule| covers(entry, **rule)).collect();
        if meant.is_empty() {
            wrong.push(format!("`{entry}` in xtask/src/rules.rs meets no rule of {PAGE}"));
        }
        let untested = meant.into_iter().filter(|rule| !tests.contains_key(rule));
        wrong.extend(untested.map(|rule| {
            let Rule { section, number } = rule;
            format!("{rule} has no test: name one `s{section}_{number}_...`")
        }));
    }
    wrong
}

/// Whether an entry of `FINISHED` means this rule: its section, or itself.
fn covers(entry: &str, rule: Rule) -> bool {
    entry == rule.to_string() || entry == format!("S{}", rule.section)
}

fn print(rules: &BTreeSet<Rule>, tests: &Tests) {
    for rule in rules {
        let must = FINISHED.iter().any(|entry| covers(entry, *rule));
        match tests.get(rule) {
            Some(names) => {
                println!("{rule}");
                names.iter().for_each(|name| println!("    {name}"));
            }
            None if must => println!("{rule}  MISSING"),
            None => println!("{rule}  no test yet"),
        }
    }
    let named = rules.iter().filter(|rule| tests.contains_key(rule)).count();
    println!("rules: {named} of {} have tests", rules.len());
}
