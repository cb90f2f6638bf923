//! The files that this process has open, as the system lists them.

use std::fs;
use std::path::{Path, PathBuf};

/// A file that is open.
pub(crate) struct OpenFile {
    pub(crate) path: PathBuf,
    /// How far it was read or written.
    pub(crate) position: u64,
}

/// All of them in a folder and below it.
pub(crate) fn below(folder: &Path) -> Vec<OpenFile> {
    let numbers = fs::read_dir("/proc/self/fd").unwrap().map(|file| file.unwrap().file_name());
    // Other threads close files meanwhile.
    let open = numbers.filter_map(|number| {
        let path = fs::read_link(Path::new("/proc/self/fd").join(&number)).ok()?;
        let info = fs::read_to_string(Path::new("/proc/self/fdinfo").join(&number)).ok()?;
        let position = info.lines().find_map(|line| line.strip_prefix("pos:"))?;
        Some(OpenFile { path, position: position.trim().parse().unwrap() })
    });
    open.filter(|file| file.path.starts_with(folder)).collect()
}
