//! Patterns for shell commands.

/// The suffixes of a pattern that mean: followed by anything.
const REST: [&str; 2] = [":*", " *"];
/// Characters by which a line is more than one plain command, or expands to another one.
const SHELLS: &[char] = &[';', '&', '|', '<', '>', '(', ')', '$', '`', '\n', '\r', '\0'];

/// A pattern for commands.
///
/// Only a single plain command can match: none with a second command, a redirection or a
/// substitution. What the program itself does is not restricted: `git` can run other programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pattern {
    /// Exactly these words.
    Whole(Vec<String>),
    /// These words, followed by any others.
    Begins(Vec<String>),
}

impl Pattern {
    /// Parses `git log:*`, `git log *` or `git log`.
    ///
    /// # Errors
    /// Why it is not a valid pattern.
    pub(super) fn parse(pattern: &str) -> Result<Self, &'static str> {
        let begin = REST.iter().find_map(|rest| pattern.strip_suffix(rest));
        let text = begin.unwrap_or(pattern);
        if text.contains(['*', '?', '[']) {
            return Err("`*` may only be at the end, as in `git:*`");
        }
        let words = words(text).ok_or("it is not a plain command")?;
        match (words.is_empty(), begin) {
            (true, _) => Err("it names no command"),
            (_, Some(_)) => Ok(Self::Begins(words)),
            (_, None) => Ok(Self::Whole(words)),
        }
    }

    /// Whether a command matches.
    pub(super) fn admits(&self, command: &str) -> bool {
        let Some(words) = words(command) else { return false };
        match self {
            Self::Whole(whole) => words == *whole,
            Self::Begins(begin) => words.starts_with(begin),
        }
    }
}

/// The words of a plain command, split like a POSIX shell does; none if it is not one.
fn words(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    // A shell splits at no other white space.
    let mut chars = command.trim_matches([' ', '\t', '\n']).chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => quoted(&mut chars, word.get_or_insert_default(), '\'')?,
            '"' => quoted(&mut chars, word.get_or_insert_default(), '"')?,
            // An escaped line break is removed, so the line would go on.
            '\\' => match chars.next()? {
                '\n' | '\r' => return None,
                next => word.get_or_insert_default().push(next),
            },
            c if SHELLS.contains(&c) => return None,
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

/// Reads up to the closing quote; none if it is missing, or something in it is not plain.
fn quoted(chars: &mut std::str::Chars<'_>, word: &mut String, quote: char) -> Option<()> {
    loop {
        match chars.next()? {
            c if c == quote => return Some(()),
            // In single quotes a shell interprets nothing but the closing quote.
            '$' | '`' | '\\' if quote == '"' => return None,
            '\0' => return None,
            c => word.push(c),
        }
    }
}

#[cfg(test)]
mod tests;
