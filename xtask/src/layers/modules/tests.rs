use super::*;

const FOLDER: &str = "crates/it/src/";

/// The circles of a crate of these files.
fn rounds_of(files: &[(&str, &str)]) -> Vec<Vec<String>> {
    let source = |(path, text): &(&str, &str)| Source {
        path: format!("{FOLDER}{path}"),
        text: (*text).to_owned(),
    };
    let sources: Vec<_> = files.iter().map(source).collect();
    rounds(&uses(FOLDER, &sources.iter().collect::<Vec<_>>()))
}

fn check(files: &[(&str, &str)], expected: &[&[&str]]) {
    let found = rounds_of(files);
    assert_eq!(found, expected, "{files:?}");
}

const LIB: (&str, &str) =
    ("lib.rs", "mod a;\npub mod b;\npub(crate) mod c;\npub use b::{B, Bs};\n");

#[test]
fn modules_that_depend_one_way_pass() {
    check(&[LIB, ("a.rs", "use crate::b::B;"), ("b.rs", "use crate::c::C;"), ("c.rs", "")], &[]);
}

#[test]
fn a_circle_is_found_however_it_is_written() {
    for back in [
        "use crate::a::A;",
        "use crate::{\n    c::{C, D},\n    a::A,\n};",
        "fn f() { crate::a::f() }",
        "use super::a::A;",
    ] {
        check(&[LIB, ("a.rs", "use crate::b::x;"), ("b.rs", back), ("c.rs", "")], &[&["a", "b"]]);
    }
}

#[test]
fn a_name_that_the_root_re_exports_is_that_of_its_module() {
    check(&[LIB, ("a.rs", "use crate::Bs;"), ("b.rs", "use crate::a::A;")], &[&["a", "b"]]);
}

#[test]
fn a_longer_circle_is_one() {
    let files = [
        LIB,
        ("a/mod.rs", "use crate::b::B;"),
        ("a/deep/down.rs", "use super::super::super::c::C;"),
        ("b.rs", "use crate::c::C;"),
        ("c.rs", "use crate::a::A;"),
    ];
    check(&files, &[&["a", "b", "c"]]);
}

#[test]
fn comments_tests_and_files_of_one_folder_count_for_nothing() {
    let files = [
        LIB,
        ("a.rs", "/// [`B`](crate::b::B)\nuse crate::a::x; use self::y;"),
        ("a/x.rs", "use super::y;"),
        ("a/y.rs", "use super::x;"),
        ("b.rs", "use crate::a::A;"),
        ("a/tests.rs", "use crate::b::B;"),
    ];
    check(&files, &[]);
}

#[test]
fn the_order_to_read_in_names_all_modules_and_none_before_what_it_needs() {
    let files = [("a.rs", "use crate::b::B;"), ("b.rs", "use crate::c::C;"), ("c.rs", "")];
    let source = |(path, text): &(&str, &str)| Source {
        path: format!("{FOLDER}{path}"),
        text: (*text).to_owned(),
    };
    let all = |order: &str| {
        let root = format!("//! Read it in this order: {order}.\n{}", LIB.1);
        let sources: Vec<_> =
            files.iter().chain([&("lib.rs", root.as_str())]).map(source).collect();
        out_of_order(&root, &uses(FOLDER, &sources.iter().collect::<Vec<_>>()))
    };
    assert_eq!(all("`c`, [`b`], the `a`"), Vec::<String>::new());
    assert_eq!(all("`c`, `a`, `b`"), ["the root says to read `a` before `b`, which it names"]);
    assert_eq!(all("`c`, `b`"), ["the root does not say when to read `a`"]);
}
