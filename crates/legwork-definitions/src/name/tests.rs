use super::{is_name, is_tool, slug};

#[test]
fn names_are_short_and_plain() {
    for name in ["a", "code-reviewer", "x_1", "0", &"a".repeat(64)] {
        assert!(is_name(name), "{name}");
    }
    for name in ["", "A", "é", "a b", "a/b", "a.b", "..", &"a".repeat(65)] {
        assert!(!is_name(name), "{name}");
    }
    for name in ["read", "Read", "mcp__git__log", "git/log", "a.b:c-d"] {
        assert!(is_tool(name), "{name}");
    }
    for name in ["", "read, write", "*", "Bash(git:*)", "é", &"a".repeat(129)] {
        assert!(!is_tool(name), "{name}");
    }
}

#[test]
fn a_name_is_proposed() {
    for (text, name) in
        [("Code Reviewer!", "code-reviewer"), ("  a  b ", "a-b"), ("é", ""), ("A_b", "a_b")]
    {
        assert_eq!(slug(text), name);
    }
    assert_eq!(slug(&"A".repeat(99)).len(), 64);
}
