use std::path::Path;

use super::{Problem, Problems, quoted, shown};

#[test]
fn what_is_known_is_shown_and_nothing_else() {
    let problem = Problem::new("is missing", "add it");
    let field = problem.clone().on_field("name");
    let line = field.clone().on_line(Some(3));
    let file = Path::new("a.md");
    for (problem, shown) in [
        (problem.clone(), "is missing; add it"),
        (field.clone(), "name: is missing; add it"),
        (line.clone(), "line 3: name: is missing; add it"),
        (field.in_file(file), "a.md: name: is missing; add it"),
        (line.clone().in_file(file), "a.md:3: name: is missing; add it"),
    ] {
        assert_eq!(problem.to_string(), shown);
    }
    let both = Problems::of(vec![problem, line]).in_file(file);
    assert_eq!(both.to_string().lines().count(), 2);
}

#[test]
fn nothing_from_a_file_steers_a_terminal() {
    assert_eq!(shown("a\u{1b}[2J\r\u{202e}é"), "a\\u{1b}[2J\\r\\u{202e}é");
    assert_eq!(quoted(&"x".repeat(50)), format!("`{}...`", "x".repeat(40)));
    let hostile = Problem::new("a\u{7}", "b\n").on_field("c\u{1b}").in_file(Path::new("d\u{1b}"));
    assert!(!hostile.to_string().contains(char::is_control), "{hostile}");
}

#[test]
fn a_problem_is_told_as_json_too() {
    let problem = Problem::new("m", "d").on_field("f").on_line(Some(2)).in_file(Path::new("a.md"));
    assert_eq!(
        serde_json::to_string(&problem).unwrap(),
        r#"{"severity":"error","file":"a.md","line":2,"field":"f","message":"m","mend":"d"}"#
    );
}
