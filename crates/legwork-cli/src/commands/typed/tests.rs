//! What stands for other words.

use super::{Person, put_in};

fn put(line: &str) -> String {
    with(line, Person::NotHere)
}

fn with(line: &str, person: Person) -> String {
    let args = put_in(line.split(' ').map(Into::into).collect(), person);
    args.join(" ".as_ref()).into_string().unwrap()
}

#[test]
fn at_a_terminal_nothing_is_a_chat() {
    for (line, is) in [
        ("legwork", "legwork chat"),
        ("legwork --config x", "legwork --config x chat"),
        ("legwork -c", "legwork chat -c"),
        ("legwork -c --model a:b", "legwork chat -c --model a:b"),
        ("legwork -c more", "legwork run -c more"),
        ("legwork -c -", "legwork run -c -"),
        ("legwork run", "legwork run"),
    ] {
        assert_eq!(with(line, Person::Here), is);
    }
}

#[test]
fn going_on_is_a_flag_of_run() {
    assert_eq!(put("legwork -c more"), "legwork run -c more");
    assert_eq!(put("legwork --continue more -q"), "legwork run --continue more -q");
    assert_eq!(put("legwork --config x -c more"), "legwork --config x run -c more");
    assert_eq!(put("legwork --config=x -c more"), "legwork --config=x run -c more");
}

#[test]
fn all_else_stays() {
    for line in ["legwork", "legwork run -c x", "legwork --config -c", "legwork -cx", "legwork -q"]
    {
        assert_eq!(put(line), line);
    }
}
