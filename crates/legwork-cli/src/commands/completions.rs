//! `legwork completions`: what a shell needs to complete words.

use crate::args;
use crate::commands::print_data;
use crate::complete;
use crate::error::Error;
use crate::exit::Exit;

pub(super) fn completions(args: &args::Completions) -> Result<Exit, Error> {
    print_data(&complete::script(args.shell)?)
}
