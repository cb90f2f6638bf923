//! `legwork sessions`: looking at sessions without touching them, and removing them.

mod branches;
mod changed;
mod check;
mod copy;
mod diff;
mod entry;
mod export;
mod fork;
mod import;
mod list;
mod moved;
mod named;
mod needle;
mod remove;
mod search;
mod show;
mod transcript;
mod tree;
mod words;

pub(crate) use diff::changes;
pub(crate) use list::{listed, running, summary_line};

use crate::args;
use crate::commands::inbox;
use crate::config::Config;
use crate::error::Error;
use crate::exit::Exit;

pub(crate) async fn sessions(args: args::Sessions, config: &Config) -> Result<Exit, Error> {
    match args {
        args::Sessions::List(args) => list::list(args, config).await,
        args::Sessions::Show(args) => show::show(args, config).await,
        args::Sessions::Check(args) => check::check(args, config).await,
        args::Sessions::Diff(args) => diff::diff(args, config).await,
        args::Sessions::Remove(args) => remove::remove(args, config).await,
        args::Sessions::Search(args) => search::search(args, config).await,
        args::Sessions::Tree(args) => branches::tree(args, config).await,
        args::Sessions::Branch(args) => moved::branch(*args, config).await,
        args::Sessions::Rewind(args) => moved::rewind(args, config).await,
        args::Sessions::Fork(args) => fork::fork(args, config).await,
        args::Sessions::Label(args) => named::label(args, config).await,
        args::Sessions::Title(args) => named::title(args, config).await,
        args::Sessions::Set(args) => inbox::set(args, config).await,
        args::Sessions::Copy(args) => copy::copy(args, config).await,
        args::Sessions::Export(args) => export::export(args, config).await,
        args::Sessions::Import(args) => import::import(args, config).await,
    }
}
