//! Which name was probably meant.

use legwork_core::nearest::{nearest, suggestion};

#[test]
fn only_similar_names_are_suggested() {
    let fields = ["name", "description", "model", "tools", "denied_tools", "total_tokens"];
    let tools = ["read", "write", "edit", "list", "search", "bash"];
    for (written, of_fields, of_tools) in [
        ("descripton", Some("description"), None),
        ("Name", Some("name"), None),
        ("denied-tools", Some("denied_tools"), None),
        ("tool", Some("tools"), None),
        ("total tokens", Some("total_tokens"), None),
        ("raed", None, Some("read")),
        ("Read", None, Some("read")),
        ("serach", None, Some("search")),
        ("editt", None, Some("edit")),
        ("bahs", None, Some("bash")),
        ("", None, None),
        ("colour", None, None),
        ("permissionMode", None, None),
        ("xyzzy", None, None),
        ("compile", None, None),
    ] {
        assert_eq!(nearest(written, fields), of_fields, "{written}");
        assert_eq!(nearest(written, tools), of_tools, "{written}");
    }
}

#[test]
fn two_letters_of_a_short_name_may_be_swapped() {
    assert_eq!(nearest("rnu", ["man", "run"]), Some("run"));
    assert_eq!(nearest("ab", ["ba"]), None);
}

#[test]
fn all_names_are_listed_and_of_many_the_first() {
    assert_eq!(suggestion("a", []), "there are none");
    assert_eq!(
        suggestion("serach", ["read", "search"]),
        "did you mean `search`? there are read, search"
    );
    assert_eq!(suggestion("xyzzy", ["read", "search"]), "there are read, search");
    let many: Vec<_> = (10..50).map(|number| number.to_string()).collect();
    let told = suggestion("xyzzy", many.iter().map(String::as_str));
    assert!(told.starts_with("there are 10, 11") && told.ends_with("39 and 10 more"), "{told}");
}
