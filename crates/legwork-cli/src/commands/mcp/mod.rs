//! `legwork mcp`: the servers whose tools the agent has, and the one that it is.

mod add;
mod list;
mod login;
mod remove;
mod serve;
mod test;
mod written;

use std::path::Path;

use crate::args;
use crate::commands::nearest;
use crate::config::Config;
use crate::error::Error;
use crate::exit::Exit;

pub(super) async fn mcp(
    args: args::Mcp,
    config: &Config,
    file: Option<&Path>,
) -> Result<Exit, Error> {
    match args {
        args::Mcp::List(args) => list::list(&args, config),
        args::Mcp::Add(args) => add::add(&args, config, file),
        args::Mcp::Rm(args) => remove::remove(&args, config, file),
        args::Mcp::Login(args) => login::login(&args, config).await,
        args::Mcp::Logout(args) => login::logout(&args, config).await,
        args::Mcp::Test(args) => test::test(&args, config).await,
        args::Mcp::Serve(args) => serve::serve(*args, config).await,
    }
}

/// There is no server of a name.
fn unknown<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Error {
    let known: Vec<_> = known.collect();
    let hint = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? `legwork mcp list` lists all"),
        None if known.is_empty() => "there is none yet: `legwork mcp add` adds one".to_owned(),
        None => format!("the servers are {}", known.join(", ")),
    };
    Error::usage(format!("there is no MCP server {name:?}"), hint)
}
