//! The contents that the user approved, by digest, to show what changed.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::PathBuf;

use legwork::core::digest::Digest;

use super::file;
use super::known;
use super::records::Records;
use super::state::{StateFolder, make, replace};

/// Bytes of the largest content that is kept.
const MOST: u64 = 64 << 10;

fn folder(state: &StateFolder) -> PathBuf {
    state.folder.join("contents")
}

/// Keeps the contents that the user approved, and removes all others. The caller holds the
/// lock.
pub(super) fn keep(state: &StateFolder, records: &Records) -> io::Result<()> {
    let folder = folder(state);
    make(&folder)?;
    for (name, known) in &records.files {
        let Some(own) = &known.own else { continue };
        let path = folder.join(own.as_str());
        if path.exists() || known::now(&name.0).as_ref() != Some(own) {
            continue;
        }
        if let Ok(Some(content)) = file::read(&name.0, None)
            && content.length <= MOST
            && content.digest == *own
        {
            replace(&path, &content.bytes)?;
        }
    }
    let kept = records.files.values().filter_map(|known| known.own.as_ref());
    let kept: HashSet<_> = kept.map(Digest::as_str).collect();
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if !kept.contains(name) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// The content with this digest, if it was kept.
pub(super) fn of(state: &StateFolder, digest: &Digest) -> Option<Vec<u8>> {
    let bytes = fs::read(folder(state).join(digest.as_str())).ok()?;
    (Digest::of_bytes(&bytes) == *digest).then_some(bytes)
}
