//! The private directory of a command, gone when the command is.

use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::Mode;
use rustix::rand::{GetRandomFlags, getrandom};

/// Names tried before we give up.
const NAMES: usize = 100;
/// Where it is made.
const TEMP: &str = "/tmp";

/// A directory that nobody else may enter; removed when dropped, with all it
/// holds, links not followed.
#[derive(Debug)]
pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub(super) fn new() -> io::Result<Self> {
        for _ in 0..NAMES {
            let mut random = [0_u8; 8];
            getrandom(&mut random, GetRandomFlags::empty())?;
            let name = format!("legwork-{:016x}", u64::from_ne_bytes(random));
            let path = Path::new(TEMP).join(name);
            match rustix::fs::mkdir(&path, Mode::RWXU) {
                Ok(()) => return Ok(Self(path)),
                Err(rustix::io::Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What the command left so that it cannot be removed stays in the
        // system's temporary directory, which the system cleans.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
