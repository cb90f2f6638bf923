//! What is displayed, for any input.

use fastrand::Rng;
use legwork::core::hidden::is_hidden;
use unicode_width::UnicodeWidthChar as _;

use super::{JOINER, MARKS, NON_JOINER, SELECTORS, guarded, json, visible};

/// Writing of the world stays as it is.
const WRITING: [&str; 16] = [
    "plain\ttext\n",
    "naïve e\u{301}a\u{308} Tiê\u{301}ng Việt",
    "漢字 ひらがな 한국어 \u{3000}全角",
    "می\u{200c}خواهم \u{600}١٢",
    "क्\u{200d}ष क्\u{200c}ष",
    "ശ്രീ ന്\u{200d}",
    "שָׁלוֹם בְּרֵאשִׁ֖ית",
    "བོད་སྐད ภาษาไทย ခ္မ",
    "👩\u{200d}💻 👨\u{200d}👩\u{200d}👧\u{200d}👦",
    "❤\u{fe0f}\u{200d}🔥 ☺\u{fe0e} 🏳\u{fe0f}\u{200d}🌈",
    "1\u{fe0f}\u{20e3} #\u{fe0f}\u{20e3}",
    "🇩🇪 👍🏽 🧑🏾\u{200d}🚀",
    "1\u{a0}000\u{202f}€ – “quoted”…",
    "x² ∑ → ⇒ ½ ℝ",
    "Ω̄ ȳ",
    "",
];

/// What hides, and how it is shown.
const HIDING: [(&str, &str); 20] = [
    ("a\x1b]0;title\x07b", "a\\u{1b}]0;title\\u{7}b"),
    ("\u{9b}31m", "\\u{9b}31m"),
    ("over\r\nwritten\r", "over\nwritten"),
    ("exe\u{202e}gpj.", "exe\\u{202e}gpj."),
    ("a\u{2066}b\u{2069}", "a\\u{2066}b\\u{2069}"),
    ("a\u{61c}b\u{200f}", "a\\u{61c}b\\u{200f}"),
    ("line\u{2028}line\u{2029}", "line\\u{2028}line\\u{2029}"),
    ("pay\u{200b}pal\u{2060}\u{feff}", "pay\\u{200b}pal\\u{2060}\\u{feff}"),
    ("soft\u{ad}ly", "soft\\u{ad}ly"),
    ("hi\u{e0001}\u{e0068}\u{e007f}", "hi\\u{e0001}\\u{e0068}\\u{e007f}"),
    ("a\u{fe01}\u{e0101}b", "a\\u{fe01}\\u{e0101}b"),
    ("\u{3164}\u{115f}\u{1160}\u{ffa0}", "\\u{3164}\\u{115f}\\u{1160}\\u{ffa0}"),
    ("\u{180e}\u{fff9}x\u{fffb}", "\\u{180e}\\u{fff9}x\\u{fffb}"),
    ("\u{e000}\u{10ffff}\u{378}", "\\u{e000}\\u{10ffff}\\u{378}"),
    // What makes signs, where it makes none.
    ("a\u{200d}b\u{200c}", "a\\u{200d}b\\u{200c}"),
    ("👩\u{200d}x", "👩\\u{200d}x"),
    ("👩\u{200d}\u{200d}💻", "👩\\u{200d}\\u{200d}💻"),
    ("a\u{fe0f}❤\u{fe0f}\u{fe0f}", "a\\u{fe0f}❤\u{fe0f}\\u{fe0f}"),
    ("می\u{200c}\u{200c}", "می\u{200c}\\u{200c}"),
    // A mark that would go on something of ours.
    ("\u{301}a \u{301}", "\\u{301}a \\u{301}"),
];

#[test]
fn s13_12_writing_stays_and_what_hides_is_shown() {
    for text in WRITING {
        assert_eq!(visible(text), text);
        assert_eq!(guarded(text), text);
    }
    for (text, seen) in HIDING {
        assert_eq!(visible(text), seen, "{text:?}");
    }
    assert_eq!(guarded("\x1b[1mbold\x1b[0;36m\x1b[2K"), "\x1b[1mbold\x1b[0;36m\\u{1b}[2K");
    assert_eq!(guarded("\x1b[8mhidden\x1b[1;8m"), "\\u{1b}[8mhidden\\u{1b}[1;8m");
    assert_eq!(visible("\x1b[1m"), "\\u{1b}[1m");
}

/// Texts of all that there is, more often of what hides.
fn random(rng: &mut Rng) -> String {
    let odd: Vec<char> = HIDING.iter().flat_map(|(text, _)| text.chars()).collect();
    let fine: Vec<char> = WRITING.iter().flat_map(|text| text.chars()).collect();
    let any = |rng: &mut Rng| match rng.u8(..4) {
        0 => rng.choice(&odd).copied().unwrap(),
        1 => rng.choice(&fine).copied().unwrap(),
        2 => rng.char('\u{300}'..'\u{370}'),
        _ => rng.char(..),
    };
    (0..rng.usize(..40)).map(|_| any(rng)).collect()
}

#[test]
fn s13_12_of_random_text_nothing_hides() {
    let mut rng = Rng::with_seed(12);
    for _ in 0..20_000 {
        let text = random(&mut rng);
        let seen = visible(&text).into_owned();
        let mut marks = 0;
        for c in seen.chars() {
            let sign = [JOINER, NON_JOINER].contains(&c) || SELECTORS.contains(&c);
            assert!(!is_hidden(c) || sign || matches!(c, '\n' | '\t'), "{text:?}: {seen:?}");
            let mark = !is_hidden(c) && !c.is_ascii() && c.width() == Some(0);
            marks = if mark { marks + 1 } else { 0 };
            assert!(marks <= MARKS, "{text:?}: {seen:?}");
        }
        // What was seen is seen as the same again.
        assert_eq!(visible(&seen), seen, "{text:?}");
    }
}

#[test]
fn s13_12_json_says_the_same_and_hides_nothing() {
    let mut rng = Rng::with_seed(13);
    for _ in 0..5_000 {
        let value = serde_json::json!({ random(&mut rng): [random(&mut rng), 1.5, null] });
        let written = serde_json::to_string(&value).unwrap();
        let shown = json(&written);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
        let sign = |c: char| [JOINER, NON_JOINER].contains(&c) || SELECTORS.contains(&c);
        assert!(shown.chars().all(|c| !is_hidden(c) || sign(c)), "{shown:?}");
    }
}

#[test]
fn s13_12_nothing_but_the_display_writes() {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    let mut waiting = vec![std::path::PathBuf::from(source)];
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let name = path.strip_prefix(source).unwrap().display().to_string();
        let text = std::fs::read_to_string(&path).unwrap();
        let writes = [
            "println!(",
            "eprint!(",
            "stdout().lock",
            "stdout().write",
            "writeln!(stderr()",
            "= stderr()",
            "&mut stderr()",
        ];
        let writes = writes.iter().any(|write| text.contains(write));
        let may =
            name == "commands/mod.rs" || name.starts_with("display/") || name.ends_with("tests.rs");
        assert!(!writes || may, "{name} writes itself: use print, print_json, print_data or tell");
    }
}
