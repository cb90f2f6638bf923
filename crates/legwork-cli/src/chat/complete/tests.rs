//! What is offered for what was typed.

use std::fs;

use super::Completions;

fn completions(root: &std::path::Path) -> Completions {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    Completions {
        root: root.to_owned(),
        commands: words(&["/model", "/quit", "/mine"]),
        models: words(&["a:one", "a:two", "b:one"]),
        agents: words(&["reviewer"]),
    }
}

/// Where the completion begins, and what is offered.
fn offered(before: &str) -> (usize, Vec<String>) {
    let home = tempfile::TempDir::new().unwrap();
    fs::create_dir_all(home.path().join("src/inner")).unwrap();
    for name in ["src/lib.rs", "src/list.rs", "README.md", ".hidden"] {
        fs::write(home.path().join(name), "").unwrap();
    }
    let (start, words) = completions(home.path()).of(before);
    (start, words.into_iter().map(|word| word.text).collect())
}

#[test]
fn commands_and_their_arguments_are_completed() {
    assert_eq!(offered("/m"), (0, vec!["/model".to_owned(), "/mine".to_owned()]));
    assert_eq!(offered("/model a:"), (7, vec!["a:one".to_owned(), "a:two".to_owned()]));
    assert_eq!(offered("/agent r").1, ["reviewer"]);
    assert_eq!(offered("say /m").1, <[&str; 0]>::default());
}

#[test]
fn files_are_completed_behind_an_at_sign() {
    assert_eq!(offered("see @src/li"), (4, vec!["@src/lib.rs".into(), "@src/list.rs".into()]));
    assert_eq!(offered("@").1, ["@README.md", "@src/"]);
    assert_eq!(offered("@src/").1, ["@src/inner/", "@src/lib.rs", "@src/list.rs"]);
    assert_eq!(offered("@.h").1, ["@.hidden"]);
    assert_eq!(offered("@none/").1, <[&str; 0]>::default());
    assert_eq!(offered("src/li").1, <[&str; 0]>::default());
}
