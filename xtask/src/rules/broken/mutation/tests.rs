use super::*;

const WHOLE: &str = r#"
    rule = "S3.1"
    what = "a request outvotes a forbid"
    package = "a"
    [[edit]]
    file = "src/a.rs"
    find = "one"
    replace = "two"
"#;

fn tree(text: &str) -> tempfile::TempDir {
    let tree = tempfile::tempdir().unwrap();
    fs::create_dir(tree.path().join("src")).unwrap();
    fs::write(tree.path().join("src/a.rs"), text).unwrap();
    tree
}

/// What becomes of `a.rs` with these edits, each `find -> replace`.
fn changed(text: &str, edits: &[(&str, &str)]) -> Result<String, String> {
    let mut mutation = Mutation::parse("x", WHOLE).unwrap();
    let edit = |(find, replace): &(&str, &str)| Edit {
        file: "src/a.rs".to_owned(),
        find: (*find).to_owned(),
        replace: (*replace).to_owned(),
    };
    mutation.edits = edits.iter().map(edit).collect();
    let changes = mutation.changes(tree(text).path())?;
    assert_eq!(changes.len(), 1);
    assert_eq!(changes[0].before, text);
    Ok(changes[0].after.clone())
}

fn problem(from: &str, to: &str) -> String {
    assert!(WHOLE.contains(from), "{from}");
    Mutation::parse("x", &WHOLE.replace(from, to)).unwrap_err()
}

#[test]
fn a_file_says_what_is_broken_and_who_must_notice() {
    let mutation = Mutation::parse("s3_1_x", WHOLE).unwrap();
    assert_eq!(mutation.name, "s3_1_x");
    assert_eq!(mutation.rule.to_string(), "S3.1");
    assert_eq!(mutation.filter(), "test(s3_1_)");
    let own = WHOLE.replace("package", "tests = \"test(=a::b)\"\npackage");
    assert_eq!(Mutation::parse("x", &own).unwrap().filter(), "test(=a::b)");
}

#[test]
fn a_file_that_cannot_be_meant_is_an_error() {
    assert!(problem("S3.1", "3.1").contains("no rule"), "no S");
    assert!(problem("S3.1", "S3.1 and more").contains("no rule"));
    assert!(problem("what", "waht").contains("waht"));
    assert!(problem("    package = \"a\"", "").contains("package"));
    assert!(problem("find", "seek").contains("seek"));
    assert!(problem("two", "one").contains("changes nothing"));
    assert!(problem("\"one\"", "\"\"").contains("changes nothing"));
    for outside in ["/etc/hosts", "../a.rs", "src/../../a.rs", ""] {
        assert!(problem("src/a.rs", outside).contains("inside of the workspace"), "{outside}");
    }
    let none = WHOLE.split("[[edit]]").next().unwrap();
    assert!(Mutation::parse("x", none).is_err());
}

#[test]
fn what_is_sought_stands_there_once() {
    assert_eq!(changed("a one b", &[("one", "two")]).unwrap(), "a two b");
    assert!(changed("a", &[("one", "two")]).unwrap_err().contains("nowhere `one`"));
    assert!(changed("one one", &[("one", "two")]).unwrap_err().contains("2 times"));
}

#[test]
fn edits_of_one_file_follow_each_other() {
    assert_eq!(changed("a b", &[("a", "c"), ("b", "d")]).unwrap(), "c d");
    assert_eq!(changed("a b", &[("a", "c"), ("c b", "e")]).unwrap(), "e");
    assert!(changed("a b", &[("a", "c"), ("a", "d")]).is_err());
}

#[test]
fn a_file_that_is_gone_is_told() {
    let mutation = Mutation::parse("x", &WHOLE.replace("src/a.rs", "src/b.rs")).unwrap();
    let problem = mutation.changes(tree("one").path()).unwrap_err();
    assert!(problem.contains("cannot read src/b.rs"), "{problem}");
}

#[test]
fn a_folder_is_read_by_rule_and_only_known_rules_pass() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
    write("b.toml", WHOLE.replace("S3.1", "S1.10"));
    write("a.toml", WHOLE.to_owned());
    write("c.toml", WHOLE.replace("S3.1", "S1.9"));
    write("README.md", "no mutation".to_owned());
    let rules = ["1.9", "1.10", "3.1"].map(|text| Rule::parse(text, '.').unwrap().0);
    let found = all(folder.path(), &BTreeSet::from(rules)).unwrap();
    let names: Vec<_> = found.iter().map(|mutation| mutation.name.as_str()).collect();
    assert_eq!(names, ["c", "b", "a"]);

    let known = BTreeSet::from([rules[0], rules[1]]);
    let problem = all(folder.path(), &known).unwrap_err();
    assert!(problem.contains("a.toml: there is no rule S3.1"), "{problem}");
}
