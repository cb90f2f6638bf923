//! Which words name files.

use super::{is_picture, named};

fn words(line: &str) -> Vec<(String, bool)> {
    let words = named(line).into_iter();
    words.map(|word| (word.path.display().to_string(), word.is_marked)).collect()
}

#[test]
fn a_path_with_spaces_is_one_word() {
    let word = |text: &str, marked| (text.to_owned(), marked);
    assert_eq!(
        words("see @a.rs now"),
        [word("see", false), word("a.rs", true), word("now", false)]
    );
    assert_eq!(words(r"/tmp/my\ shot.png"), [word("/tmp/my shot.png", false)]);
    assert_eq!(words("@\"a b\" 'c d'"), [word("a b", true), word("c d", false)]);
    assert_eq!(words("it's @x"), [word("it's", false), word("x", true)]);
    assert_eq!(words(" "), []);
}

#[test]
fn pictures_are_known_by_their_extension() {
    for (path, is) in [("a.png", true), ("b.JPG", true), ("png", false), ("c.rs", false)] {
        assert_eq!(is_picture(path.as_ref()), is, "{path}");
    }
}
