//! Pages that are made to be expensive.

use super::html;

#[test]
fn s13_14_nesting_without_end_needs_no_stack() {
    for (open, close) in [
        ("<div>", "</div>"),
        ("<blockquote>", ""),
        ("<ul><li>", ""),
        ("<b>", ""),
        ("<table><tr><td>", ""),
        ("<svg>", ""),
        ("<pre>", "</pre>"),
        ("<a href=/x>", ""),
    ] {
        let page = html(&format!("{}x{}", open.repeat(200_000), close.repeat(200_000)));
        assert!(page.text.len() < 9 << 20, "{open}");
    }
}

#[test]
fn s13_14_elements_that_were_not_closed_are_not_repeated() {
    let open: String = (0..500).map(|number| format!("<b id={number}>")).collect();
    let page = html(&format!("{open}{}", "<p>x".repeat(50_000)));
    assert!(page.text.len() < 400_000, "{}", page.text.len());
}

#[test]
fn s13_14_what_is_written_has_a_bound() {
    let base = format!("<a href='{}'>x</a>", "y".repeat(7_000));
    let page = html(&base.repeat(2_000));
    assert!(page.is_cut && page.text.len() < (8 << 20) + (16 << 10), "{}", page.text.len());
}

#[test]
fn s13_14_a_tag_of_many_attributes_is_one() {
    let many: String = (0..100_000).map(|number| format!(" a{number}=1")).collect();
    assert_eq!(html(&format!("<p{many}>x")).text, "x");
}
