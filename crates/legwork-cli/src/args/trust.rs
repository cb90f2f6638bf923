//! `legwork trust`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

pub(super) const EXAMPLES: &str = "\
Examples:
  legwork trust add                      the project that you are in
  legwork trust list
  legwork trust rm ~/work/site
  legwork run --trust \"Fix the tests\"    only this time

A project is the repository that a directory lies in, or the directory itself.
Until it is trusted, its AGENTS.md, legwork.toml, agents and skills are left out,
with a warning. At a terminal you are asked. In your own legwork.toml,
trust = [\"~/work/*\"] trusts all projects below a folder.";

const LIST_EXAMPLES: &str = "\
Examples:
  legwork trust list
  legwork trust list --json | jq -r .path";

const ADD_EXAMPLES: &str = "\
Examples:
  legwork trust add
  legwork trust add ~/work/site ~/work/shop
  legwork trust add --owner alice /srv/shared    use files of alice, too

This also confirms what runs changed in files that instruct an agent. Files of
other users are left out unless you name them with --owner: their owners can
change them at any time.";

const RM_EXAMPLES: &str = "\
Examples:
  legwork trust rm
  legwork trust rm ~/work/site";

#[derive(Debug, Subcommand)]
pub(crate) enum Trust {
    /// List the projects that are trusted, or refused
    #[command(after_help = LIST_EXAMPLES)]
    List(TrustList),
    /// Trust projects, with their files as they are now
    #[command(after_help = ADD_EXAMPLES)]
    Add(TrustAdd),
    /// Forget decisions about projects
    #[command(visible_alias = "remove", after_help = RM_EXAMPLES)]
    Rm(TrustRemove),
}

#[derive(Debug, Args)]
pub(crate) struct TrustList {
    /// Print one project a line, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TrustAdd {
    /// Directories of the projects [default: the current one]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Use files of this user too, by name or number; may be given again
    #[arg(long, value_name = "USER", value_parser = crate::trust::owner::user)]
    pub(crate) owner: Vec<u32>,
    /// Print one project a line, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TrustRemove {
    /// Directories of the projects [default: the current one]
    #[arg(value_name = "PATH", add = crate::complete::projects())]
    pub(crate) paths: Vec<PathBuf>,
    /// Print one project a line, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl Trust {
    /// Whether the output is to be JSON.
    pub(super) fn json(&self) -> bool {
        match self {
            Self::List(args) => args.json,
            Self::Add(args) => args.json,
            Self::Rm(args) => args.json,
        }
    }
}
