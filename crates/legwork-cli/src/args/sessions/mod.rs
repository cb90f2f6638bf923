//! `legwork sessions`.

mod remove;
mod search;
mod set;
mod transfer;
mod tree;

use clap::{Args, Subcommand};

pub(in crate::args) use remove::age;
pub(crate) use remove::{Remove, Status};
pub(crate) use search::Search;
pub(crate) use set::Set;
pub(crate) use transfer::{Export, Format, Import};
pub(crate) use tree::{Branch, Copy, Fork, Label, Rewind, Title, Tree};

use super::Store;

pub(super) const EXAMPLES: &str = "\
Examples:
  legwork sessions list                 the sessions changed last
  legwork sessions show a1b2c3d4        what happened in one, step by step
  legwork sessions check a1b2c3d4       whether its journal is sound
  legwork sessions diff a1b2c3d4        which files it changed, and how
  legwork undo a1b2c3d4                 take those changes back
  legwork sessions show a1b2c3d4 --json | jq .type
  legwork sessions search \"cargo test\"  where something was asked, done or answered
  legwork sessions export a1b2c3d4 -o work.html
  legwork sessions rm a1b2c3d4          remove one for good";

const LIST_EXAMPLES: &str = "\
Examples:
  legwork sessions list
  legwork sessions list --limit 100
  legwork sessions list --status failed --since 7d
  legwork sessions list --json | jq -r .session";

const SHOW_EXAMPLES: &str = "\
Examples:
  legwork sessions show a1b2c3d4
  legwork sessions show a1b2c3d4 | less
  legwork sessions show a1b2c3d4 --json | jq .type";

const DIFF_EXAMPLES: &str = "\
Examples:
  legwork sessions diff a1b2c3d4                  the changes, as a patch
  legwork sessions diff a1b2c3d4 --stat           which files, and how many lines
  legwork sessions diff a1b2c3d4 | git apply -R   as `legwork undo` does

It tells what the session and its subagents changed, from their journals alone:
content, modes, symbolic links and binary files. Changes of shell commands are
told where the workspace is small enough to be watched, and not in files that
.gitignore leaves out. Paths are relative to the root of the Git repository;
`git apply` skips, without a word, those outside of the directory that it runs in.";

const CHECK_EXAMPLES: &str = "\
Examples:
  legwork sessions check a1b2c3d4
  legwork sessions check journal.jsonl
  legwork sessions show a1b2c3d4 --json | legwork sessions check -

It reports entries that cannot be read, numbers and parents that do not follow,
and events that have no effect because what they are about is not there. The
exit code is 1 if there is a problem.";

#[derive(Debug, Subcommand)]
pub(crate) enum Sessions {
    /// List sessions, the one changed last first
    #[command(after_help = LIST_EXAMPLES)]
    List(List),
    /// Show what happened in a session
    #[command(after_help = SHOW_EXAMPLES)]
    Show(Show),
    /// Validate the journal of a session, and report each problem with its entry
    #[command(after_help = CHECK_EXAMPLES)]
    Check(Check),
    /// Show the files that a session changed, before and after
    #[command(after_help = DIFF_EXAMPLES)]
    Diff(Diff),
    /// Remove sessions for good
    #[command(name = "rm", after_help = remove::EXAMPLES)]
    Remove(Remove),
    /// Search tasks, answers, tool arguments and results of all sessions
    #[command(after_help = search::EXAMPLES)]
    Search(Search),
    /// Show the branches of a session, its tasks and steps, and where its head is
    #[command(after_help = tree::TREE)]
    Tree(Tree),
    /// Go back to an entry of a session, and go on from there
    #[command(after_help = tree::BRANCH)]
    Branch(Branch),
    /// Go back to before the last task or steps of a session
    #[command(after_help = tree::REWIND)]
    Rewind(Rewind),
    /// Begin a new session from an entry of another one
    #[command(after_help = tree::FORK)]
    Fork(Fork),
    /// Label an entry of a session
    #[command(after_help = tree::LABEL)]
    Label(Label),
    /// Give a session a title
    #[command(after_help = tree::TITLE)]
    Title(Title),
    /// Set the model, instructions, limits or metadata of a session, also while it runs
    #[command(after_help = set::EXAMPLES)]
    Set(Set),
    /// Copy sessions from one store to another
    #[command(after_help = tree::COPY)]
    Copy(Copy),
    /// Write a session to a file: as a journal, or as a text to read
    #[command(after_help = transfer::EXPORT)]
    Export(Export),
    /// Take in the sessions of an exported journal
    #[command(after_help = transfer::IMPORT)]
    Import(Import),
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// How many to list at most
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// List only sessions of this status
    #[arg(long, value_enum, value_name = "STATUS")]
    pub(crate) status: Option<Status>,
    /// List only sessions that have an entry with this label
    #[arg(long, value_name = "LABEL")]
    pub(crate) label: Option<String>,
    /// List only sessions that changed in this time, such as 2h or 7d
    #[arg(long, value_name = "TIME", value_parser = remove::age)]
    pub(crate) since: Option<std::time::Duration>,
    /// List only sessions whose task has this text in its first line
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Leave out the sessions of subagents
    #[arg(long)]
    pub(crate) roots: bool,
    #[command(flatten)]
    pub(crate) store: Store,
    /// Print one session a line, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The session: its id, or the beginning or end of it
    #[arg(add = crate::complete::sessions())]
    pub(crate) session: String,
    #[command(flatten)]
    pub(crate) store: Store,
    /// Print the entries of its journal, one a line, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// The session (its id, or the beginning or end of it), a file with journals, or - for
    /// standard input
    #[arg(value_name = "ID|FILE", add = crate::complete::sessions())]
    pub(crate) journal: String,
    #[command(flatten)]
    pub(crate) store: Store,
    /// Print one problem a line, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Diff {
    /// The session: its id, or the beginning or end of it
    #[arg(add = crate::complete::sessions())]
    pub(crate) session: String,
    /// Only tell the files and how many lines changed in each
    #[arg(long, conflicts_with = "json")]
    pub(crate) stat: bool,
    #[command(flatten)]
    pub(crate) store: Store,
    /// Print one file a line, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl Sessions {
    /// Whether the output is to be JSON.
    pub(super) fn json(&self) -> bool {
        match self {
            Self::List(args) => args.json,
            Self::Show(args) => args.json,
            Self::Check(args) => args.json,
            Self::Diff(args) => args.json,
            Self::Remove(_) => false,
            Self::Search(args) => args.json,
            Self::Set(args) => args.json,
            Self::Tree(args) => args.json,
            Self::Branch(args) => args.output.json,
            Self::Rewind(_) | Self::Fork(_) => false,
            Self::Label(_) | Self::Title(_) | Self::Copy(_) => false,
            Self::Export(_) | Self::Import(_) => false,
        }
    }
}
