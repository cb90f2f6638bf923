//! `legwork sessions`: looking at sessions without touching them, and removing them.

mod diff;
mod list;
mod needle;
mod place;
mod remove;
mod search;
mod show;
mod transcript;

use crate::args;
use crate::error::Error;
use crate::exit::Exit;

pub(crate) async fn sessions(args: args::Sessions) -> Result<Exit, Error> {
    match args {
        args::Sessions::List(args) => list::list(args).await,
        args::Sessions::Show(args) => show::show(args).await,
        args::Sessions::Diff(args) => diff::diff(args).await,
        args::Sessions::Remove(args) => remove::remove(args).await,
        args::Sessions::Search(args) => search::search(args).await,
    }
}
