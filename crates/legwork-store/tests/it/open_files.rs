//! The files that this process has open, as the system lists them.

use std::fs;
use std::path::{Path, PathBuf};

/// All of them in a folder and below it.
pub(crate) fn below(folder: &Path) -> Vec<PathBuf> {
    let numbers = fs::read_dir("/proc/self/fd").unwrap().map(|file| file.unwrap().file_name());
    // Other threads close files meanwhile.
    let open =
        numbers.filter_map(|number| fs::read_link(Path::new("/proc/self/fd").join(&number)).ok());
    open.filter(|path| path.starts_with(folder)).collect()
}
