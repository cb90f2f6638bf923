use super::{address, kind};
use crate::page::{Form, Page};

fn text(media_type: &str, charset: &str, bytes: &[u8]) -> String {
    Page::read(&kind(media_type, charset), bytes, &address(), Form::Source).text
}

#[test]
fn the_mark_counts_before_the_server_and_the_server_before_the_page() {
    assert_eq!(text("text/plain", "", "ä".as_bytes()), "ä");
    assert_eq!(text("text/plain", "iso-8859-1", b"\xe4"), "ä");
    assert_eq!(text("text/plain", "shift_jis", b"\x83\x65\x83\x58\x83\x67"), "テスト");
    assert_eq!(text("text/plain", "iso-8859-1", b"\xef\xbb\xbf\xc3\xa4"), "ä");
    assert_eq!(text("text/plain", "", b"\xff\xfe\xe4\x00"), "ä");
    assert_eq!(text("text/plain", "no-such", b"\xe4"), "ä", "what is no UTF-8 is Windows-1252");
    let page = b"<meta http-equiv=x content='text/html; charset=windows-1251'><p>\xdf";
    assert!(text("text/html", "", page).ends_with('Я'));
    assert!(
        text("text/html", "koi8-r", page).ends_with('ъ'),
        "{}",
        text("text/html", "koi8-r", page)
    );
    assert!(text("text/html", "", b"<META CHARSET=\"windows-1251\"/>\xdf").ends_with('Я'));
    assert!(text("text/html", "", b"<meta charset=utf-16>\xc3\xa4").ends_with('ä'));
    let xml = b"<?xml version='1.0' encoding='windows-1251'?><a>\xdf</a>";
    assert!(text("application/xml", "", xml).contains('Я'));
}

#[test]
fn what_was_cut_within_a_character_stays_utf_8() {
    assert_eq!(text("text/plain", "", b"\xc3\xa4\xc3"), "ä\u{fffd}");
}

#[test]
fn line_breaks_are_those_of_unix() {
    assert_eq!(text("text/plain", "", b"a\r\nb\rc\n"), "a\nb\nc\n");
}
