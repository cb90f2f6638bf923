//! What a run changed in files that instruct an agent: shown, and confirmed.

use std::fs;
use std::io::{self, BufRead, Write, stdin};
use std::path::{Path, PathBuf};

use legwork::tools::diff::unified;

use super::contents;
use super::known;
use super::records::Records;
use super::state::StateFolder;
use super::surface::{self, Piece};
use super::{Asks, Left, Trust, report};
use crate::config::locate::shown;
use crate::display::seen;
use crate::display::text::{clip_with, visible};
use crate::display::{Terminal, Tone};
use crate::error::Error;

/// The records, brought up to date for some folders; nothing is written.
pub(super) fn seen(state: &StateFolder, folders: &[PathBuf]) -> Result<Records, Error> {
    let mut records = state.read()?;
    let live = super::run::seen(&mut records, state);
    let live =
        live.map_err(|source| Error::System { doing: "listing the runs in progress", source })?;
    folders.iter().for_each(|folder| records.look(folder, &live));
    Ok(records)
}

impl Trust {
    /// Whether the user has approved the present content of a file.
    pub(super) fn is_own(&self, piece: &Piece) -> bool {
        self.records.is_own(&piece.path, known::digest(&piece.content).as_ref())
    }

    /// Asks about files that a run may have written.
    ///
    /// # Errors
    /// When the terminal is gone, or the answer cannot be recorded.
    pub(super) fn confirmed(mut self, asks: Asks) -> Result<Self, Error> {
        let is_changed = |left: &Option<Left>| *left == Some(Left::Changed);
        if asks == Asks::Never || !self.pieces.iter().any(|(_, left)| is_changed(left)) {
            return Ok(self);
        }
        let failed = |source| Error::System { doing: "asking at the terminal", source };
        let terminal = Terminal::detect();
        let mut out = seen::err();
        self.show_changes(terminal, &mut out).map_err(failed)?;
        match answer(&mut stdin().lock(), &mut out).map_err(failed)? {
            Some(Lasts::Ever) => {
                let changed = self.pieces.iter().filter(|(_, left)| is_changed(left));
                self.confirm(changed.map(|(piece, _)| piece))?;
                self.take(&Left::Changed);
            }
            Some(Lasts::Once) => self.take(&Left::Changed),
            None => {}
        }
        Ok(self)
    }

    /// Records that the user approves these files as they were read.
    pub(super) fn confirm<'p>(&self, pieces: impl Iterator<Item = &'p Piece>) -> Result<(), Error> {
        let Some(project) = &self.project else { return Ok(()) };
        let state = StateFolder::own()?;
        state
            .change(|records| {
                // The project's other files were examined, too.
                let live = super::run::seen(records, &state)?;
                project.folders.iter().for_each(|folder| records.look(folder, &live));
                pieces
                    .for_each(|piece| records.confirm(&piece.path, known::digest(&piece.content)));
                contents::keep(&state, records)
            })?
            .map_err(|source| Error::System { doing: "recording what is trusted", source })
    }

    /// Records that the user approves all present files; returns those that runs had changed.
    pub(crate) fn confirm_all(&self) -> Result<Vec<PathBuf>, Error> {
        let Some(project) = &self.project else { return Ok(Vec::new()) };
        let state = StateFolder::own()?;
        let changed = state.change(|records| {
            let live = super::run::seen(records, &state)?;
            let mut changed = Vec::new();
            for folder in project.folders.iter().cloned().chain(surface::within(&project.root)) {
                records.look(&folder, &live);
                for path in surface::of_folder(&folder) {
                    let now = known::now(&path);
                    if !records.is_own(&path, now.as_ref()) {
                        records.confirm(&path, now);
                        changed.push(path);
                    }
                }
            }
            contents::keep(&state, records)?;
            Ok(changed)
        })?;
        changed.map_err(|source: io::Error| Error::System {
            doing: "recording what is trusted",
            source,
        })
    }

    fn show_changes(&self, terminal: Terminal, out: &mut impl Write) -> io::Result<()> {
        let Some(project) = &self.project else { return Ok(()) };
        let root = shown(&project.root);
        writeln!(out, "Files that instruct an agent were changed during a run in {root}:")?;
        for (piece, _) in self.pieces.iter().filter(|(_, left)| *left == Some(Left::Changed)) {
            for line in self.diff(piece, &project.root).lines() {
                let tone = match line.chars().next() {
                    Some('+') => Tone::Added,
                    Some('-') => Tone::Removed,
                    _ => Tone::Quiet,
                };
                let line = visible(line).replace('\t', "    ");
                let line = clip_with(&line, terminal.columns * 4, terminal.marks.more);
                writeln!(out, "{}", terminal.paint(tone, &line))?;
            }
        }
        Ok(())
    }

    /// What a run changed in a file, compared with the content that the user approved.
    fn diff(&self, piece: &Piece, root: &Path) -> String {
        let before = self.records.own(&piece.path);
        let before = before.and_then(|digest| contents::of(&StateFolder::own().ok()?, digest));
        let now = match &piece.content {
            Ok(Some(content)) => content.bytes.clone(),
            Ok(None) => Vec::new(),
            Err(why) => why.to_string().into_bytes(),
        };
        unified(&report::within(&piece.path, Some(root)), &before.unwrap_or_default(), &now)
    }
}

/// For how long changed files are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lasts {
    Ever,
    Once,
}

/// The user's answer; none means no.
fn answer(answers: &mut impl BufRead, out: &mut impl Write) -> io::Result<Option<Lasts>> {
    write!(out, "Use them as they are now? [y]es, [o]nce, [N]o: ")?;
    out.flush()?;
    let mut said = String::new();
    if answers.read_line(&mut said)? == 0 {
        writeln!(out)?;
    }
    Ok(match said.trim().to_lowercase().as_str() {
        "y" | "yes" => Some(Lasts::Ever),
        "o" | "once" => Some(Lasts::Once),
        // An answer that is not understood is not consent.
        _ => None,
    })
}

/// The places that a run can write to, with links resolved.
pub(crate) fn places(written: &[PathBuf]) -> Vec<PathBuf> {
    written.iter().filter_map(|path| fs::canonicalize(path).ok()).collect()
}
