//! What a child says to its parent, and the marks by which a trace of its calls is read.

use std::fmt;
use std::fs::File;
use std::io::{self, IoSlice, Write as _};

use legwork::agent::Error;

/// A file that is not there: opening it marks where the program begins in a trace.
pub(crate) const BEGINS: &str = "/legwork-sweep-begins";

/// The same where it ends.
pub(crate) const ENDS: &str = "/legwork-sweep-ends";

/// How many calls come before the program's own in its thread.
///
/// A fault at the nth call is one in each thread, and the main thread of a test opens and writes
/// files, too: fewer than so many.
const FIRST: usize = 64;

/// Something that a child says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Line {
    /// The program is through, after so many commits.
    Finished { appends: usize, posts: usize },
    /// It was given an error: whether that is one of the store, and its message.
    Failed { is_of_store: bool, message: String },
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Finished { appends, posts } => write!(f, "finished {appends} {posts}"),
            Self::Failed { is_of_store, message } => {
                write!(f, "failed {is_of_store} {}", message.replace('\n', " "))
            }
        }
    }
}

impl Line {
    /// The line in what the child wrote.
    pub(crate) fn read(line: &str) -> Option<Self> {
        let said = line.strip_prefix("child: ")?;
        if let Some(rest) = said.strip_prefix("failed ") {
            let (is_of_store, message) = rest.split_once(' ')?;
            let is_of_store = is_of_store.parse().ok()?;
            return Some(Self::Failed { is_of_store, message: message.to_owned() });
        }
        let (appends, posts) = said.strip_prefix("finished ")?.split_once(' ')?;
        Some(Self::Finished { appends: appends.parse().ok()?, posts: posts.parse().ok()? })
    }
}

/// Says a line on its error output, by `writev`: the calls of the store are those that fail.
pub(super) fn say(line: &Line) {
    let text = format!("child: {line}\n");
    let written = io::stderr().write_vectored(&[IoSlice::new(text.as_bytes())]);
    assert_eq!(written.unwrap(), text.len());
}

/// Says that it was given an error.
pub(super) fn failed(error: &Error) {
    let is_of_store = error.as_store().is_some();
    say(&Line::Failed { is_of_store, message: error.to_string() });
}

/// Marks where the program begins.
pub(super) fn mark_begin() {
    let nothing = File::options().write(true).open("/dev/null").unwrap();
    for _ in 0..FIRST {
        let _ = (&nothing).write(b" ");
        let _ = File::open(BEGINS);
    }
}

/// Marks where it ends.
pub(super) fn mark_end() {
    let _ = File::open(ENDS);
}

#[test]
fn a_line_reads_back_as_it_was_said() {
    let failed = Line::Failed { is_of_store: true, message: "the disk is full".into() };
    for line in [Line::Finished { appends: 40, posts: 5 }, failed] {
        assert_eq!(Line::read(&format!("child: {line}")), Some(line));
    }
    assert_eq!(Line::read("running 1 test"), None);
}
