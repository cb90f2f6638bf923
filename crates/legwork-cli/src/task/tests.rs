//! What an argument stands for, and what comes beside it.

use super::{named, several, text, with_context};

#[test]
fn an_at_sign_names_a_file_and_two_stand_for_one() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "\u{feff}Do it.\n").unwrap();
    assert_eq!(named(&format!("@{}", file.path().display())).unwrap(), "Do it.\n");
    assert_eq!(named("@@alice is gone").unwrap(), "@alice is gone");
    assert_eq!(named("mail alice@example.org").unwrap(), "mail alice@example.org");
    assert!(named("@").unwrap_err().to_string().contains("no file"));
    assert!(named("@/no/such").unwrap_err().hint().unwrap().contains("@@"));
    assert!(named("@/").unwrap_err().to_string().contains("is a directory"));
    assert!(named("@/dev/null").unwrap_err().to_string().contains("not a regular file"));
    std::fs::write(file.path(), "").unwrap();
    let empty = named(&format!("@{}", file.path().display())).unwrap_err();
    assert!(empty.to_string().contains("is empty"));
}

#[test]
fn what_is_piped_in_comes_after_the_task() {
    let with = |context: &str| with_context("Review".to_owned(), Some(context.to_owned())).unwrap();
    assert_eq!(with("a\nb"), "Review\n\n<stdin>\na\nb\n</stdin>");
    assert_eq!(with(" \n"), "Review");
    assert_eq!(with_context("Review".to_owned(), None).unwrap(), "Review");
    assert!(with_context(" ".to_owned(), Some("x".to_owned())).is_err());
}

#[test]
fn words_without_quotes_are_put_in_quotes() {
    let error = several("fix", &["the".to_owned(), "tests".to_owned()]);
    assert_eq!(error.to_string(), "the task is one argument, and there are 3");
    assert_eq!(error.hint().unwrap(), "put it in quotes: legwork run 'fix the tests'");
}

#[test]
fn text_has_a_size_and_is_utf8() {
    assert!(text(vec![0xff], "x").unwrap_err().to_string().contains("not UTF-8"));
    let large = text(vec![b'a'; super::MOST + 1], "x").unwrap_err();
    assert!(large.to_string().contains("more than 16 MiB"), "{large}");
    assert!(text(vec![b'a'; super::MOST], "x").is_ok());
}
