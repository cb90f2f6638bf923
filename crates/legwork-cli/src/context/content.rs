//! The text of one file of a project's context.

use std::path::PathBuf;

use crate::trust::file;

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
    /// Nobody knows what it says.
    #[error("skipped: it is not UTF-8 text; bring it into that with `iconv -t UTF-8`")]
    NoText,
    /// All the room is taken by files that stand nearer.
    #[error("skipped: the files nearer to the directory take all of the {0} bytes there are")]
    NoRoom(usize),
}

/// The text of the first `most` bytes of a file; none if it is empty or was `seen` before.
pub(super) fn content(
    file: &file::Content,
    most: usize,
    seen: &mut Vec<PathBuf>,
) -> Result<Option<Content>, Skipped> {
    if seen.contains(&file.path) {
        return Ok(None);
    }
    seen.push(file.path.clone());
    let whole = usize::try_from(file.length).is_ok_and(|length| length <= most);
    if whole {
        let text = String::from_utf8(file.bytes.clone()).map_err(|_| Skipped::NoText)?;
        return Ok((!text.trim().is_empty()).then_some(Content { text, cut: None }));
    }
    if most == 0 {
        return Err(Skipped::NoRoom(super::MOST_ALL));
    }
    cut(file.bytes.clone(), most, file.length).map(Some)
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
