//! The files that a skill brings.

use std::fs;
use std::path::{Path, PathBuf};

use super::Skill;
use crate::file;
use crate::problem::Problem;

const MAX_FILES: usize = 10_000;
const MAX_DEPTH: usize = 16;

/// All regular files below a folder, relative to it.
pub(super) fn list(folder: &Path) -> Result<Vec<PathBuf>, Problem> {
    let mut files = Vec::new();
    let mut left = vec![(PathBuf::new(), 0)];
    while let Some((within, depth)) = left.pop() {
        let here = folder.join(&within);
        let failed = |error: std::io::Error| file::unreadable(&error).in_file(&here);
        for entry in fs::read_dir(&here).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            if name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let path = within.join(name);
            // Of the entry itself, so that a link is neither.
            let kind = entry.file_type().map_err(failed)?;
            if kind.is_dir() {
                left.push((path, depth + 1));
            } else if kind.is_file() && path != Path::new(Skill::FILE) {
                files.push(path);
            }
        }
        if files.len() + left.len() > MAX_FILES || depth > MAX_DEPTH {
            let message =
                format!("has more than {MAX_FILES} files, or {MAX_DEPTH} levels of folders");
            return Err(Problem::new(message, "take out what it does not need").in_file(folder));
        }
    }
    files.sort();
    Ok(files)
}
