//! A rule broken on purpose, as data.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path};

use serde::Deserialize;

use super::Rule;

#[cfg(test)]
mod tests;

/// One file of `xtask/broken`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mutation {
    /// The file's name without its ending.
    pub(super) name: String,
    /// The rule that no longer holds.
    pub(super) rule: Rule,
    /// What happens instead, in a sentence.
    pub(super) what: String,
    /// The package whose tests must notice.
    pub(super) package: String,
    tests: Option<String>,
    edits: Vec<Edit>,
}

/// A place to be changed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Edit {
    /// Relative to the workspace.
    file: String,
    /// What stands there, once in the file.
    find: String,
    /// What shall stand there.
    replace: String,
}

/// A file before and after the edits.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Change {
    /// Relative to the workspace.
    pub(super) file: String,
    pub(super) before: String,
    pub(super) after: String,
}

/// All mutations of a folder, by rule and name.
pub(super) fn all(folder: &Path, rules: &BTreeSet<Rule>) -> Result<Vec<Mutation>, String> {
    let cannot = |error| format!("cannot list {}: {error}", folder.display());
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let wrong = |problem| format!("{}: {problem}", path.display());
        let text = fs::read_to_string(&path).map_err(|error| wrong(error.to_string()))?;
        let mutation = Mutation::parse(&name, &text).map_err(wrong)?;
        if !rules.contains(&mutation.rule) {
            return Err(wrong(format!("there is no rule {}", mutation.rule)));
        }
        all.push(mutation);
    }
    all.sort_by(|a, b| (a.rule, &a.name).cmp(&(b.rule, &b.name)));
    Ok(all)
}

impl Mutation {
    pub(super) fn parse(name: &str, text: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct File {
            rule: String,
            what: String,
            package: String,
            tests: Option<String>,
            edit: Vec<Edit>,
        }
        let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
        let Some(rule) = Rule::named(&file.rule) else {
            return Err(format!("`{}` is no rule; one looks like S3.1", file.rule));
        };
        if file.edit.is_empty() {
            return Err("it changes nothing: add an [[edit]]".to_owned());
        }
        file.edit.iter().try_for_each(Edit::check)?;
        let File { what, package, tests, edit: edits, .. } = file;
        Ok(Self { name: name.to_owned(), rule, what, package, tests, edits })
    }

    /// The tests that must notice, as nextest's filter: its own, or all that name the rule.
    pub(super) fn filter(&self) -> String {
        let Rule { section, number } = self.rule;
        self.tests.clone().unwrap_or_else(|| format!("test(s{section}_{number}_)"))
    }

    /// Nextest's filter of its own, if it has one.
    pub(super) fn own_tests(&self) -> Option<&str> {
        self.tests.as_deref()
    }

    /// What it does to the files of a tree; nothing is written.
    pub(super) fn changes(&self, tree: &Path) -> Result<Vec<Change>, String> {
        let mut files: BTreeMap<&str, (String, String)> = BTreeMap::new();
        for edit in &self.edits {
            if !files.contains_key(edit.file.as_str()) {
                let text = fs::read_to_string(tree.join(&edit.file))
                    .map_err(|error| format!("cannot read {}: {error}", edit.file))?;
                files.insert(&edit.file, (text.clone(), text));
            }
            if let Some((_, after)) = files.get_mut(edit.file.as_str()) {
                *after = edit.apply(after)?;
            }
        }
        let change =
            |(file, (before, after)): (&str, _)| Change { file: file.to_owned(), before, after };
        Ok(files.into_iter().map(change).collect())
    }
}

impl Edit {
    fn check(&self) -> Result<(), String> {
        let inside = |part: Component<'_>| matches!(part, Component::Normal(_));
        if self.file.is_empty() || !Path::new(&self.file).components().all(inside) {
            return Err(format!("`{}` is not a path inside of the workspace", self.file));
        }
        if self.find.is_empty() || self.find == self.replace {
            return Err(format!("an edit of {} changes nothing", self.file));
        }
        Ok(())
    }

    fn apply(&self, text: &str) -> Result<String, String> {
        match text.matches(&self.find).count() {
            1 => Ok(text.replacen(&self.find, &self.replace, 1)),
            0 => Err(format!("{} has nowhere `{}`", self.file, self.find)),
            count => Err(format!("{} has `{}` {count} times", self.file, self.find)),
        }
    }
}
