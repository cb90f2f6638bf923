//! `legwork config init`: the user's file, with all keys as comments.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use crate::commands::print;
use crate::config::help::example;
use crate::config::locate::{UserFile, shown};
use crate::error::Error;
use crate::exit::Exit;

pub(super) fn init(file: Option<&Path>) -> Result<Exit, Error> {
    let Some(place) = UserFile::find(file) else {
        let message = "there is no place for settings: neither HOME nor XDG_CONFIG_HOME is set";
        return Err(Error::usage(message, "name one with --config PATH"));
    };
    let path = place.path();
    write(path).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            let message = format!("{} is there already, and stays as it is", shown(path));
            Error::usage(message, "`legwork help config` lists what can be put into it")
        }
        _ => {
            let message = format!("{} cannot be written: {error}", shown(path));
            Error::usage(message, "name another place with --config PATH")
        }
    })?;
    print(&format!("{} is written; everything in it is still a comment\n", shown(path)))
}

fn write(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(example().as_bytes())
}
