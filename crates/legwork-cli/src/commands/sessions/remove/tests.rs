//! What is asked, and what counts as yes.

use super::{Doomed, ask};

fn asked(doomed: &[&str], answer: &str) -> (bool, String) {
    let doomed: Vec<_> = doomed
        .iter()
        .map(|words| Doomed { ids: vec![(*words).into()], words: (*words).to_owned() })
        .collect();
    let mut out = Vec::new();
    let agreed = ask(&doomed, 20, &mut answer.as_bytes(), &mut out).unwrap();
    (agreed, String::from_utf8(out).unwrap())
}

#[test]
fn only_a_yes_is_one() {
    for answer in ["y\n", "Y\n", "yes\n", " y \n", "y"] {
        assert!(asked(&["a"], answer).0, "{answer:?}");
    }
    for answer in ["", "\n", "n\n", "yy\n", "no\ny\n", "remove\n"] {
        assert!(!asked(&["a"], answer).0, "{answer:?}");
    }
}

#[test]
fn the_question_names_what_goes() {
    assert_eq!(asked(&["a, 1 step, \"x\""], "").1, "remove session a, 1 step, \"x\"? [y/N] ");
    let (_, two) = asked(&["a", "b, of a long task that is clipped"], "");
    assert_eq!(
        two,
        "a\nb, of a long task\n  that is clipped\nremove these 2 sessions for good? [y/N] "
    );
}
