//! The mutants that may survive, with a reason each.
//!
//! A file of lines: a mutant a line, and below one or more of them an indented reason.
//! Lines that begin with `#` are comments.

use std::collections::BTreeMap;

use super::outcomes::{Mutant, Outcomes};

/// How often each mutant may survive: as often as it is listed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Survivors(BTreeMap<Mutant, usize>);

impl Survivors {
    /// Reads a list; one without a reason for each mutant is refused.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut listed = BTreeMap::new();
        let mut unexplained = None;
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            if line.trim().is_empty() {
                refuse(unexplained.take())?;
            } else if line.starts_with(char::is_whitespace) {
                unexplained = None;
            } else {
                let mutant = Mutant(line.trim_end().to_owned());
                *listed.entry(mutant.clone()).or_default() += 1;
                unexplained = Some(mutant);
            }
        }
        refuse(unexplained)?;
        Ok(Self(listed))
    }

    /// Those that the crate does not have (any more).
    pub(super) fn unknown(&self, all: &[Mutant]) -> Vec<&Mutant> {
        let all = counted(all);
        let has = |(mutant, listed): &(&Mutant, &usize)| all.get(mutant).unwrap_or(&0) < *listed;
        self.0.iter().filter(has).map(|(mutant, _)| mutant).collect()
    }

    /// Survivors that are not listed, or more often than listed.
    pub(super) fn unlisted<'a>(&self, outcomes: &'a Outcomes) -> Vec<&'a Mutant> {
        let missed = counted(&outcomes.missed).into_iter();
        let over = |(mutant, times): &(&Mutant, usize)| *times > self.times(mutant);
        missed.filter(over).map(|(mutant, _)| mutant).collect()
    }

    /// Listed ones that a test caught, in a run that tested all of their text.
    pub(super) fn caught<'a>(&self, outcomes: &'a Outcomes, all: &[Mutant]) -> Vec<&'a Mutant> {
        let (all, missed) = (counted(all), counted(&outcomes.missed));
        let over = |(mutant, caught): &(&Mutant, usize)| {
            let survived = missed.get(mutant).copied().unwrap_or(0);
            let tested = survived + caught == all.get(mutant).copied().unwrap_or(0);
            tested && survived < self.times(mutant)
        };
        counted(&outcomes.caught).into_iter().filter(over).map(|(mutant, _)| mutant).collect()
    }

    fn times(&self, mutant: &Mutant) -> usize {
        self.0.get(mutant).copied().unwrap_or(0)
    }
}

fn refuse(unexplained: Option<Mutant>) -> Result<(), String> {
    match unexplained {
        None => Ok(()),
        Some(Mutant(name)) => Err(format!("no reason below `{name}`")),
    }
}

fn counted(mutants: &[Mutant]) -> BTreeMap<&Mutant, usize> {
    let mut counted = BTreeMap::new();
    for mutant in mutants {
        *counted.entry(mutant).or_default() += 1;
    }
    counted
}
