//! Markdown with YAML front matter, taken apart.

use std::borrow::Cow;

use crate::problem::Problem;

/// The two parts of a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Parts<'a> {
    /// Between the two lines `---`.
    pub(crate) front: Cow<'a, str>,
    /// What comes after the second of them, without the blank line that
    /// may follow it and without the last line's end.
    pub(crate) body: Cow<'a, str>,
}

/// Takes a text apart at its lines `---`.
///
/// If its first line ends in CR LF, each of its lines may, and all of them are read as if they ended in LF.
pub(crate) fn split(text: &str) -> Result<Parts<'_>, Problem> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some((first, rest)) = text.split_once('\n').or(Some((text, ""))) else {
        return Err(no_front_matter());
    };
    if !is_fence(first) {
        return Err(no_front_matter());
    }
    let Some((front, body)) = at_fence(rest) else {
        return Err(Problem::new(
            "the front matter does not end",
            "write a line `---` below the last field",
        )
        .on_line(Some(1)));
    };
    if !first.ends_with('\r') {
        return Ok(Parts { front: front.into(), body: bare(body).into() });
    }
    let body = body.replace("\r\n", "\n");
    Ok(Parts { front: front.replace("\r\n", "\n").into(), body: bare(&body).to_owned().into() })
}

/// Puts a text together that [`split`] takes apart into the same two parts.
pub(crate) fn join(front: &str, body: &str) -> String {
    match body {
        "" => format!("---\n{front}---\n"),
        body => format!("---\n{front}---\n\n{body}\n"),
    }
}

/// Whether a line begins or ends front matter.
pub(crate) fn is_fence(line: &str) -> bool {
    line.strip_prefix("---")
        .is_some_and(|rest| rest.trim_matches([' ', '\t', '\r', '\n']).is_empty())
}

/// What comes before the first fence, and what after it.
fn at_fence(text: &str) -> Option<(&str, &str)> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        if is_fence(line) {
            return Some((text.get(..at)?, text.get(end..)?));
        }
        at = end;
    }
    None
}

fn bare(body: &str) -> &str {
    let body = body.strip_prefix('\n').unwrap_or(body);
    body.strip_suffix('\n').unwrap_or(body)
}

fn no_front_matter() -> Problem {
    Problem::new(
        "there is no front matter",
        "begin the file with a line `---`, then the fields such as `name: NAME`, then a line `---`",
    )
    .on_line(Some(1))
}
