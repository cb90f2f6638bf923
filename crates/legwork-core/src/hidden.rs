//! Characters that are invisible, or that change how others are displayed.

/// Format characters that are visible nevertheless: signs that enclose the following number.
const SIGNS: [u32; 13] =
    [0x600, 0x601, 0x602, 0x603, 0x604, 0x605, 0x6dd, 0x70f, 0x890, 0x891, 0x8e2, 0x110bd, 0x110cd];

/// Whether a character is invisible by itself, or could control a terminal.
///
/// Hidden are control characters, line and paragraph separators, direction marks and other
/// format characters (zero width, tags, joiners, annotations), variation selectors, fillers,
/// private-use and unassigned ones. Letters, signs, combining marks and Unicode spaces are not.
/// The line break and the tab are control characters, so they are hidden.
///
/// ```
/// use legwork_core::hidden::is_hidden;
///
/// assert!(['\u{1b}', '\u{202e}', '\u{200b}', '\u{e0041}', '\n'].into_iter().all(is_hidden));
/// assert!(['a', 'é', '漢', '🧵', '\u{301}', '\u{a0}'].into_iter().all(|c| !is_hidden(c)));
/// ```
pub fn is_hidden(c: char) -> bool {
    match c {
        ' '..='~' => false,
        '\u{0}'..='\u{a0}' => c != '\u{a0}',
        // Letters and marks by category, but displayed as nothing.
        '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}' => {
            true
        }
        '\u{180b}'..='\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e0fff}' => true,
        '\u{2028}' | '\u{2029}' => true,
        c if c.is_whitespace() || SIGNS.contains(&u32::from(c)) => false,
        c => !is_printable(c),
    }
}

/// Whether the standard library counts it as printable: assigned, and not a control, format or
/// private-use character.
fn is_printable(c: char) -> bool {
    let alone = |escaped: char| escaped == c;
    if c.escape_debug().next().is_some_and(alone) {
        return true;
    }
    // A combining mark is escaped at the start of a text, but not after a letter.
    let mut behind = ['x', c].into_iter().collect::<String>();
    behind.push('x');
    behind.escape_debug().nth(1).is_some_and(alone)
}
