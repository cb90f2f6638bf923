//! One search, from its arguments to its result.

use std::num::NonZero;
use std::path::{Path, PathBuf};

use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use super::count::{Counted, Unit, count};
use super::excerpt::{BYTES_MAX, Page, Wanted};
use super::files::{self, Files};
use super::glob::Globs;
use super::{Arguments, CONTEXT_MAX, Error, LIMIT, LIMIT_MAX};
use crate::blocking::Stop;
use crate::tree::{Tree, located};
use crate::workspace::{self, Workspace};

/// Most threads of one search.
const THREADS_MAX: usize = 12;
/// Bytes that a compiled pattern may take, and its states while searching.
const PATTERN_MAX: usize = 16 * 1024 * 1024;

pub(super) fn search(
    workspace: &Workspace,
    asked: &Arguments,
    stop: &Stop,
) -> Result<String, Error> {
    let matcher = matcher(asked)?;
    let asked_globs = asked.glob.as_ref().map(super::glob::Asked::split).unwrap_or_default();
    let globs =
        Globs::new(&asked_globs).map_err(|error| Error::Glob { message: error.to_string() })?;
    let workspace = &workspace.home_of(asked.path.as_deref().unwrap_or("."));
    let tree = Tree::open(workspace)?;
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get).min(THREADS_MAX);
    let files = chosen(workspace, &tree, asked, &globs, threads, stop)?;

    let unit = if asked.files_only == Some(true) { Unit::Files } else { Unit::Lines };
    let window = Window::of(asked);
    let enough = (unit, window.end());
    let counted = count(&tree, &matcher, &files.paths, enough, threads, stop);
    if counted.found > 0 && counted.found < window.first {
        return Err(Error::PastEnd { offset: window.first, found: counted.found });
    }
    let context = usize::try_from(asked.context.unwrap_or(0).min(CONTEXT_MAX)).unwrap_or(0);
    let (mut text, shown) = match unit {
        Unit::Files => names(&tree, &files.paths, &counted, window),
        Unit::Lines => {
            let page = Page::new(&tree, &matcher, context, stop);
            excerpts(page, &files.paths, &counted, window)
        }
    };
    text.push_str(&notes(&files, &counted, window, unit, shown));
    Ok(text)
}

/// Which matches to show.
#[derive(Clone, Copy, Debug)]
struct Window {
    /// The first one, counted from 1.
    first: usize,
    limit: usize,
}

impl Window {
    fn of(asked: &Arguments) -> Self {
        let number = |asked: u64| usize::try_from(asked).unwrap_or(usize::MAX);
        let limit = number(asked.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX));
        Self { first: number(asked.offset.unwrap_or(1).max(1)), limit }
    }

    /// The match after the last one: then more follow.
    fn end(self) -> usize {
        self.first.saturating_add(self.limit)
    }
}

fn matcher(asked: &Arguments) -> Result<RegexMatcher, Error> {
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .case_insensitive(asked.ignore_case == Some(true))
        .fixed_strings(asked.literal == Some(true))
        // Lines may end as on Windows, and `$` still means their end.
        .crlf(true)
        .line_terminator(Some(b'\n'))
        .size_limit(PATTERN_MAX)
        .dfa_size_limit(PATTERN_MAX);
    builder.build(&asked.pattern).map_err(|error| Error::Pattern { message: error.to_string() })
}

/// The files that are to be searched.
fn chosen(
    workspace: &Workspace,
    tree: &Tree,
    asked: &Arguments,
    globs: &Globs,
    threads: usize,
    stop: &Stop,
) -> Result<Files, Error> {
    let path = asked.path.as_deref().unwrap_or(".");
    let in_git = |place: &Path| {
        let inside = place.iter().any(|part| part == ".git");
        if inside { Err(Error::Git { path: path.to_owned() }) } else { Ok(()) }
    };
    match workspace.open_dir(path) {
        Ok(opened) => {
            let start = located(workspace, &opened, path);
            in_git(&start)?;
            let rules = tree.rules_above(&start)?;
            Ok(files::collect(tree, (start, rules), globs, threads, stop))
        }
        Err(workspace::Error::NoDirectory { .. }) => {
            let place = located(workspace, &workspace.open_file(path)?, path);
            in_git(&place)?;
            Ok(Files { paths: vec![place], unreadable: 0 })
        }
        Err(error) => Err(error.into()),
    }
}

fn names(tree: &Tree, paths: &[PathBuf], counted: &Counted, window: Window) -> (String, usize) {
    let matching = paths.iter().zip(&counted.matches).filter(|(_, matches)| **matches > 0);
    let page = matching.skip(window.first.saturating_sub(1)).take(window.limit);
    let (mut text, mut shown) = (String::new(), 0_usize);
    for (path, _) in page {
        text.push_str(&tree.shown(path));
        text.push('\n');
        shown = shown.saturating_add(1);
        if text.len() >= BYTES_MAX {
            break;
        }
    }
    (text, shown)
}

fn excerpts(
    mut page: Page<'_>,
    paths: &[PathBuf],
    counted: &Counted,
    window: Window,
) -> (String, usize) {
    let mut skip = window.first.saturating_sub(1);
    let mut take = window.limit;
    let mut passed = 0_usize;
    for (path, matches) in paths.iter().zip(&counted.matches) {
        let here = matches.saturating_sub(skip).min(take);
        if here > 0 {
            let shown = page.add(path, Wanted { skip, take: here });
            take = take.saturating_sub(here);
            // What is gone since it was counted is passed all the same: who
            // follows the offsets must come to an end.
            passed = passed.saturating_add(if page.is_full() { shown } else { here });
        }
        skip = skip.saturating_sub(*matches);
        if take == 0 || page.is_full() {
            break;
        }
    }
    (page.text, passed)
}

/// What is to be known about a page, one line each.
fn notes(files: &Files, counted: &Counted, window: Window, unit: Unit, shown: usize) -> String {
    let what = if unit == Unit::Files { "files" } else { "matches" };
    let found = counted.found;
    let next = window.first.saturating_add(shown);
    let last = next.saturating_sub(1);
    let mut notes = if found == 0 {
        format!("[no matches in {}]\n", several(files.paths.len(), "file"))
    } else if found > last {
        format!("\n[{what} {} to {last}; more follow, next: offset={next}]\n", window.first)
    } else if unit == Unit::Files {
        format!("\n[{} in all]\n", several(found, "matching file"))
    } else {
        let holding = counted.matches.iter().filter(|matches| **matches > 0).count();
        format!("\n[{} in {}]\n", several_matches(found), several(holding, "file"))
    };
    if counted.binary > 0 && found == 0 {
        let note = format!("[{} passed by]\n", several(counted.binary, "binary file"));
        notes.push_str(&note);
    }
    let unreadable = files.unreadable.saturating_add(counted.unreadable);
    if unreadable > 0 {
        notes.push_str(&format!("[{unreadable} files or directories could not be read]\n"));
    }
    if counted.cut > 0 {
        let files = several(counted.cut, "file");
        notes.push_str(&format!(
            "[lines longer than 1 MB in {files}: only their first MB searched]\n"
        ));
    }
    notes
}

fn several(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

fn several_matches(number: usize) -> String {
    if number == 1 { "1 match".to_owned() } else { format!("{number} matches") }
}
