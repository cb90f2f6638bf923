//! `legwork config`: looking at settings, without doing anything with them.

mod init;
mod known;
mod path;
mod show;

use std::path::Path;

use crate::args;
use crate::error::Error;
use crate::exit::Exit;

/// `file` is the user's file that a flag names.
pub(crate) fn config(args: &args::Config, file: Option<&Path>) -> Result<Exit, Error> {
    match args {
        args::Config::Show(args) => show::show(args, file),
        args::Config::Path(args) => path::path(args, file),
        args::Config::Init => init::init(file),
    }
}
