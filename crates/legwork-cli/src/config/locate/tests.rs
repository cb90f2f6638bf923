use super::*;

#[test]
fn a_path_is_shown_in_one_line_that_commands_nothing() {
    assert_eq!(shown(Path::new("/a\x1b[2J/b\nc\td\re")), "/a\\u{1b}[2J/b\\nc\\td\u{fffd}e");
    assert_eq!(shown(Path::new("/plain path")), "/plain path");
}

#[test]
fn a_path_is_relative_to_a_folder_unless_it_says_otherwise() {
    let folder = Path::new("/folder");
    assert_eq!(expanded("a/b", folder), Ok("/folder/a/b".into()));
    assert_eq!(expanded("/a/b", folder), Ok("/a/b".into()));
    assert_eq!(expanded("a~b", folder), Ok("/folder/a~b".into()));
    assert!(expanded("~you", folder).is_err());
    assert!(expanded("", folder).is_err());
}
