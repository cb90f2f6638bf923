//! `legwork models`: which there are, what is known of them, and whether they answer.

mod list;
pub(crate) mod ping;
mod prices;
mod servers;
mod show;

use crate::args;
use crate::config::Config;
use crate::error::Error;
use crate::exit::Exit;

pub(crate) async fn models(args: args::Models, config: &Config) -> Result<Exit, Error> {
    match args {
        args::Models::List(args) => list::list(&args, config).await,
        args::Models::Show(args) => show::show(&args, config),
        args::Models::Ping(args) => ping::ping(args, config).await,
    }
}
