//! Paths to one value, such as `$.a.b`, `$.a[0].b` and `$['a b']` (RFC 9535).

use std::borrow::Cow;

/// One step of a path.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Segment<'a> {
    /// Into the field of an object.
    Name(Cow<'a, str>),
    /// Into the item of an array.
    Index(u64),
}

/// The text is no path to one value.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NoPath;

/// The segments of a path, read one by one.
#[derive(Debug)]
pub(super) struct Path<'a> {
    /// What was not read yet; none after an error.
    rest: Option<&'a str>,
}

impl<'a> Path<'a> {
    /// The path that a text is; what is wrong with it is an item.
    pub(super) fn of(text: &'a str) -> Result<Self, NoPath> {
        let rest = text.strip_prefix('$').ok_or(NoPath)?;
        Ok(Self { rest: Some(rest) })
    }
}

impl<'a> Iterator for Path<'a> {
    type Item = Result<Segment<'a>, NoPath>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.rest.take().filter(|rest| !rest.is_empty())?;
        let Some((segment, rest)) = segment(rest) else { return Some(Err(NoPath)) };
        self.rest = Some(rest);
        Some(Ok(segment))
    }
}

/// The first segment, and what follows it.
fn segment(path: &str) -> Option<(Segment<'_>, &str)> {
    if let Some(rest) = path.strip_prefix('.') {
        let (name, rest) = rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len()));
        let is_name = !name.is_empty() && !name.contains(is_special);
        return is_name.then_some((Segment::Name(Cow::Borrowed(name)), rest));
    }
    let inside = path.strip_prefix('[')?;
    match inside.chars().next()? {
        quote @ ('\'' | '"') => {
            let (name, rest) = quoted(inside.get(1..)?, quote)?;
            Some((Segment::Name(name), rest.strip_prefix(']')?))
        }
        _ => {
            let (digits, rest) = inside.split_once(']')?;
            Some((Segment::Index(index(digits)?), rest))
        }
    }
}

/// Whether a character means something else in a path than itself.
fn is_special(c: char) -> bool {
    matches!(c, '*' | '?' | ',' | '(' | ')' | ']' | '\'' | '"') || c.is_control()
}

fn index(digits: &str) -> Option<u64> {
    let is_plain = digits == "0" || !digits.starts_with('0');
    let is_number = is_plain && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok())?
}

/// A quoted name, and what follows its closing quote.
fn quoted(text: &str, quote: char) -> Option<(Cow<'_, str>, &str)> {
    let (mut escaped, mut escapes) = (false, false);
    let end = text.bytes().position(|byte| {
        let ends = !escaped && char::from(byte) == quote;
        escaped = !escaped && byte == b'\\';
        escapes |= escaped;
        ends
    })?;
    let (name, rest) = (text.get(..end)?, text.get(end + 1..)?);
    let name = match escapes {
        true => Cow::Owned(unescaped(name)?),
        false => Cow::Borrowed(name),
    };
    Some((name, rest))
}

/// A name without its escapes, which are those of JSON, and `\'`.
fn unescaped(name: &str) -> Option<String> {
    let mut json = String::with_capacity(name.len() + 2);
    json.push('"');
    let mut rest = name.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => match rest.next()? {
                '\'' => json.push('\''),
                escaped => json.extend(['\\', escaped]),
            },
            '"' => json.push_str("\\\""),
            c if c < ' ' => json.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => json.push(c),
        }
    }
    json.push('"');
    serde_json::from_str(&json).ok()
}

#[cfg(test)]
mod tests;
