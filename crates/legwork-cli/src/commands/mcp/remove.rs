//! `legwork mcp rm`: a table less in the user's own file.

use std::path::Path;

use super::unknown;
use super::written::Written;
use crate::args;
use crate::commands::print;
use crate::config::Config;
use crate::error::Error;
use crate::exit::Exit;

pub(super) fn remove(
    args: &args::McpRemove,
    config: &Config,
    file: Option<&Path>,
) -> Result<Exit, Error> {
    let own = config.own_mcp();
    if !own.contains_key(&args.name) {
        return Err(unknown(&args.name, own.keys().map(String::as_str)));
    }
    let path = Written::open(file)?.without(&args.name)?;
    print(&format!("{} is removed from {path}\n", args.name))
}
