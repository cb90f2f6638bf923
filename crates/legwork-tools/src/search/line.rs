//! A line of a file as it is shown.

/// Most characters shown of a line.
const SHOWN: usize = 500;
/// Characters shown before a match that lies further back in a long line.
const BEFORE: usize = 100;
/// No character of UTF-8 is longer, in bytes.
const CHARACTER: usize = 4;

/// The line without its end; of a long one, the part around a match at `at`.
pub(super) fn shorten(line: &[u8], at: usize) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.len() <= SHOWN {
        return String::from_utf8_lossy(line).into_owned();
    }
    let mut from = if at.saturating_add(BEFORE) <= SHOWN { 0 } else { at.saturating_sub(BEFORE) };
    // A character is not cut in two.
    let middle = |byte: &u8| byte & 0b1100_0000 == 0b1000_0000;
    let tail = line.get(from..).unwrap_or_default();
    if from > 0 {
        let into = tail.iter().take(CHARACTER).take_while(|byte| middle(byte)).count();
        from = from.saturating_add(into);
    }
    let until = from.saturating_add(SHOWN.saturating_mul(CHARACTER)).min(line.len());
    let text = String::from_utf8_lossy(line.get(from..until).unwrap_or_default()).into_owned();
    let shown: String = text.chars().take(SHOWN).collect();
    let whole = until == line.len() && shown.len() == text.len();
    if from == 0 && whole {
        return shown;
    }
    let (front, back) = (if from > 0 { "…" } else { "" }, if whole { "" } else { "…" });
    format!("{front}{shown}{back} [cut: a line of {} bytes]", line.len())
}
