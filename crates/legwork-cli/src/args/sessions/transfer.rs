//! `legwork sessions export` and `import`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::args::Store;

pub(super) const EXPORT: &str = "\
Examples:
  legwork sessions export a1b2c3d4 -o work.jsonl    the journal, to import it
  legwork sessions export a1b2c3d4 -o work.html     a page to read and pass on
  legwork sessions export a1b2c3d4 -o work.md       the same as Markdown
  legwork sessions export a1b2c3d4 | gzip > work.jsonl.gz

The sessions of subagents come with the one that they work for. A page is one
file that loads nothing. Secrets are masked when a journal is written; look at
what tools read before you pass an export on.";

pub(super) const IMPORT: &str = "\
Examples:
  legwork sessions import work.jsonl
  legwork sessions import work.jsonl --as second
  gunzip -c work.jsonl.gz | legwork sessions import - --store sqlite:new.db

The file is checked first, as `legwork sessions check` does; if anything in it is
wrong, or there is a session of one of its ids already, nothing is imported. What
waited for an answer waits again; what waited in an inbox is not in a journal. A
session that was interrupted is due: a worker of the store goes on with it. A
journal says what was approved: import only from people whom you trust.";

/// The format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// The journals, one entry a line
    Jsonl,
    /// A transcript to read, as Markdown
    Markdown,
    /// A transcript to read, as one page
    Html,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The session: its id, or the beginning or end of it
    #[arg(add = crate::complete::sessions())]
    pub(crate) session: String,
    /// The format [default: that of the file's extension, else jsonl]
    #[arg(long, value_enum)]
    pub(crate) format: Option<Format>,
    /// The file to write, or - for standard output [default: -]
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite a file that is there
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) store: Store,
}

impl Export {
    /// The file to write; none if that is standard output.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| *path != Path::new("-"))
    }

    /// The format that was given, else that of the file's extension.
    ///
    /// # Errors
    /// An extension that no format has.
    pub(crate) fn format(&self) -> Result<Format, String> {
        if let Some(format) = self.format {
            return Ok(format);
        }
        let Some(extension) = self.file().and_then(Path::extension) else {
            return Ok(Format::Jsonl);
        };
        let extension = extension.to_string_lossy();
        match extension.to_ascii_lowercase().as_str() {
            "md" | "markdown" => Ok(Format::Markdown),
            "html" | "htm" => Ok(Format::Html),
            "jsonl" | "ndjson" | "json" => Ok(Format::Jsonl),
            _ => Err(extension.into_owned()),
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// The file with the journals, or - for standard input
    #[arg(value_hint = clap::ValueHint::FilePath)]
    pub(crate) file: String,
    /// The id that the session gets; those of its subagents begin with it
    #[arg(long = "as", value_name = "ID")]
    pub(crate) id: Option<String>,
    #[command(flatten)]
    pub(crate) store: Store,
}
