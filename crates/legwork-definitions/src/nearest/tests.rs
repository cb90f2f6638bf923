use super::nearest;

#[test]
fn only_what_is_alike_is_proposed() {
    let known = ["name", "description", "model", "tools", "denied_tools", "total_tokens"];
    for (written, meant) in [
        ("descripton", Some("description")),
        ("Name", Some("name")),
        ("denied-tools", Some("denied_tools")),
        ("tool", Some("tools")),
        ("total tokens", Some("total_tokens")),
        ("", None),
        ("colour", None),
        ("permissionMode", None),
    ] {
        assert_eq!(nearest(written, &known), meant, "{written}");
    }
}
