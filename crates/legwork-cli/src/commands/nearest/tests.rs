use super::nearest;

#[test]
fn only_what_is_alike_is_proposed() {
    let names = ["read", "write", "edit", "list", "search", "bash"];
    for (typed, meant) in [
        ("raed", Some("read")),
        ("Read", Some("read")),
        ("serach", Some("search")),
        ("editt", Some("edit")),
        ("bahs", Some("bash")),
        ("", None),
        ("xyzzy", None),
        ("compile", None),
    ] {
        assert_eq!(nearest(typed, names), meant, "{typed}");
    }
}
