//! One file of a project's context, read with care: whoever wrote it may be a stranger.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::PathBuf;

use super::places::Place;

/// Bytes that one file gives at most.
pub(super) const MOST_EACH: usize = 64 << 10;

/// What a file tells.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Content {
    pub(super) text: String,
    /// Why it is not all of it, if it is not.
    pub(super) cut: Option<String>,
}

/// Why a file tells nothing.
#[derive(Debug, thiserror::Error)]
pub(super) enum Skipped {
    /// A device, pipe or folder: reading it could last for ever.
    #[error("skipped: it is {0}, not a file")]
    NoFile(&'static str),
    /// Its text could come from anywhere on the machine.
    #[error("skipped: it is a link that leads out of the repository, to {}", .0.display())]
    LeadsOut(PathBuf),
    /// Nobody knows what it says.
    #[error("skipped: it is not UTF-8 text; bring it into that with `iconv -t UTF-8`")]
    NoText,
    /// All the room is taken by files that stand nearer.
    #[error("skipped: the files nearer to the directory take all of the {0} bytes there are")]
    NoRoom(usize),
    /// The operating system says no.
    #[error("skipped: it cannot be read: {0}")]
    Unreadable(#[from] io::Error),
}

/// Reads at most so many bytes of a file; none if there is none, it is empty, or it is one
/// of those that were `seen` before.
pub(super) fn read(
    place: &Place,
    most: usize,
    seen: &mut Vec<PathBuf>,
) -> Result<Option<Content>, Skipped> {
    let path = match fs::canonicalize(&place.path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        // A file stands where a folder should.
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Ok(None),
        path => path?,
    };
    if place.within.as_ref().is_some_and(|root| !path.starts_with(root)) {
        return Err(Skipped::LeadsOut(path));
    }
    if seen.contains(&path) {
        return Ok(None);
    }
    // To open a pipe would wait for somebody who writes to it.
    is_file(&fs::metadata(&path)?)?;
    let file = File::open(&path)?;
    let about = file.metadata()?;
    is_file(&about)?;
    seen.push(path);
    let mut bytes = Vec::new();
    file.take(most as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() <= most {
        let text = String::from_utf8(bytes).map_err(|_| Skipped::NoText)?;
        return Ok((!text.trim().is_empty()).then_some(Content { text, cut: None }));
    }
    if most == 0 {
        return Err(Skipped::NoRoom(super::MOST_ALL));
    }
    cut(bytes, most, about.len()).map(Some)
}

fn is_file(about: &fs::Metadata) -> Result<(), Skipped> {
    match about.file_type() {
        kind if kind.is_file() => Ok(()),
        kind if kind.is_dir() => Err(Skipped::NoFile("a directory")),
        _ => Err(Skipped::NoFile("a pipe, socket or device")),
    }
}

/// The whole lines at the start, with a note that there is more.
fn cut(mut bytes: Vec<u8>, most: usize, of: u64) -> Result<Content, Skipped> {
    bytes.truncate(most);
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            // Only the last character may be torn.
            let whole = error.utf8_error();
            if whole.error_len().is_some() {
                return Err(Skipped::NoText);
            }
            let mut bytes = error.into_bytes();
            bytes.truncate(whole.valid_up_to());
            String::from_utf8(bytes).map_err(|_| Skipped::NoText)?
        }
    };
    let end = text.rfind('\n').map_or(text.len(), |at| at + 1);
    let kept = text.get(..end).unwrap_or_default();
    let note = format!("[cut here: {of} bytes long, only the first {end} are given]");
    let why = format!("cut: it is {of} bytes long, the agent gets the first {end}");
    Ok(Content { text: format!("{}\n{note}\n", kept.trim_end()), cut: Some(why) })
}
