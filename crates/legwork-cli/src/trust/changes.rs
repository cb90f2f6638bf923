//! What a run changed in files that tell an agent what to do: shown, and confirmed.

use std::fs;
use std::io::{self, BufRead, Write, stdin};
use std::path::{Path, PathBuf};

use legwork::tools::diff::unified;

use super::contents;
use super::known;
use super::records::Records;
use super::shelf::Shelf;
use super::surface::{self, Piece};
use super::{Asks, Left, Trust, told};
use crate::config::locate::shown;
use crate::display::seen;
use crate::display::text::{clip_with, visible};
use crate::display::{Terminal, Tone};
use crate::error::Error;

/// What is known of the files of some folders; nothing is written.
pub(super) fn seen(shelf: &Shelf, folders: &[PathBuf]) -> Result<Records, Error> {
    let mut records = shelf.read()?;
    let live = super::run::seen(&mut records, shelf);
    let live = live.map_err(|source| Error::System { doing: "looking for runs", source })?;
    folders.iter().for_each(|folder| records.look(folder, &live));
    Ok(records)
}

impl Trust {
    /// Whether the person answers for what a file says.
    pub(super) fn is_own(&self, piece: &Piece) -> bool {
        self.records.is_own(&piece.path, known::digest(&piece.content).as_ref())
    }

    /// Asks about files that a run may have written.
    ///
    /// # Errors
    /// When the terminal is gone, or the answer cannot be remembered.
    pub(super) fn confirmed(mut self, asks: Asks) -> Result<Self, Error> {
        let is_changed = |left: &Option<Left>| *left == Some(Left::Changed);
        if asks == Asks::Nobody || !self.pieces.iter().any(|(_, left)| is_changed(left)) {
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

    /// The person answers for what files say.
    pub(super) fn confirm<'p>(&self, pieces: impl Iterator<Item = &'p Piece>) -> Result<(), Error> {
        let Some(project) = &self.project else { return Ok(()) };
        let shelf = Shelf::own()?;
        shelf
            .change(|records| {
                // What else there is was looked at, too.
                let live = super::run::seen(records, &shelf)?;
                project.folders.iter().for_each(|folder| records.look(folder, &live));
                pieces
                    .for_each(|piece| records.confirm(&piece.path, known::digest(&piece.content)));
                contents::keep(&shelf, records)
            })?
            .map_err(|source| Error::System { doing: "remembering what is trusted", source })
    }

    /// The person answers for all that the project has now; what runs had changed is told.
    pub(crate) fn confirm_all(&self) -> Result<Vec<PathBuf>, Error> {
        let Some(project) = &self.project else { return Ok(Vec::new()) };
        let shelf = Shelf::own()?;
        let changed = shelf.change(|records| {
            let live = super::run::seen(records, &shelf)?;
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
            contents::keep(&shelf, records)?;
            Ok(changed)
        })?;
        changed.map_err(|source: io::Error| Error::System {
            doing: "remembering what is trusted",
            source,
        })
    }

    fn show_changes(&self, terminal: Terminal, out: &mut impl Write) -> io::Result<()> {
        let Some(project) = &self.project else { return Ok(()) };
        let root = shown(&project.root);
        writeln!(out, "In {root} files that tell an agent what to do were changed during a run:")?;
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

    /// What a run changed in a file, from what the person answered for.
    fn diff(&self, piece: &Piece, root: &Path) -> String {
        let before = self.records.own(&piece.path);
        let before = before.and_then(|digest| contents::of(&Shelf::own().ok()?, digest));
        let now = match &piece.content {
            Ok(Some(content)) => content.bytes.clone(),
            Ok(None) => Vec::new(),
            Err(why) => why.to_string().into_bytes(),
        };
        unified(&told::within(&piece.path, Some(root)), &before.unwrap_or_default(), &now)
    }
}

/// For how long something is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lasts {
    Ever,
    Once,
}

/// The answer of a person; none is no.
fn answer(answers: &mut impl BufRead, out: &mut impl Write) -> io::Result<Option<Lasts>> {
    write!(out, "Take what they say now? [y]es, [o]nce, [N]o: ")?;
    out.flush()?;
    let mut said = String::new();
    if answers.read_line(&mut said)? == 0 {
        writeln!(out)?;
    }
    Ok(match said.trim().to_lowercase().as_str() {
        "y" | "yes" => Some(Lasts::Ever),
        "o" | "once" => Some(Lasts::Once),
        // Who cannot be understood has not agreed.
        _ => None,
    })
}

/// The places that a run can write to, links resolved.
pub(crate) fn places(written: &[PathBuf]) -> Vec<PathBuf> {
    written.iter().filter_map(|path| fs::canonicalize(path).ok()).collect()
}
