//! What Tab completes: commands, their arguments, and files behind an `@`.

use std::fs;
use std::path::PathBuf;

use super::files::Commands;
use super::slash;
use crate::agents::Agents;
use crate::config::Config;
use crate::display::text::visible;
use crate::settings::Settings;

/// Files that are offered at most.
const OFFERED: usize = 100;

/// A word that is offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) shown: String,
}

impl Word {
    fn new(text: String) -> Self {
        Self { shown: visible(&text).into_owned(), text }
    }
}

/// What there is to complete.
#[derive(Debug, Clone, Default)]
pub(super) struct Completions {
    root: PathBuf,
    commands: Vec<String>,
    models: Vec<String>,
    agents: Vec<String>,
}

impl Completions {
    pub(super) fn new(settings: &Settings, files: &Commands, config: &Config) -> Self {
        let own = slash::ALL.into_iter().map(|one| one.name()).chain(files.names());
        let agents = Agents::load(&settings.trust, &[]).definitions;
        Self {
            root: settings.dir.value.clone(),
            commands: own.map(|name| format!("/{name}")).collect(),
            models: crate::complete::model_names(config),
            agents: agents.iter().map(|(name, _)| name.to_owned()).collect(),
        }
    }

    /// What completes the text before the cursor, and where that begins.
    pub(super) fn of(&self, before: &str) -> (usize, Vec<Word>) {
        let start = before.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let word = before.get(start..).unwrap_or_default();
        if let Some(path) = word.strip_prefix('@') {
            return (start, self.files(path));
        }
        let head = before.get(..start).unwrap_or_default().trim();
        let words = match head {
            "" if word.starts_with('/') => &self.commands,
            "/model" => &self.models,
            "/agent" => &self.agents,
            _ => return (start, Vec::new()),
        };
        let fit = words.iter().filter(|known| known.starts_with(word));
        (start, fit.cloned().map(Word::new).collect())
    }

    /// The files whose path begins so; those whose name begins with a dot only if that is typed.
    fn files(&self, typed: &str) -> Vec<Word> {
        let (folder, name) = typed.rsplit_once('/').unwrap_or(("", typed));
        let lead = typed.get(..typed.len() - name.len()).unwrap_or_default();
        let entries = fs::read_dir(self.root.join(if lead == "/" { "/" } else { folder }));
        let mut words = Vec::new();
        for entry in entries.into_iter().flatten().flatten() {
            let Ok(own) = entry.file_name().into_string() else { continue };
            let hidden = own.starts_with('.') && !name.starts_with('.');
            if own.starts_with(name) && !hidden && !own.contains(char::is_whitespace) {
                let end = if entry.path().is_dir() { "/" } else { "" };
                words.push(format!("@{lead}{own}{end}"));
            }
        }
        words.sort();
        words.into_iter().take(OFFERED).map(Word::new).collect()
    }
}

#[cfg(test)]
mod tests;
