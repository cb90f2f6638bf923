//! What a command keeps in directories that lie in memory and are its own.
//!
//! It is looked at by the guard, so nothing here allocates, locks or panics once
//! it was prepared.

use std::ffi::{CStr, CString};
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use rustix::fs::{stat, statfs};

/// Bytes that the kernel keeps for a file in memory, besides its content: its inode and its
/// name.
const FILE: u64 = 1024;
/// Most bytes of the path of a directory, seen through a process.
const PATH_MAX: usize = 512;

/// The directories, prepared before the fork.
#[derive(Debug, Default)]
pub(super) struct Private(Vec<Prepared>);

#[derive(Debug)]
struct Prepared {
    place: CString,
    /// The device that it is on for us: a process that sees it there sees what we do.
    device: Option<u64>,
}

impl Private {
    /// Directories as the command sees them.
    pub(super) fn new(places: &[PathBuf]) -> Self {
        let prepared = places.iter().filter_map(|place| {
            let device = stat(place).ok().map(|stat| stat.st_dev);
            Some(Prepared { place: CString::new(place.as_os_str().as_bytes()).ok()?, device })
        });
        Self(prepared.collect())
    }

    /// Bytes in them, if this process sees them as its own.
    pub(super) fn kept(&self, process: i32) -> Option<u64> {
        let mut own = None;
        for prepared in &self.0 {
            let Some(bytes) = prepared.kept(process) else { continue };
            own = Some(own.unwrap_or(0_u64).saturating_add(bytes));
        }
        own
    }
}

impl Prepared {
    fn kept(&self, process: i32) -> Option<u64> {
        let mut space = [0_u8; PATH_MAX];
        let path = through(&mut space, process, &self.place)?;
        let device = stat(path).ok()?.st_dev;
        if Some(device) == self.device {
            return None;
        }
        let found = statfs(path).ok()?;
        let used = found.f_blocks.saturating_sub(found.f_bfree);
        let files = found.f_files.saturating_sub(found.f_ffree).saturating_mul(FILE);
        Some(used.saturating_mul(u64::try_from(found.f_bsize).ok()?).saturating_add(files))
    }
}

fn through<'s>(space: &'s mut [u8; PATH_MAX], process: i32, place: &CStr) -> Option<&'s CStr> {
    let mut rest = &mut space[..];
    write!(rest, "/proc/{process}/root").ok()?;
    rest.write_all(place.to_bytes_with_nul()).ok()?;
    CStr::from_bytes_until_nul(space).ok()
}
