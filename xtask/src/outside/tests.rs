use super::*;

#[test]
fn hello_agent_is_the_first_example_of_the_readme_and_of_the_crate() {
    let root = cargo::root();
    let program = read(&root.join("tests/hello-agent/src/main.rs")).unwrap();
    let readme = read(&root.join("README.md")).unwrap();
    let example = readme.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next());
    assert_eq!(example, Some(program.as_str()));
    let lib = read(&root.join("crates/legwork/src/lib.rs")).unwrap();
    let docs: String = lib
        .lines()
        .filter_map(|line| line.strip_prefix("//!"))
        .map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line)))
        .collect();
    let example = docs.split("```no_run\n").nth(1).and_then(|rest| rest.split("```").next());
    assert_eq!(example, Some(program.as_str()));
}
