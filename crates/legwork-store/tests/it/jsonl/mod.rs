//! The store of plain files.

mod conformance;
mod folder;

/// A file that is not named above would not be compiled.
#[test]
fn every_file_is_named() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/jsonl");
    for file in std::fs::read_dir(folder).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        let named = include_str!("mod.rs").contains(&format!("mod {module};"));
        assert!(named || module == "mod", "{name} is not named in mod.rs");
    }
}
