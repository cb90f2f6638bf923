//! A pattern that a shell's command is held to.

/// What stands for anything behind a beginning.
const REST: [&str; 2] = [":*", " *"];
/// Characters with which a shell makes more than one plain command of a line, or another
/// than what is written.
const SHELLS: &[char] = &[';', '&', '|', '<', '>', '(', ')', '$', '`', '\n', '\r', '\0'];

/// What a command must be.
///
/// Only one plain command fits: nothing that a shell would read as a second command, a
/// redirection or a substitution. What the program that it names does of itself is not
/// held: `git` can run others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pattern {
    /// Exactly these words.
    Whole(Vec<String>),
    /// These words, and any behind them.
    Begins(Vec<String>),
}

impl Pattern {
    /// Reads `git log:*`, `git log *` or `git log`.
    ///
    /// # Errors
    /// Why no command can be held to it.
    pub(super) fn parse(pattern: &str) -> Result<Self, &'static str> {
        let begin = REST.iter().find_map(|rest| pattern.strip_suffix(rest));
        let text = begin.unwrap_or(pattern);
        if text.contains(['*', '?', '[']) {
            return Err("`*` may stand only at the end, as in `git:*`");
        }
        let words = words(text).ok_or("it is no plain command")?;
        match (words.is_empty(), begin) {
            (true, _) => Err("it names no command"),
            (_, Some(_)) => Ok(Self::Begins(words)),
            (_, None) => Ok(Self::Whole(words)),
        }
    }

    /// Whether a command fits.
    pub(super) fn admits(&self, command: &str) -> bool {
        let Some(words) = words(command) else { return false };
        match self {
            Self::Whole(whole) => words == *whole,
            Self::Begins(begin) => words.starts_with(begin),
        }
    }
}

/// The words of a plain command as a POSIX shell splits them; none if it is more than one.
fn words(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    // No other blank is one to a shell.
    let mut chars = command.trim_matches([' ', '\t', '\n']).chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => quoted(&mut chars, word.get_or_insert_default(), '\'')?,
            '"' => quoted(&mut chars, word.get_or_insert_default(), '"')?,
            // What is behind it may be the end of a line, and mean less than nothing.
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
            // In single quotes a shell reads nothing but their end.
            '$' | '`' | '\\' if quote == '"' => return None,
            '\0' => return None,
            c => word.push(c),
        }
    }
}

#[cfg(test)]
mod tests;
