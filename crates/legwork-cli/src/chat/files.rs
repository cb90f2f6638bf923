//! Commands of a project and of the user: files whose text is what is said.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::args;
use crate::config::Config;
use crate::context;
use crate::display::text::one_line;
use crate::settings::Settings;
use crate::task::regular_text;
use crate::trust::{Flag, Kind, Trust, Wanted};

/// Stands for what is typed behind the name of a command.
const ARGUMENTS: &str = "$ARGUMENTS";
/// The extension of a file that is a command.
const EXTENSION: &str = "md";

/// Commands that are files; the user's own win over those of a project.
#[derive(Debug, Clone, Default)]
pub(super) struct Commands(BTreeMap<String, File>);

#[derive(Debug, Clone)]
struct File {
    help: String,
    text: String,
}

impl Commands {
    /// Those of the user, and of the project of a directory if it is trusted.
    pub(super) fn load(settings: &Settings, flags: &args::Agent, config: &Config) -> Self {
        let mut commands = Self::default();
        let flag = if flags.trust { Flag::Given } else { Flag::Not };
        let wanted = Wanted { dir: &settings.dir.value, kinds: &[Kind::Command], flag };
        let mut trust = Trust::of(wanted, config);
        trust.trusted_as(&settings.trust);
        for piece in trust.commands() {
            let content = piece.content.as_ref().ok().and_then(Option::as_ref);
            let text = content.and_then(|content| std::str::from_utf8(&content.bytes).ok());
            text.into_iter().for_each(|text| commands.add(&piece.path, text));
        }
        let own = context::home().map(|home| home.join("commands"));
        let own = own.and_then(|folder| fs::read_dir(folder).ok());
        for path in own.into_iter().flatten().flatten().map(|entry| entry.path()) {
            if let Ok(text) = regular_text(&path, "commands are text files") {
                commands.add(&path, &text);
            }
        }
        commands
    }

    fn add(&mut self, path: &Path, text: &str) {
        let is_command = path.extension().is_some_and(|extension| extension == EXTENSION);
        let Some(name) = path.file_stem().and_then(|name| name.to_str()) else { return };
        if !is_command || !name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c)) {
            return;
        }
        let (front, text) = front(text);
        let mut lines = text.lines().map(|line| line.trim_start_matches('#').trim());
        let first = lines.find(|line| !line.is_empty()).unwrap_or_default();
        let help = one_line(front.unwrap_or(first));
        self.0.insert(name.to_owned(), File { help, text: text.trim().to_owned() });
    }

    /// What a command says; none if there is none of that name.
    pub(super) fn says(&self, name: &str, rest: &str) -> Option<String> {
        let text = &self.0.get(name)?.text;
        Some(match text.contains(ARGUMENTS) {
            true => text.replace(ARGUMENTS, rest),
            false if rest.is_empty() => text.clone(),
            false => format!("{text}\n\n{rest}"),
        })
    }

    /// Their names and what they are for.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, file)| (name.as_str(), file.help.as_str()))
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

/// The description in the front matter of a file, and what follows it.
fn front(text: &str) -> (Option<&str>, &str) {
    let parts = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    let Some((front, rest)) = parts else { return (None, text) };
    let described = front.lines().find_map(|line| line.strip_prefix("description:"));
    (described.map(|words| words.trim().trim_matches('"')), rest)
}

#[cfg(test)]
mod tests;
