//! Arguments put into the body of a skill.

/// A body in which what stands for arguments is replaced, once and from left to right.
pub(super) fn fill(body: &str, declared: &[String], arguments: &str) -> String {
    let given = split(arguments);
    let mut filled = String::with_capacity(body.len());
    let mut rest = body;
    while let Some((before, after)) = rest.split_once('$') {
        filled.push_str(before);
        let end = after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let (word, left) = after.split_at(end.unwrap_or(after.len()));
        match meant(word, declared, &given, arguments) {
            Some(text) => filled.push_str(text),
            None => {
                filled.push('$');
                filled.push_str(word);
            }
        }
        rest = left;
    }
    filled.push_str(rest);
    filled
}

/// What a word after `$` stands for; none if it stands for itself.
fn meant<'a>(word: &str, declared: &[String], given: &[&'a str], all: &'a str) -> Option<&'a str> {
    if word == "ARGUMENTS" {
        return Some(all);
    }
    let at = match word.as_bytes() {
        [digit @ b'1'..=b'9'] => usize::from(digit - b'1'),
        _ => declared.iter().position(|name| name == word)?,
    };
    given.get(at).copied().or_else(|| (at < declared.len()).then_some(""))
}

/// Arguments separated by blanks; quotes hold one together, and one without its end is itself.
fn split(text: &str) -> Vec<&str> {
    let mut arguments = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let quoted = matches!(first, '"' | '\'')
            .then(|| rest.strip_prefix(first)?.split_once(first))
            .flatten()
            // `'a'b` is one word that happens to begin with a quote.
            .filter(|(_, after)| after.is_empty() || after.starts_with(char::is_whitespace));
        let (argument, after) = match quoted {
            Some(parts) => parts,
            None => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
        };
        arguments.push(argument);
        rest = after.trim_start();
    }
    arguments
}

#[cfg(test)]
mod tests;
