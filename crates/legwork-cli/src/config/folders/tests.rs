use std::path::Path;

use super::Folders;

#[test]
fn folders_are_named_by_path_or_star() {
    let of = |text: &str| Folders::parse(text, Path::new("/base")).unwrap();
    let has = |text: &str, folder: &str| of(text).has(Path::new(folder));
    assert!(has("/a/b", "/a/b") && !has("/a/b", "/a/b/c") && !has("/a/b", "/a"));
    assert!(has("/a/*", "/a/b") && has("/a/*", "/a/b/c"));
    assert!(!has("/a/*", "/a") && !has("/a/*", "/ab/c"));
    assert!(has("x/*", "/base/x/y") && !has("x/*", "/x/y"));
    assert!(has("*", "/anything") && has("/*", "/anything"));
    for wrong in ["", "/a/*/b", "**", "/a*", "~other/x"] {
        assert!(Folders::parse(wrong, Path::new("/")).is_err(), "{wrong}");
    }
    for text in ["/a/b", "/a/*", "*"] {
        assert_eq!(of(text).text(), text);
    }
}
