//! What kind of block a line begins, told as early as it is certain.

/// Quotes inside one another that are shown as such.
const DEEPEST_QUOTE: usize = 6;
/// Bytes of a line's beginning that are looked at, of a row that is waited for.
const LEAD: usize = 400;
const ROW: usize = 4_000;

/// How a line begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// Quotes around it.
    pub(super) quotes: usize,
    /// Columns that it is indented by.
    pub(super) indent: usize,
    pub(super) kind: Kind,
    /// The byte where its content begins.
    pub(super) content: usize,
}

/// What kind of block it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Blank,
    Text,
    /// A heading, and its level.
    Heading(usize),
    /// An item of a list: its number and sign, or nothing where it is a bullet.
    Item(String),
    /// The beginning of fenced code: the sign of the fence, and how many.
    Fence(char, usize),
    Rule,
    Row,
}

/// Whether the whole line is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    Whole,
    Beginning,
}

/// How a line begins; none if more of it decides.
pub(super) fn line(text: &str, extent: Extent) -> Option<Line> {
    let (mut rest, mut quotes) = (text, 0);
    loop {
        let (indent, inner) = indented(rest);
        match inner.strip_prefix('>').filter(|_| quotes < DEEPEST_QUOTE && indent < 4) {
            Some(quoted) => {
                quotes += 1;
                rest = quoted.strip_prefix(' ').unwrap_or(quoted);
            }
            None => {
                let at = text.len().saturating_sub(inner.len());
                let (kind, skipped) = kind(inner, extent)?;
                return Some(Line { quotes, indent, kind, content: at.saturating_add(skipped) });
            }
        }
    }
}

/// The line without the signs of so many quotes, as far as it has them.
pub(super) fn unquoted(line: &str, quotes: usize) -> &str {
    let mut rest = line;
    for _ in 0..quotes {
        let Some(inner) = indented(rest).1.strip_prefix('>') else { break };
        rest = inner.strip_prefix(' ').unwrap_or(inner);
    }
    rest
}

/// The columns that a line is indented by, and the line without them.
pub(super) fn indented(line: &str) -> (usize, &str) {
    let rest = line.trim_start_matches([' ', '\t']);
    let lead = line.get(..line.len().saturating_sub(rest.len())).unwrap_or_default();
    (lead.chars().map(|c| if c == '\t' { 4 } else { 1 }).sum(), rest)
}

/// The kind, and how many bytes of the line its sign takes.
fn kind(rest: &str, extent: Extent) -> Option<(Kind, usize)> {
    let certain = extent == Extent::Whole || rest.len() > LEAD;
    let text = Some((Kind::Text, 0));
    let wait = if certain { text.clone() } else { None };
    let Some(sign) = rest.chars().next() else {
        return if extent == Extent::Whole { Some((Kind::Blank, 0)) } else { None };
    };
    let run = rest.len().saturating_sub(rest.trim_start_matches(sign).len());
    let after = rest.get(run..).and_then(|rest| rest.chars().next());
    let blank = |c: char| c == ' ' || c == '\t';
    match sign {
        '#' => match after {
            _ if run > 6 => text,
            None if !certain => None,
            None => Some((Kind::Heading(run), run)),
            Some(c) if blank(c) => Some((Kind::Heading(run), run)),
            Some(_) => text,
        },
        '-' | '*' | '+' | '_' => match rest.chars().all(|c| c == sign || blank(c)) {
            true if !certain => None,
            true if sign != '+' && rest.matches(sign).count() >= 3 => Some((Kind::Rule, 0)),
            _ if sign == '_' || run > 1 => text,
            _ if after.is_none_or(blank) => Some((Kind::Item(String::new()), run)),
            _ => text,
        },
        '`' | '~' if run >= 3 => {
            let info = rest.get(run..).unwrap_or_default();
            match sign == '`' && info.contains('`') {
                true => text,
                false if extent == Extent::Whole => Some((Kind::Fence(sign, run), rest.len())),
                false => wait,
            }
        }
        '`' | '~' => {
            if after.is_none() {
                wait
            } else {
                text
            }
        }
        '|' if rest.len() > ROW => text,
        '|' => (extent == Extent::Whole).then_some((Kind::Row, 0)),
        '0'..='9' => number(rest, certain),
        _ => text,
    }
}

fn number(rest: &str, certain: bool) -> Option<(Kind, usize)> {
    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = rest.len().saturating_sub(after.len());
    let mut next = after.chars();
    match (next.next(), next.next()) {
        _ if digits > 9 => Some((Kind::Text, 0)),
        (None, _) | (Some('.' | ')'), None) if !certain => None,
        (Some('.' | ')'), None | Some(' ' | '\t')) => {
            let end = digits.saturating_add(1);
            Some((Kind::Item(rest.get(..end).unwrap_or_default().to_owned()), end))
        }
        _ => Some((Kind::Text, 0)),
    }
}
