//! How far each rule is built: finished, or what is missing.

use std::collections::{BTreeMap, BTreeSet};

use super::{PAGE, Rule, Tests};

#[cfg(test)]
mod tests;

/// Rules that a user finds whole; each needs a test, and a mutation that its tests catch.
const FINISHED: &[&str] = &[
    "S1.1", "S1.2", "S1.3", "S1.4", "S1.5", "S1.6", "S1.7", "S1.8", "S1.9", "S1.11", //
    "S2.1", "S2.2", "S2.3", "S2.4", "S2.5", "S2.6", //
    "S3.1", "S3.2", "S3.3", "S3.4", "S3.5", "S3.6", "S3.7", "S3.9", "S3.10", //
    "S4.1", "S4.2", "S4.3", //
    "S5.1", "S5.2", "S5.3", "S5.4", "S5.5", "S5.6", "S5.7", //
    "S6.1", "S6.2", "S6.3", "S6.4", "S6.5", "S6.6", "S6.7", "S6.8", "S6.9", "S6.10", "S6.11",
    "S6.12", "S6.13", //
    "S7.1", "S7.2", "S7.3", "S7.4", "S7.5", "S7.6", "S7.7", "S7.8", "S7.9", "S7.10", //
    "S8.1", "S8.2", "S8.3", "S8.4", "S8.5", "S8.6", "S8.7", "S8.8", "S8.9", "S8.10",
    "S8.11", //
    "S9.1", "S9.2", "S9.3", "S9.4", "S9.5", //
    "S10.1", "S10.2", "S10.3", "S10.4", "S10.5", "S10.6", //
    "S11.1", "S11.2", "S11.3", "S11.4", "S11.5", "S11.6", "S11.7", "S11.8", "S11.9", "S11.10",
    "S11.11", //
    "S12.1",  //
    "S13.1", "S13.2", "S13.3", "S13.4", "S13.5", "S13.6", "S13.7", "S13.8", "S13.9", "S13.10",
    "S13.11", "S13.12", "S13.13", "S13.14", "S13.15", "S13.16", //
    "S14.1", "S14.2", "S14.3", "S14.4", "S14.5", "S14.6", "S14.7", "S14.8", //
    "S15.1", "S15.2", "S15.3", "S15.4", "S15.5", "S15.6", "S15.7", "S15.8", //
    "S16.1", "S16.2", "S16.3", "S16.4", "S16.5", "S16.6", "S16.7", "S16.8", "S16.9", //
    "S17.1", "S17.2", "S17.3", "S17.4", "S17.5", "S17.6", "S17.7", "S17.8", "S17.9", //
    "S18.1", "S18.2", "S18.3", "S18.4", "S18.5", "S18.6", "S18.7", "S18.8", "S18.9", "S18.10",
    "S18.11", "S18.12", "S18.13", "S18.14", "S18.15", "S18.16", "S18.17", "S18.18", //
    "S19.1", "S19.2", "S19.3", "S19.4", "S19.5", "S19.6", "S19.7", "S19.8",
];

/// All other rules, with what a user would miss. Some have tests of what is there.
const UNFINISHED: &[(&str, &str)] = &[
    ("S1.10", "a `with_` transition for each accessor"),
    ("S3.8", "pauses for approval, deferred results and input; only doubt pauses an agent"),
];

/// How far a rule is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    Finished,
    /// What is missing.
    Unfinished(&'static str),
}

/// How far each rule of the page is built.
pub(super) struct Standings {
    by_rule: BTreeMap<Rule, Standing>,
    wrong: Vec<String>,
}

impl Standings {
    pub(super) fn kept() -> Self {
        Self::of(FINISHED, UNFINISHED)
    }

    pub(super) fn of(finished: &[&str], unfinished: &[(&str, &'static str)]) -> Self {
        let mut by_rule = BTreeMap::new();
        let mut wrong = Vec::new();
        let finished = finished.iter().map(|name| (*name, Standing::Finished));
        let unfinished =
            unfinished.iter().map(|(name, missing)| (*name, Standing::Unfinished(missing)));
        for (name, standing) in finished.chain(unfinished) {
            let Some(rule) = Rule::named(name) else {
                wrong.push(format!("`{name}` is not a rule; list each rule like S3.1"));
                continue;
            };
            if standing == Standing::Unfinished("") {
                wrong.push(format!("{rule} is unfinished, but the list does not say why"));
            }
            if by_rule.insert(rule, standing).is_some() {
                wrong.push(format!("{rule} is listed twice"));
            }
        }
        Self { by_rule, wrong }
    }

    pub(super) fn get(&self, rule: Rule) -> Option<Standing> {
        self.by_rule.get(&rule).copied()
    }

    /// What is wrong with the lists, given the rules of the page, their tests and those that
    /// mutations break.
    pub(super) fn problems(
        &self,
        rules: &BTreeSet<Rule>,
        tests: &Tests,
        broken: &BTreeSet<Rule>,
    ) -> Vec<String> {
        let mut wrong = self.wrong.clone();
        for rule in self.by_rule.keys().filter(|rule| !rules.contains(rule)) {
            wrong.push(format!("{rule} is listed, but {PAGE} has no such rule"));
        }
        for rule in rules {
            match self.get(*rule) {
                None => wrong.push(format!(
                    "{rule} is in no list of xtask/src/rules/standing.rs: say whether it is finished"
                )),
                Some(Standing::Finished) if !tests.contains_key(rule) => {
                    let Rule { section, number } = rule;
                    wrong.push(format!(
                        "{rule} is finished but has no test: name one `s{section}_{number}_...`"
                    ));
                }
                Some(Standing::Finished) if !broken.contains(rule) => wrong.push(format!(
                    "{rule} is finished but no file of xtask/broken breaks it: add one that its \
                     tests catch"
                )),
                Some(_) => {}
            }
        }
        wrong
    }
}
