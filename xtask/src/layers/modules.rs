//! Inside a crate modules depend one way: a circle of top-level modules is found here.
//!
//! A folder is one module: what refers to each other inside it is its own concern. A file
//! of tests counts for nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::sources::{self, Source};

/// The crates whose modules must not go round.
pub(super) const CRATES: [&str; 10] = [
    "legwork-core",
    "legwork-port",
    "legwork-toolset",
    "legwork-lifecycle",
    "legwork-session",
    "legwork-runtime",
    "legwork-agent",
    "legwork-context",
    "legwork-inference",
    "legwork-output",
];

/// The crate that is read from its root on, in the order that it names.
const READ_IN_ORDER: &str = "legwork-runtime";

/// Module -> the modules of its crate that it names.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// The circles of all crates, in words; prints how many modules there are.
pub(super) fn circles() -> Result<Vec<String>, String> {
    let all = sources::all()?;
    let mut found = Vec::new();
    for krate in CRATES {
        let folder = format!("crates/{krate}/src/");
        let files: Vec<_> = all.iter().filter(|source| source.path.starts_with(&folder)).collect();
        let uses = uses(&folder, &files);
        let rounds = rounds(&uses);
        println!("{krate:<19} {} modules, {} circles", uses.len(), rounds.len());
        if krate == READ_IN_ORDER {
            let root = files.iter().find(|file| file.path == format!("{folder}lib.rs"));
            let root = root.map_or("", |file| file.text.as_str());
            found.extend(out_of_order(root, &uses).into_iter().map(|it| format!("{krate}: {it}")));
        }
        found.extend(rounds.iter().map(|round| {
            let round = round.join(", ");
            format!("{krate}: the modules {round} depend on each other: move what they share down")
        }));
    }
    Ok(found)
}

/// Which modules the files of a crate name.
pub(super) fn uses(folder: &str, files: &[&Source]) -> Uses {
    let root = format!("{folder}lib.rs");
    let lib = files.iter().find(|file| file.path == root).map_or("", |file| file.text.as_str());
    let lib = code(lib);
    let modules = declared(&lib);
    let names = re_exported(&lib, &modules);
    let mut uses: Uses = modules.iter().map(|module| (module.clone(), BTreeSet::new())).collect();
    for file in files.iter().filter(|file| !file.is_test()) {
        let Some(path) = file.path.strip_prefix(folder) else { continue };
        let (module, depth) = place(path);
        let Some(known) = uses.get_mut(&module) else { continue };
        for name in named(&code(&file.text), depth) {
            let to = if modules.contains(&name) { Some(&name) } else { names.get(&name) };
            known.extend(to.filter(|to| **to != module).cloned());
        }
    }
    uses
}

/// What is wrong with the order in which the root says to read its modules.
pub(super) fn out_of_order(root: &str, uses: &Uses) -> Vec<String> {
    let docs = root.lines().filter_map(|line| line.strip_prefix("//!")).collect::<Vec<_>>();
    let docs = docs.join("\n");
    let order = docs.split("in this order").nth(1).unwrap_or_default();
    let mut before = BTreeSet::new();
    let mut wrong = Vec::new();
    for module in order.split('`').skip(1).step_by(2) {
        let Some(named) = uses.get(module) else { continue };
        wrong.extend(named.iter().filter(|name| !before.contains(name.as_str())).map(|name| {
            format!("the root says to read `{module}` before `{name}`, which it names")
        }));
        before.insert(module);
    }
    let left = uses.keys().filter(|module| !before.contains(module.as_str()));
    wrong.extend(left.map(|module| format!("the root does not say when to read `{module}`")));
    wrong
}

/// The module that a file belongs to, and how many `super` lead from it to the crate.
fn place(path: &str) -> (String, usize) {
    let path = Path::new(path).with_extension("");
    let mut parts: Vec<_> = path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|last| last == "mod") {
        parts.pop();
    }
    (parts.first().cloned().unwrap_or_default(), parts.len())
}

/// Code without comments; a string that holds two slashes loses its rest, and nothing else.
fn code(text: &str) -> String {
    let line = |line: &str| line.split("//").next().unwrap_or_default().to_owned() + "\n";
    text.lines().map(line).collect()
}

/// The modules that a crate declares at its root.
fn declared(lib: &str) -> BTreeSet<String> {
    let words = lib.lines().filter_map(|line| {
        let line = line.trim().trim_start_matches("pub ").trim_start_matches("pub(crate) ");
        line.strip_prefix("mod ")?.strip_suffix(';')
    });
    words.map(str::to_owned).collect()
}

/// Names that the root gives for items of its modules.
fn re_exported(lib: &str, modules: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for (at, _) in lib.match_indices("use ") {
        let tree = lib.get(at + 4..).and_then(|rest| rest.split(';').next()).unwrap_or_default();
        let tree = tree.trim_start_matches("self::").trim_start_matches("crate::");
        let Some((module, items)) = tree.split_once("::") else { continue };
        if modules.contains(module) {
            names.extend(words(items).map(|item| (item.to_owned(), module.to_owned())));
        }
    }
    names
}

/// The first names behind `crate::`, and behind as many `super::` as lead to the crate.
fn named(code: &str, depth: usize) -> Vec<String> {
    let supers = "super::".repeat(depth);
    let mut found = Vec::new();
    for prefix in ["crate::", supers.as_str()] {
        for (at, _) in code.match_indices(prefix) {
            let before = code.get(..at).unwrap_or_default();
            if before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '$')) {
                continue;
            }
            found.extend(first_names(code.get(at + prefix.len()..).unwrap_or_default()));
        }
    }
    found
}

/// The first name of a path, or those of all paths of a group.
fn first_names(rest: &str) -> Vec<String> {
    let Some(group) = rest.strip_prefix('{') else {
        return words(rest).next().map(str::to_owned).into_iter().collect();
    };
    let (mut depth, mut names, mut first) = (0, Vec::new(), true);
    let mut start = 0;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => (start, first) = (at + 1, true),
            c if first && !c.is_whitespace() => {
                names.extend(words(group.get(start..).unwrap_or_default()).next());
                first = false;
            }
            _ => {}
        }
    }
    names.into_iter().map(str::to_owned).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Modules that reach themselves, those of one circle together.
pub(super) fn rounds(uses: &Uses) -> Vec<Vec<String>> {
    let reach: BTreeMap<_, _> = uses.keys().map(|from| (from, reached(uses, from))).collect();
    let reaches = |from: &String, to: &String| reach.get(from).is_some_and(|all| all.contains(to));
    let mut rounds: Vec<Vec<String>> = Vec::new();
    for module in uses.keys().filter(|module| reaches(module, module)) {
        let same = |round: &&mut Vec<String>| {
            round.first().is_some_and(|one| reaches(one, module) && reaches(module, one))
        };
        match rounds.iter_mut().find(same) {
            Some(round) => round.push(module.clone()),
            None => rounds.push(vec![module.clone()]),
        }
    }
    rounds
}

fn reached(uses: &Uses, from: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut next: Vec<_> = uses.get(from).into_iter().flatten().collect();
    while let Some(module) = next.pop() {
        if found.insert(module.clone()) {
            next.extend(uses.get(module).into_iter().flatten());
        }
    }
    found
}

#[cfg(test)]
mod tests;
