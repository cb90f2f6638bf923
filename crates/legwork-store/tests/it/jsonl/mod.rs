//! The store of plain files.

mod claims;
mod conformance;
mod cost;
mod crash;
mod damage;
mod due;
mod files;
mod folder;
mod full;
mod listing;
mod processes;
mod ranges;
mod read_only;
mod removal;
mod torn;
mod traced;
mod version;

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
