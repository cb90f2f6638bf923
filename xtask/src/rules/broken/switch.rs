//! Many mutations in one build, each behind a switch.
//!
//! To build a mutation takes much longer than to run its tests. So all that change nothing
//! but bodies of functions are built at once: a body becomes a choice between what it was
//! and what each mutation makes of it, and a variable of the environment chooses.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::Path;

use super::mutation::{Change, Mutation};
use super::tree;

mod code;
#[cfg(test)]
mod tests;

/// Names the mutation that is on; none is where it is unset.
pub(super) const VARIABLE: &str = "LEGWORK_BROKEN";

/// The bodies of a file that have a choice, with the names of the mutations.
type Switched = BTreeMap<(usize, usize), Vec<(String, String)>>;

/// Lines, and the mutations whose switches are in them.
type Lines = (Range<usize>, Vec<String>);

/// What was built into a tree.
#[derive(Default)]
pub(super) struct Switches {
    files: BTreeMap<String, File>,
    names: BTreeSet<String>,
}

#[derive(Default)]
struct File {
    before: String,
    bodies: Switched,
}

impl Switches {
    /// The mutations that can be switched in the files of a tree; nothing is written.
    pub(super) fn of(mutations: &[Mutation], tree: &Path) -> Self {
        let mut switches = Self::default();
        for mutation in mutations {
            let Ok(changes) = mutation.changes(tree) else { continue };
            let bodies: Option<Vec<_>> = changes.iter().map(changed).collect();
            let Some(bodies) = bodies else { continue };
            for (change, bodies) in changes.into_iter().zip(bodies) {
                let file = switches.files.entry(change.file).or_default();
                file.before = change.before;
                for (range, body) in bodies {
                    let choices = file.bodies.entry((range.start, range.end)).or_default();
                    choices.push((mutation.name.clone(), body));
                }
            }
            switches.names.insert(mutation.name.clone());
        }
        switches
    }

    pub(super) fn has(&self, mutation: &Mutation) -> bool {
        self.names.contains(&mutation.name)
    }

    pub(super) fn count(&self) -> usize {
        self.names.len()
    }

    /// Writes the files with their switches.
    pub(super) fn write(&self, tree: &Path) -> Result<(), String> {
        let mut files = self.files.iter();
        files.try_for_each(|(name, file)| put(&tree.join(name), &file.switched().0))
    }

    /// Writes the files as they were.
    pub(super) fn restore(&self, tree: &Path) -> Result<(), String> {
        let mut files = self.files.iter();
        files.try_for_each(|(name, file)| put(&tree.join(name), &file.before))
    }

    /// Takes out the mutations whose bodies the compiler complains of; how many these were.
    pub(super) fn without(&mut self, said: &str) -> usize {
        let mut gone = BTreeSet::new();
        for (name, line) in places(said) {
            let Some((_, file)) = self.files.iter().find(|(file, _)| name.ends_with(*file)) else {
                continue;
            };
            let lines = file.switched().1;
            let hit = lines.into_iter().find(|(range, _)| range.contains(&line));
            gone.extend(hit.into_iter().flat_map(|(_, names)| names));
        }
        for file in self.files.values_mut() {
            for choices in file.bodies.values_mut() {
                choices.retain(|(name, _)| !gone.contains(name));
            }
            file.bodies.retain(|_, choices| !choices.is_empty());
        }
        self.names.retain(|name| !gone.contains(name));
        gone.len()
    }
}

impl File {
    /// The text with its switches, and which lines are whose.
    fn switched(&self) -> (String, Vec<Lines>) {
        let (mut text, mut lines, mut at) = (String::new(), Vec::new(), 0);
        for ((start, end), choices) in &self.bodies {
            text.push_str(part(&self.before, at..*start));
            let first = text.lines().count();
            text.push_str("{ ");
            for (name, body) in choices {
                text.extend(["if ", &condition(name), " ", body, " else "]);
            }
            text.push_str(part(&self.before, *start..*end));
            text.push_str(" }");
            let names = choices.iter().map(|(name, _)| name.clone()).collect();
            lines.push((first..text.lines().count() + 1, names));
            at = *end;
        }
        text.push_str(part(&self.before, at..self.before.len()));
        (text, lines)
    }
}

/// Asks for the variable once in a process.
fn condition(name: &str) -> String {
    format!(
        "{{ static ON: ::std::sync::OnceLock<bool> = ::std::sync::OnceLock::new(); \
         *ON.get_or_init(|| ::std::env::var_os({VARIABLE:?}).is_some_and(|on| on == {name:?})) }}"
    )
}

/// The bodies that a change makes others, if it changes nothing else.
fn changed(change: &Change) -> Option<Vec<(Range<usize>, String)>> {
    let (before, after) = (code::bodies(&change.before), code::bodies(&change.after));
    if before.len() != after.len() {
        return None;
    }
    let (mut changed, mut ends) = (Vec::new(), (0, 0));
    for (old, new) in before.into_iter().zip(after) {
        if part(&change.before, ends.0..old.start) != part(&change.after, ends.1..new.start) {
            return None;
        }
        ends = (old.end, new.end);
        let body = part(&change.after, new);
        if part(&change.before, old.clone()) != body {
            changed.push((old, body.to_owned()));
        }
    }
    (change.before.get(ends.0..) == change.after.get(ends.1..)).then_some(changed)
}

fn part(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

/// Files and lines that the compiler's errors name: `--> crates/x/src/lib.rs:12:5`.
fn places(said: &str) -> Vec<(String, usize)> {
    let (mut is_error, mut places) = (false, Vec::new());
    for line in said.lines() {
        is_error = line.starts_with("error") || is_error && !line.starts_with("warning");
        let Some((_, place)) = line.split_once("--> ").filter(|_| is_error) else { continue };
        let mut parts = place.trim().splitn(3, ':');
        if let (Some(file), Some(Ok(line))) = (parts.next(), parts.next().map(str::parse)) {
            places.push((file.to_owned(), line));
        }
    }
    places
}

fn put(path: &Path, text: &str) -> Result<(), String> {
    match fs::read_to_string(path) {
        Ok(present) if present == text => Ok(()),
        _ => tree::write(path, text),
    }
}
