//! Pages of files, byte by byte and as a whole.

use super::page::{BYTES_MAX, Binary, Excerpt, LINES_MAX, Page, Want};

fn page(bytes: &[u8], first: usize, limit: usize, chunk: usize) -> Result<Excerpt, Binary> {
    let mut page = Page::new(first, limit);
    for part in bytes.chunks(chunk) {
        if page.push(part) == Want::Nothing {
            break;
        }
    }
    page.finish()
}

/// The same at every chunk size, so that no boundary shows.
fn check(bytes: &[u8], first: usize, limit: usize, text: &str, more: bool, total: usize) {
    for chunk in 1..=bytes.len().clamp(1, 40) {
        let shown = page(bytes, first, limit, chunk).expect("it is text");
        assert_eq!(shown.text, text, "chunks of {chunk}");
        assert_eq!((shown.more, shown.total), (more, total), "chunks of {chunk}");
    }
}

#[test]
fn lines_are_numbered_from_the_offset() {
    check(b"a\nb\nc\n", 1, 10, "     1\ta\n     2\tb\n     3\tc\n", false, 3);
    check(b"a\nb\nc", 3, 10, "     3\tc\n", false, 3);
    check(b"a\r\n\r\nb", 1, 10, "     1\ta\n     2\t\n     3\tb\n", false, 3);
    check(b"", 1, 10, "", false, 0);
    check(b"\n", 1, 10, "     1\t\n", false, 1);
    check(b"a\nb\n", 7, 10, "", false, 2);
}

#[test]
fn a_page_ends_at_its_limit_and_knows_whether_more_follows() {
    check(b"a\nb\nc\n", 1, 2, "     1\ta\n     2\tb\n", true, 2);
    check(b"a\nb\n", 1, 2, "     1\ta\n     2\tb\n", false, 2);
    check(b"a\nb", 1, 2, "     1\ta\n     2\tb\n", false, 2);
}

#[test]
fn the_largest_page_is_2000_lines_or_50_kb() {
    let many = "x\n".repeat(5_000);
    let shown = page(many.as_bytes(), 1, usize::MAX, 777).expect("text");
    assert_eq!((shown.lines, shown.more), (LINES_MAX, true));

    let wide = format!("{}\n", "y".repeat(1_000)).repeat(100);
    let shown = page(wide.as_bytes(), 1, LINES_MAX, 777).expect("text");
    assert!(shown.more && shown.text.len() <= BYTES_MAX);
    assert_eq!(shown.lines, BYTES_MAX / 1_008);
}

#[test]
fn a_huge_line_is_cut_at_a_character_and_says_so() {
    let line = format!("a{}\nnext\n", "ü".repeat(500_000));
    let shown = page(line.as_bytes(), 1, 10, 4_096).expect("text");
    assert!(shown.text.len() < 10_000);
    assert!(
        shown.text.contains("[line cut: 8191 of its 1000001 bytes shown"),
        "{}",
        shown.text.len()
    );
    assert!(!shown.text.contains('\u{fffd}'));
    assert!(shown.text.ends_with("     2\tnext\n"));
}

#[test]
fn a_file_that_is_not_text_is_refused() {
    assert_eq!(page(b"ab\0c", 1, 10, 4), Err(Binary::Nul));
    assert_eq!(page(b"\xff\xfeh\0i\0", 1, 10, 8), Err(Binary::Utf16));
    let noise: Vec<u8> = (0..2_000_u32).map(|n| (n * 7 % 255) as u8 | 0x80).collect();
    assert_eq!(page(&noise, 1, 10, 64), Err(Binary::NotUtf8));
    let late = [vec![b'\n'; 20_000], vec![0]].concat();
    assert_eq!(page(&late, 19_999, 10, 1_024), Err(Binary::Nul));
}

#[test]
fn a_few_broken_bytes_are_shown_as_such() {
    let text = [b"a fairly long line of good text, then one \xff byte\n".as_slice()].concat();
    let shown = page(&text, 1, 10, 5).expect("text");
    assert_eq!(shown.replaced, 1);
    assert!(shown.text.contains("one \u{fffd} byte"));
}
