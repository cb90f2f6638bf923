//! How long the `search` tool takes, compared with `rg`, over a tree of many files.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

use serde_json::json;
use tempfile::TempDir;

use super::Side;
use crate::{error::Error, workload::Sample};

/// Folders of the tree, and files in each.
const FOLDERS: usize = 1_000;
const FILES: usize = 100;
/// Lines of a file, and words of a line.
const LINES: usize = 30;
const WORDS: usize = 8;
/// One of this many files has a match, once.
const RARE: usize = 1_000;

/// The words of the lines.
const VOCABULARY: [&str; 32] = [
    "let", "mut", "fn", "struct", "impl", "return", "match", "value", "error", "result", "state",
    "entry", "token", "journal", "stream", "option", "vector", "string", "buffer", "length",
    "index", "count", "config", "server", "client", "request", "response", "handler", "module",
    "channel", "reader", "Needless",
];

/// A tree of 100,000 files, and the two programs that search it.
pub(super) struct Search {
    legwork: PathBuf,
    tree: TempDir,
    home: TempDir,
}

/// A query, in the form of each of the two.
struct Query {
    measure: &'static str,
    pattern: &'static str,
    rg: &'static [&'static str],
    legwork: fn(&str) -> serde_json::Value,
}

const QUERIES: [Query; 2] = [
    Query {
        measure: "regex_ms",
        pattern: "legwork_[a-z]+_needle",
        rg: &["--context", "2"],
        legwork: |pattern| json!({"pattern": pattern, "context": 2}),
    },
    Query {
        measure: "ignore_case_ms",
        pattern: "LEGWORK_RARE_needle",
        rg: &["--ignore-case"],
        legwork: |pattern| json!({"pattern": pattern, "ignore_case": true}),
    },
];

/// Whether the baseline, `rg`, is installed.
pub(super) fn has_baseline() -> bool {
    let tried = Command::new("rg").arg("--version").stdout(Stdio::null()).status();
    tried.is_ok_and(|status| status.success())
}

impl Search {
    /// Makes the tree, and lets both search it once, so that it is in the page cache.
    pub(super) fn open(legwork: &Path, dir: &Path) -> Result<Self, Error> {
        if !legwork.is_file() {
            return Err(Error::NoCommand(legwork.to_owned()));
        }
        let folder = || tempfile::Builder::new().prefix("legwork-bench-").tempdir_in(dir);
        let folder = || folder().map_err(Error::io("making a folder to search"));
        let search = Self { legwork: legwork.to_owned(), tree: folder()?, home: folder()? };
        fill(search.tree.path()).map_err(Error::io("making a tree of files"))?;
        search.measure(Side::Baseline)?;
        search.measure(Side::Legwork)?;
        Ok(search)
    }

    /// Runs all queries on one side, each from the start of its process to its end.
    pub(super) fn measure(&self, side: Side) -> Result<Sample, Error> {
        QUERIES
            .iter()
            .map(|query| {
                let mut command = match side {
                    Side::Baseline => self.rg(query),
                    Side::Legwork => self.legwork(query),
                };
                Ok((query.measure.to_owned(), timed(&mut command)?))
            })
            .collect()
    }

    fn rg(&self, query: &Query) -> Command {
        let mut command = Command::new("rg");
        command.args(["--line-number", "--color", "never", "--no-config"]).args(query.rg);
        command.args([query.pattern, "."]).current_dir(self.tree.path());
        command
    }

    fn legwork(&self, query: &Query) -> Command {
        let mut command = Command::new(&self.legwork);
        let arguments = (query.legwork)(query.pattern).to_string();
        command.args(["tools", "call", "search", &arguments]).current_dir(self.tree.path());
        command.env("HOME", self.home.path());
        command
    }
}

/// Runs a search and checks that it found everything; in milliseconds.
fn timed(command: &mut Command) -> Result<f64, Error> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let name = command.get_program().to_string_lossy().into_owned();
    let start = Instant::now();
    let output = command
        .output()
        .map_err(Error::io(format!("starting `{name}` (ripgrep is the baseline of SEARCH)")))?;
    let took = start.elapsed();
    if !output.status.success() {
        return Err(Error::Child { command: name, status: output.status.to_string() });
    }
    let (expected, found) =
        (FOLDERS * FILES / RARE, memchr::memmem::find_iter(&output.stdout, "rare_needle").count());
    if expected != found {
        let (expected, found) = (expected.to_string(), found.to_string());
        return Err(Error::Outcome { what: "lines found by a search", expected, found });
    }
    Ok(took.as_secs_f64() * 1e3)
}

/// Makes the files, the same ones every time.
fn fill(root: &Path) -> std::io::Result<()> {
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let mut text = Vec::new();
    for folder in 0..FOLDERS {
        let (a, b) = (folder % 10, folder / 10 % 10);
        let path = root.join(format!("part_{a}/group_{b}/module_{folder}"));
        fs::create_dir_all(&path)?;
        for file in 0..FILES {
            text.clear();
            for line in 0..LINES {
                for _ in 0..WORDS {
                    let at = usize::try_from(next() % 32).unwrap_or_default();
                    write!(text, "{} ", VOCABULARY.get(at).copied().unwrap_or_default())?;
                }
                let rare = line == LINES / 2 && (folder * FILES + file).is_multiple_of(RARE);
                writeln!(text, "{}", if rare { "legwork_rare_needle" } else { "" })?;
            }
            fs::write(path.join(format!("file_{file}.rs")), &text)?;
        }
    }
    Ok(())
}
