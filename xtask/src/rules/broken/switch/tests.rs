use super::super::mutation::Mutation;
use super::Switches;

/// A tree of one file, and mutations of it.
fn tree(text: &str, edits: &[(&str, &str)]) -> (tempfile::TempDir, Vec<Mutation>) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.rs"), text).unwrap();
    let mutation = |(number, (find, replace)): (usize, &(&str, &str))| {
        let edit = format!("[[edit]]\nfile = \"a.rs\"\nfind = {find:?}\nreplace = {replace:?}");
        let text = format!("rule = \"S1.1\"\nwhat = \"x\"\npackage = \"a\"\n{edit}");
        Mutation::parse(&format!("m{number}"), &text).unwrap()
    };
    (folder, edits.iter().enumerate().map(mutation).collect())
}

#[test]
fn each_mutation_of_a_body_is_a_branch() {
    let text = "const A: u8 = 1;\nfn a() -> u8 { 2 }\n";
    let (folder, mutations) = tree(text, &[("{ 2", "{ 3"), ("{ 2", "{ 4"), ("= 1", "= 5")]);
    let switches = Switches::of(&mutations, folder.path());
    assert_eq!(switches.count(), 2, "a constant is built alone");
    assert!(switches.has(&mutations[0]) && !switches.has(&mutations[2]));
    switches.write(folder.path()).unwrap();
    let written = std::fs::read_to_string(folder.path().join("a.rs")).unwrap();
    assert!(written.contains("on == \"m0\")) } { 3 } else if "), "{written}");
    assert!(written.contains("on == \"m1\")) } { 4 } else { 2 } }"), "{written}");
    switches.restore(folder.path()).unwrap();
    assert_eq!(std::fs::read_to_string(folder.path().join("a.rs")).unwrap(), text);
}

#[test]
fn a_mutation_that_the_compiler_refuses_is_taken_out() {
    let text = "fn a() -> u8 {\n    1\n}\nfn b() -> u8 {\n    2\n}\n";
    let (folder, mutations) = tree(text, &[("    1", "    true"), ("    2", "    3")]);
    let mut switches = Switches::of(&mutations, folder.path());
    let warned = "warning: unused\n --> a.rs:6:1\nerror[E0308]: mismatched types\n";
    assert_eq!(switches.without(warned), 0);
    assert_eq!(switches.without(&format!("{warned}  --> a.rs:2:5\n   |\n")), 1);
    assert!(!switches.has(&mutations[0]) && switches.has(&mutations[1]));
}
