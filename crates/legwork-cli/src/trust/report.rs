//! Messages about the files of a project that are left out, with the command to use them.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::surface::is_there;
use super::{Kind, Left, Piece, Standing, Trust, file::Skipped, owner};
use crate::config::locate::{NAME as SETTINGS, shown};
use crate::context::NAME as INSTRUCTIONS;
use crate::display::text::count;
use crate::shell::quoted_path;

/// How many files a message names.
const NAMED: usize = 3;

impl Trust {
    /// The warnings for the user, one for each reason why files are left out.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let mut lines: Vec<_> = self.problem.clone().into_iter().collect();
        lines.extend(self.untrusted());
        lines.extend(self.changed());
        lines.extend(self.skipped());
        lines.extend(self.beyond());
        lines
    }

    /// The warning about a project that is not trusted.
    fn untrusted(&self) -> Option<String> {
        let project = self.project.as_ref()?;
        let left = self.left(|left| *left == Left::Untrusted);
        let names = self.names(&left);
        let root = shown(&project.root);
        let line = format!("`legwork trust add {}`", quoted_path(&project.root));
        match (&self.standing, names.is_empty()) {
            (_, true) => None,
            (Standing::Refused, _) => {
                let names = listed(&names);
                Some(format!("{root} is refused, so {names} left out; {line} trusts it"))
            }
            _ => {
                let names = listed(&names);
                Some(format!("{root} is not trusted, so {names} left out; {line} trusts it"))
            }
        }
    }

    /// The warning about files that a run may have written.
    fn changed(&self) -> Option<String> {
        let project = self.project.as_ref()?;
        let names = self.names(&self.left(|left| *left == Left::Changed));
        let line = quoted_path(&project.root);
        let names = (!names.is_empty()).then(|| listed(&names))?;
        let root = shown(&project.root);
        Some(format!(
            "in {root}, {names} left out: changed during a run and not confirmed; \
             `legwork trust add {line}` confirms the present contents"
        ))
    }

    /// How to use an agent of the project that is left out, if there is one.
    pub(crate) fn left_agent(&self, name: &str) -> Option<String> {
        let stem = |piece: &Piece| piece.path.file_stem().is_some_and(|stem| stem == name);
        let left = self
            .pieces
            .iter()
            .any(|(piece, left)| piece.kind == Kind::Agent && left.is_some() && stem(piece));
        let root = &self.project.as_ref()?.root;
        let line = quoted_path(root);
        left.then(|| {
            format!("`legwork trust add {line}` trusts the project, --trust only for this run")
        })
    }

    /// The warnings about files that belong to another user, lie elsewhere, or are too large.
    fn skipped(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (piece, left) in &self.pieces {
            let Some(Left::Skipped(why)) = left else { continue };
            let hint = match (why, &self.project) {
                (Skipped::Foreign(_, user), Some(project)) => {
                    let (user, root) = (owner::name(*user), quoted_path(&project.root));
                    let user = user.strip_prefix("user ").unwrap_or(&user).to_owned();
                    format!(
                        "; `legwork trust add --owner {user} {root}` takes that user's files too"
                    )
                }
                _ => String::new(),
            };
            lines.push(format!("{} is left out: {why}{hint}", shown(&piece.unit)));
        }
        lines.dedup();
        lines
    }

    /// The warning about another user's repository that the directory lies in.
    fn beyond(&self) -> Option<String> {
        let beyond = &self.project.as_ref()?.beyond;
        let names = [INSTRUCTIONS, SETTINGS, super::surface::FOLDER];
        let paths = beyond.iter().flat_map(|folder| names.map(|name| folder.join(name)));
        let paths: Vec<PathBuf> = paths.filter(|path| is_there(path)).collect();
        let names: Vec<_> = paths.iter().map(|path| shown(path)).collect();
        let root = beyond.last()?;
        let whole = listed(&names);
        let why = "is not your repository, or lies above a folder of another user";
        (!names.is_empty()).then(|| format!("{whole} left out: {} {why}", shown(root)))
    }

    /// Whether the project is trusted, in words.
    pub(crate) fn summary(&self) -> Option<String> {
        let root = shown(&self.project.as_ref()?.root);
        Some(match &self.standing {
            Standing::Flag => format!("{root} is trusted by --trust"),
            Standing::Once => format!("{root} is trusted this time"),
            Standing::Setting(source) => format!("{root} is trusted by {source}"),
            Standing::Recorded => format!("{root} is trusted"),
            Standing::Refused => format!("{root} is refused"),
            Standing::Unknown => format!("{root} is not trusted"),
        })
    }

    /// The same as JSON, with what is left out and why.
    pub(crate) fn as_json(&self) -> Value {
        let left = self.pieces.iter().filter_map(|(piece, left)| {
            let why = match left.as_ref()? {
                Left::Untrusted => "the project is not trusted".to_owned(),
                Left::Skipped(why) => why.to_string(),
                Left::Changed => "changed during a run and not confirmed".to_owned(),
            };
            Some(json!({"path": piece.path.to_string_lossy(), "why": why}))
        });
        let by = match &self.standing {
            Standing::Flag => Some("flag"),
            Standing::Once => Some("answer"),
            Standing::Setting(_) => Some("setting"),
            Standing::Recorded => Some("record"),
            Standing::Refused | Standing::Unknown => None,
        };
        json!({
            "project": self.project.as_ref().map(|project| project.root.to_string_lossy()),
            "trusted": self.standing.is_trusted(),
            "by": by,
            "left_out": left.collect::<Vec<_>>(),
        })
    }

    /// The files of the project that are used, in words.
    pub(crate) fn given(&self) -> String {
        let taken = self.pieces.iter().filter(|(_, left)| left.is_none());
        let names = self.names(&taken.map(|(piece, _)| piece).collect::<Vec<_>>());
        match names.is_empty() {
            true => "it has no files that need trust yet".to_owned(),
            false => format!("{} used from now on", listed(&names)),
        }
    }

    fn left(&self, is: impl Fn(&Left) -> bool) -> Vec<&Piece> {
        let left = self.pieces.iter().filter(|(_, left)| left.as_ref().is_some_and(&is));
        left.map(|(piece, _)| piece).collect()
    }

    /// Files by their paths in the project, agents and skills by their number.
    pub(super) fn names(&self, pieces: &[&Piece]) -> Vec<String> {
        let root = self.project.as_ref().map(|project| project.root.as_path());
        let mut names = Vec::new();
        for kind in [Kind::Instructions, Kind::Settings] {
            let of_kind = pieces.iter().filter(|piece| piece.kind == kind);
            names.extend(of_kind.map(|piece| within(&piece.path, root)));
        }
        for (kind, word) in [(Kind::Agent, "agent"), (Kind::Skill, "skill")] {
            let mut units: Vec<_> = pieces.iter().filter(|piece| piece.kind == kind).collect();
            units.dedup_by_key(|piece| &piece.unit);
            let number = units.len() as u64;
            names.extend((number > 0).then(|| count(number, word)));
        }
        names
    }
}

/// A path relative to the project.
pub(super) fn within(path: &Path, root: Option<&Path>) -> String {
    let inside = root.and_then(|root| path.strip_prefix(root).ok());
    shown(inside.unwrap_or(path))
}

/// Names with a verb: `a, b and c are`.
fn listed(names: &[String]) -> String {
    let some: Vec<_> = names.iter().take(NAMED).cloned().collect();
    let more = names.len() - some.len();
    let mut all = some;
    all.extend((more > 0).then(|| format!("{more} more")));
    match all.split_last() {
        None => String::new(),
        Some((one, []))
            if one.starts_with(|c: char| c.is_ascii_digit()) && !one.starts_with("1 ") =>
        {
            format!("{one} are")
        }
        Some((one, [])) => format!("{one} is"),
        Some((last, before)) => format!("{} and {last} are", before.join(", ")),
    }
}
