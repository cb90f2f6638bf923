//! `legwork completions`: what a shell needs to complete words.

use std::borrow::Cow;

use clap::CommandFactory as _;

use crate::args::{self, Cli};
use crate::commands::print;
use crate::error::Error;
use crate::exit::Exit;

pub(super) fn completions(args: &args::Completions) -> Result<Exit, Error> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "legwork", &mut script);
    let script: Cow<'_, str> = String::from_utf8_lossy(&script);
    print(&script)
}
