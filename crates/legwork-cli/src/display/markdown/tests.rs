//! How Markdown reads on a terminal, in whatever pieces it comes.

use std::time::{Duration, Instant};

use super::super::marks::{Marks, Signs};
use super::Markdown;
use crate::display::text::columns;

fn in_pieces(text: &str, columns: usize, colour: bool, size: usize) -> String {
    let mut markdown = Markdown::new(columns, colour, Marks::of(Signs::Unicode));
    let chars: Vec<_> = text.chars().collect();
    let pieces = chars.chunks(size).map(|piece| piece.iter().collect::<String>());
    let mut shown: String = pieces.map(|piece| markdown.push(&piece)).collect();
    shown.push_str(&markdown.finish());
    shown
}

/// Rendered without colours: the same, however it is cut.
#[track_caller]
fn rendered(text: &str, columns: usize) -> String {
    let whole = in_pieces(text, columns, false, usize::MAX);
    for size in [1, 2, 3, 7, 12] {
        assert_eq!(in_pieces(text, columns, false, size), whole, "in pieces of {size}");
    }
    whole
}

#[track_caller]
fn check(text: &str, columns: usize, wanted: &str) {
    assert_eq!(rendered(text, columns), wanted, "{text:?}");
}

#[test]
fn words_are_wrapped_and_lines_kept() {
    check("one two three\nfour", 8, "one two\nthree\nfour\n");
    check("a\n\n\n\nb\n\n", 8, "a\n\nb\n");
    check("日本語の文章です", 8, "日本語の\n文章です\n");
    check("see /a/very/long/path here", 10, "see\n/a/very/long/path\nhere\n");
}

#[test]
fn marks_within_a_line_are_read() {
    check("a **bold** and *slanted* word", 40, "a bold and slanted word\n");
    check("2 * 3 * 4 and snake_case_name", 40, "2 * 3 * 4 and snake_case_name\n");
    check("run `cargo test --all` now", 40, "run `cargo test --all` now\n");
    check("never closed: **bold and `code", 40, "never closed: **bold and `code\n");
    check("5 < 6, a[0], ~/x, 1. b", 40, "5 < 6, a[0], ~/x, 1. b\n");
    check("&lt;b&gt; <b>x</b>", 40, "<b> <b>x</b>\n");
    check(r"\*kept\*", 40, "*kept*\n");
}

#[test]
fn a_link_is_its_text_and_its_address_once() {
    check("see [the docs](https://x.org/a) now", 60, "see the docs (https://x.org/a) now\n");
    check("[https://x.org](https://x.org/) <https://y.org>", 60, "https://x.org https://y.org\n");
    check("![a cat](cat.png)", 60, "a cat (cat.png)\n");
}

#[test]
fn headings_rules_and_quotes() {
    check("# Title\ntext\n\n## Next", 40, "# Title\ntext\n\n## Next\n");
    check("#hashtag\n---\n* * *", 30, &format!("#hashtag\n{0}\n{0}\n", "─".repeat(24)));
    check("> one two three\n> > deep", 10, "│ one two\n│ three\n│ │ deep\n");
}

#[test]
fn items_hang_below_their_signs() {
    check("- one two three\n- four", 10, "• one two\n  three\n• four\n");
    check("1. one two\n   more\n10) ten", 10, "1. one two\n   more\n10) ten\n");
    check("- a\n  - b\n    - c\n- d", 20, "• a\n  • b\n    • c\n• d\n");
    check("* **Bold**: x\n* [ ] open", 20, "• Bold: x\n• [ ] open\n");
    check("- a\n\nend", 20, "• a\n\nend\n");
    check("-5 degrees\n1.5 l\n2024. x", 20, "-5 degrees\n1.5 l\n2024. x\n");
}

#[test]
fn code_is_indented_and_left_alone() {
    check(
        "so:\n```rust\nfn  main() { **x** }\n\n    deep\n```\nend",
        12,
        "so:\n  fn  main() { **x** }\n\n      deep\nend\n",
    );
    check("````\n```\nin\n```\n````\nout", 20, "  ```\n  in\n  ```\nout\n");
    check("- a\n  ```\n  x\n  ```\n- b", 20, "• a\n    x\n• b\n");
    check("~~~\nnever closed", 20, "  never closed\n");
    check("> ```\n> x\n> ```\n> y", 20, "│   x\n│ y\n");
    check("a\n\n    let x = *p;\n\nb", 20, "a\n\n    let x = *p;\n\nb\n");
}

#[test]
fn s15_1_tables_are_aligned_and_lose_no_text() {
    let table = "| Name | Size |\n|:-----|-----:|\n| `a` | 1 |\n| bbbbbb | 1000 |\n\nend";
    check(table, 40, "Name    Size\n──────  ────\n`a`        1\nbbbbbb  1000\n\nend\n");
    check(table, 11, "• Name: `a`\n  Size: 1\n• Name:\n    bbbbbb\n  Size:\n    1000\n\nend\n");
    check(table, 12, "Name    Size\n──────  ────\n`a`        1\nbbbbbb  1000\n\nend\n");
    let why = "| File | Why |\n|---|---|\n| a.rs | the loop ends early |\n";
    let set = "File  Why\n────  ──────────────\na.rs  the loop ends\n      early\n";
    check(why, 20, set);
    check("| no table", 20, "| no table\n");
    let wide = format!("|{}\n|{}\n", "a|".repeat(30), "-|".repeat(30));
    assert!(rendered(&wide, 20).starts_with("|a|"), "a table without a place is text");
}

#[test]
fn styles_are_ended_with_each_word() {
    let shown = in_pieces("**two words** `x` [t](u)", 40, true, 5);
    assert_eq!(
        shown,
        "\x1b[1mtwo\x1b[0m \x1b[1mwords\x1b[0m \x1b[36mx\x1b[0m t \x1b[2m(u)\x1b[0m\n"
    );
    assert_eq!(in_pieces("## A", 40, true, 1), "\x1b[1mA\x1b[0m\n");
}

#[test]
fn what_is_certain_is_shown_at_once() {
    let mut markdown = Markdown::new(40, false, Marks::of(Signs::Unicode));
    let shown: Vec<_> =
        ["Now I ", "look at **a", " b** and", " - c"].map(|p| markdown.push(p)).into();
    assert_eq!(shown, ["Now I", " look at", " a b", " and -"]);
    assert!(markdown.is_open());
    assert_eq!(markdown.pause(), " c\n");
    assert!(!markdown.is_open());
}

#[test]
fn a_pause_in_code_leaves_it_code() {
    let mut markdown = Markdown::new(40, false, Marks::of(Signs::Unicode));
    assert_eq!(markdown.push("```\n*a*"), "  *a*");
    assert_eq!(markdown.pause(), "\n");
    assert_eq!(markdown.push("*b*\n```\n*c*"), "  *b*\n");
    assert_eq!(markdown.finish(), "c\n");
}

#[test]
fn nothing_of_it_commands_the_terminal() {
    let hostile = [
        "a\x1b[2Jb",
        "`\x1b]0;t\x07`",
        "&#27;[2J and &#x9b;31m",
        "```\n\x1b[2J\n```",
        "# \x1b[1m",
        "[t](\x1b[2J)",
        "<http://x/\x1b[2J>",
        "| \x1b[2J |\n|--|\n| \x1b |",
        "> \u{9b}1m\r\x08",
        "- \u{202e}x",
        "```\x1b[2J\n",
        "    \x1b[2J",
        "1\u{9b}2J",
    ];
    for text in hostile {
        let shown = rendered(text, 20);
        let bad = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!shown.contains(bad), "{text:?} gave {shown:?}");
    }
}

#[test]
fn no_text_takes_more_than_linear_work() {
    const SIZE: usize = 1 << 16;
    let texts = [
        "a".repeat(SIZE),
        "word ".repeat(SIZE * 4),
        "*a ".repeat(SIZE / 3),
        "**".repeat(SIZE / 2),
        "[".repeat(SIZE),
        "`a ".repeat(SIZE / 3),
        ">".repeat(SIZE),
        "> ".repeat(10_000) + "deep",
        "- ".repeat(SIZE / 2),
        "|".repeat(SIZE),
        "| a ".repeat(SIZE / 4),
        " ".repeat(SIZE),
        "```\n".to_owned() + &"`".repeat(SIZE),
        "- a\n".repeat(SIZE / 4),
        "| a |\n|---|\n".repeat(SIZE / 12),
    ];
    for text in texts {
        let began = Instant::now();
        let shown = in_pieces(&text, 80, true, 12);
        let start: String = text.chars().take(8).collect();
        let took = began.elapsed();
        assert!(took < Duration::from_secs(8), "{start:?} took {took:?}");
        assert!(shown.len() < 32 * SIZE, "{start:?} gave {} bytes", shown.len());
    }
}

#[test]
fn long_words_are_whole_and_long_emphasis_ends() {
    let long = "x".repeat(5_000);
    assert_eq!(rendered(&long, 40).replace('\n', ""), long);
    let text = format!("**{}** end **b** `c d`", "word ".repeat(300).trim_end());
    let shown = rendered(&text, 60);
    assert!(shown.ends_with("end b `c d`\n"), "{shown}");
    let lines = "some **bold words** here ".repeat(200);
    assert!(!rendered(&lines, 60).contains('*'));
    assert!(rendered(&lines, 60).lines().all(|line| columns(line) <= 60));
}
