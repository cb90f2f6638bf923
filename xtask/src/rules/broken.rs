//! `cargo xtask rules --broken`: rules broken on purpose, one at a time.
//!
//! A test that names a rule may hold it or only mention it. Each file of `xtask/broken`
//! changes the code so that one rule no longer holds, and the tests that name the rule
//! must fail then. It happens in a copy of the tree under `target/broken`, which is what
//! the tree is right now, uncommitted changes included; the tree itself is never written.
//!
//! Most mutations are built at once, each behind a switch. One that cannot be, or that no
//! test caught so, is built alone: a switch may not reach a process that a test starts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::{Rule, Tests};
use crate::test::Counts;
use crate::{cargo, sources, test};

mod mutation;
mod sample;
mod switch;
mod tree;
mod trial;

use mutation::Mutation;
use switch::Switches;
use trial::{Ran, Runner};

#[cfg(test)]
mod tests;

const FOLDER: &str = "xtask/broken";

/// What the command line asks for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Wanted {
    list: bool,
    /// Those that `cargo xtask test` runs at the present commit.
    sample: bool,
    /// Parts of names; all when there is none.
    names: Vec<String>,
}

impl Wanted {
    fn read(args: &[String]) -> Result<Self, String> {
        let mut wanted = Self::default();
        for arg in args {
            match arg.as_str() {
                "--list" => wanted.list = true,
                "--sample" => wanted.sample = true,
                flag if flag.starts_with('-') => {
                    return Err(format!(
                        "--broken takes --list, --sample and parts of names, not `{flag}`"
                    ));
                }
                name => wanted.names.push(name.to_owned()),
            }
        }
        Ok(wanted)
    }

    fn has(&self, mutation: &Mutation) -> bool {
        let named = |name: &String| {
            mutation.name.contains(name.as_str()) || mutation.rule.to_string() == *name
        };
        self.names.is_empty() || self.names.iter().any(named)
    }
}

/// What became of a rule that was broken.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    /// These tests failed.
    Caught(Vec<String>),
    /// All tests that name the rule passed.
    Survived,
    /// Nothing was learnt: the mutation itself is wrong.
    Mistake(String),
}

/// Lists the mutations, or runs them and fails on one that no test catches.
pub(super) fn run(args: &[String]) -> Result<(), String> {
    let wanted = Wanted::read(args)?;
    let all = if wanted.sample { sample::of(all()?, &crate::draw::seed()) } else { all()? };
    let chosen: Vec<_> = all.into_iter().filter(|mutation| wanted.has(mutation)).collect();
    if chosen.is_empty() {
        return Err(format!("no file in {FOLDER} has such a name; --list shows them"));
    }
    if wanted.list {
        return list(&chosen);
    }
    let target = cargo::metadata()?.target_directory;
    let target = if wanted.sample { target } else { target.join("broken/build") };
    let counts = Bench::open(&target)?.all(&chosen)?;
    match counts.failed {
        0 => Ok(()),
        missed => Err(format!("{missed} were not caught; why, stands in their lines")),
    }
}

/// Runs the few mutations that are due at the present commit.
///
/// They are built beside what the tests were built of, and share their dependencies.
pub(crate) fn sample() -> Result<Counts, String> {
    let chosen = sample::of(all()?, &crate::draw::seed());
    if !test::has_nextest() {
        let skipped = chosen.len() as u64;
        println!("cargo-nextest is not installed: no rule is broken");
        return Ok(Counts { skipped, ..Counts::default() });
    }
    Bench::open(&cargo::metadata()?.target_directory)?.all(&chosen)
}

/// The rules that the project's mutations break, and those mutations that no longer apply.
pub(super) fn kept() -> Result<(BTreeSet<Rule>, Vec<String>), String> {
    Ok(applied(&all()?))
}

/// All mutations of the project.
fn all() -> Result<Vec<Mutation>, String> {
    mutation::all(&cargo::root().join(FOLDER), &super::page()?)
}

fn applied(mutations: &[Mutation]) -> (BTreeSet<Rule>, Vec<String>) {
    let root = cargo::root();
    let wrong = mutations.iter().filter_map(|mutation| {
        let problem = mutation.changes(&root).err()?;
        Some(format!("{FOLDER}/{}.toml no longer applies: {problem}", mutation.name))
    });
    (mutations.iter().map(|mutation| mutation.rule).collect(), wrong.collect())
}

/// Prints the mutations, and whether each would apply.
fn list(chosen: &[Mutation]) -> Result<(), String> {
    let mut wrong = 0;
    for mutation in chosen {
        let applies = mutation.changes(&cargo::root());
        wrong += usize::from(applies.is_err());
        let problem = applies.err().map_or_else(String::new, |problem| format!("WRONG: {problem}"));
        println!("{}", line(mutation, &problem));
    }
    match wrong {
        0 => Ok(()),
        wrong => Err(format!("{wrong} do not apply")),
    }
}

fn line(mutation: &Mutation, rest: &str) -> String {
    let Mutation { rule, what, .. } = mutation;
    format!("{:<6} {what:<66} {rest}", rule.to_string()).trim_end().to_owned()
}

fn words(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Survived => "SURVIVED".to_owned(),
        Verdict::Mistake(problem) => format!("WRONG: {problem}"),
        Verdict::Caught(tests) => {
            let shown = tests.iter().take(2).cloned().collect::<Vec<_>>().join(", ");
            match tests.len().saturating_sub(2) {
                0 => format!("caught by {shown}"),
                more => format!("caught by {shown} and {more} more"),
            }
        }
    }
}

/// `it` of tests in `crates/PACKAGE/tests/it/`; none if one lies elsewhere in the package.
fn binaries(package: &str, tests: &[String]) -> Option<BTreeSet<String>> {
    let folder = format!("crates/{package}/");
    let inside = tests.iter().filter_map(|test| test.strip_prefix(&folder));
    let binary = |test: &str| Some(test.strip_prefix("tests/")?.split_once('/')?.0.to_owned());
    inside.map(binary).collect::<Option<BTreeSet<_>>>().filter(|found| !found.is_empty())
}

/// The copy that rules are broken in; one run at a time has it.
struct Bench {
    tree: PathBuf,
    runner: Runner,
    tests: Tests,
    _lock: File,
}

impl Bench {
    /// Brings the copy to what the tree is, whatever a run before left there.
    fn open(target: &Path) -> Result<Self, String> {
        if !test::has_nextest() {
            return Err("it needs nextest: `cargo install --locked cargo-nextest`".to_owned());
        }
        let folder = cargo::metadata()?.target_directory.join("broken");
        let cannot = |error| format!("cannot make {}: {error}", folder.display());
        fs::create_dir_all(&folder).map_err(cannot)?;
        let lock = File::create(folder.join("lock")).map_err(cannot)?;
        if lock.try_lock().is_err() {
            return Err(format!("another run is at work in {}; let it end", folder.display()));
        }
        let tree = folder.join("tree");
        tree::mirror(&cargo::root(), &tree)?;
        let runner = Runner { tree: tree.clone(), target: target.to_owned() };
        let tests = super::tests_of(&sources::all()?);
        Ok(Self { tree, runner, tests, _lock: lock })
    }

    /// Runs the mutations one after the other and counts those that were caught as passed.
    fn all(&self, chosen: &[Mutation]) -> Result<Counts, String> {
        println!("in a copy of the present tree, uncommitted changes included");
        let mut counts = Counts::default();
        let (mut alone, switches) = (Vec::new(), self.switches(chosen)?);
        println!("{} of {} are built at once", switches.count(), chosen.len());
        for mutation in chosen {
            let start = Instant::now();
            match switches.has(mutation).then(|| self.switched_on(mutation)).transpose()? {
                Some(verdict @ Verdict::Caught(_)) => {
                    counts.passed += 1;
                    show(mutation, start, &verdict);
                }
                _ => alone.push(mutation),
            }
        }
        switches.restore(&self.tree)?;
        println!("{} are built alone", alone.len());
        for mutation in alone {
            let start = Instant::now();
            let verdict = self.trial(mutation)?;
            match verdict {
                Verdict::Caught(_) => counts.passed += 1,
                Verdict::Survived | Verdict::Mistake(_) => counts.failed += 1,
            }
            show(mutation, start, &verdict);
        }
        println!("rules: {} of {} that were broken were caught", counts.passed, chosen.len());
        Ok(counts)
    }

    /// Builds what can be switched, and runs all tests with nothing broken.
    fn switches(&self, chosen: &[Mutation]) -> Result<Switches, String> {
        let mut switches = Switches::of(chosen, &self.tree);
        loop {
            switches.write(&self.tree)?;
            match self.unbroken(chosen)? {
                None => return Ok(switches),
                Some(said) if switches.without(&said) > 0 => {}
                Some(said) => return Err(format!("it does not build:\n{}", trial::errors(&said))),
            }
        }
    }

    /// The test binaries of a package that hold the tests of a rule; none = all of them.
    fn binaries(&self, mutation: &Mutation) -> Option<BTreeSet<String>> {
        let tests = self.tests.get(&mutation.rule)?;
        mutation.own_tests().is_none().then(|| binaries(&mutation.package, tests))?
    }

    /// Refuses to go on where a test fails already: its failing would mean nothing.
    ///
    /// Gives what the compiler said where it does not build.
    fn unbroken(&self, chosen: &[Mutation]) -> Result<Option<String>, String> {
        let mut filters: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
        for mutation in chosen {
            let what = (mutation.package.as_str(), self.binaries(mutation));
            filters.entry(what).or_default().insert(mutation.filter());
        }
        for ((package, binaries), filters) in filters {
            let any = filters.into_iter().collect::<Vec<_>>().join(" | ");
            match self.runner.run(package, binaries.as_ref(), &any, None)? {
                Ran::Passed | Ran::NoTests => println!("{package}: unbroken, nothing fails"),
                Ran::Failed(tests) => {
                    let tests = tests.join(", ");
                    return Err(format!("{tests} of {package} fail before anything is broken"));
                }
                Ran::DoesNotBuild(said) => return Ok(Some(said)),
            }
        }
        Ok(None)
    }

    /// Runs the tests that name a rule with its mutation switched on.
    fn switched_on(&self, mutation: &Mutation) -> Result<Verdict, String> {
        let (binaries, on) = (self.binaries(mutation), Some(mutation.name.as_str()));
        let Mutation { package, .. } = mutation;
        let ran = self.runner.run(package, binaries.as_ref(), &mutation.filter(), on)?;
        Ok(verdict(mutation, ran))
    }

    /// Breaks one rule, runs the tests that name it, and mends it again.
    fn trial(&self, mutation: &Mutation) -> Result<Verdict, String> {
        let changes = match mutation.changes(&self.tree) {
            Ok(changes) => changes,
            Err(problem) => return Ok(Verdict::Mistake(problem)),
        };
        for change in &changes {
            tree::write(&self.tree.join(&change.file), &change.after)?;
        }
        let binaries = self.binaries(mutation);
        let ran = self.runner.run(&mutation.package, binaries.as_ref(), &mutation.filter(), None);
        for change in &changes {
            tree::write(&self.tree.join(&change.file), &change.before)?;
        }
        Ok(verdict(mutation, ran?))
    }
}

fn verdict(mutation: &Mutation, ran: Ran) -> Verdict {
    match ran {
        Ran::Failed(tests) => Verdict::Caught(tests),
        Ran::Passed => Verdict::Survived,
        Ran::NoTests => {
            let Mutation { package, .. } = mutation;
            Verdict::Mistake(format!("{package} has no test that `{}` means", mutation.filter()))
        }
        Ran::DoesNotBuild(said) => {
            Verdict::Mistake(format!("it does not compile:\n{}", trial::errors(&said)))
        }
    }
}

fn show(mutation: &Mutation, start: Instant, verdict: &Verdict) {
    let took = start.elapsed().as_secs_f64();
    println!("{}", line(mutation, &format!("{took:>5.1} s  {}", words(verdict))));
}
