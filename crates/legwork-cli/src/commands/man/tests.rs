use super::examples_section;

#[test]
fn examples_are_kept_line_by_line() {
    let section = examples_section("Examples:\n  a --b 'c\\n'\n.d");
    assert_eq!(section, ".SH EXAMPLES\n.nf\n  a \\-\\-b \\(aqc\\en\\(aq\n\\&.d\n.fi\n");
    assert_eq!(examples_section("≈"), ".SH EXAMPLES\n.nf\n\\[u2248]\n.fi\n");
    assert_eq!(examples_section(""), "");
}
