//! Characters that a person does not see, or that change how others are seen.

/// Characters that connect to the number behind them: of format, and yet seen.
const SIGNS: [u32; 13] =
    [0x600, 0x601, 0x602, 0x603, 0x604, 0x605, 0x6dd, 0x70f, 0x890, 0x891, 0x8e2, 0x110bd, 0x110cd];

/// Whether a character, shown by itself, would not be seen as one, or could command a terminal.
///
/// Those are control characters, line and paragraph separators, marks of direction and other
/// characters of format (zero width, tags, joiners, annotations), variation selectors,
/// fillers, private and unassigned ones. Not hidden are letters, signs, combining marks and
/// the spaces of Unicode. The line break and the tab are control characters, too.
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
        // Of the categories of letters and marks, and seen as nothing all the same.
        '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}' => {
            true
        }
        '\u{180b}'..='\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e0fff}' => true,
        '\u{2028}' | '\u{2029}' => true,
        c if c.is_whitespace() || SIGNS.contains(&u32::from(c)) => false,
        c => !is_printable(c),
    }
}

/// Whether the standard library knows it as printable: assigned, and neither of control, of
/// format nor private.
fn is_printable(c: char) -> bool {
    let alone = |escaped: char| escaped == c;
    if c.escape_debug().next().is_some_and(alone) {
        return true;
    }
    // A mark is escaped at the start of a text, and not behind a letter.
    let mut behind = ['x', c].into_iter().collect::<String>();
    behind.push('x');
    behind.escape_debug().nth(1).is_some_and(alone)
}
