//! The store in one SQLite file.

mod claims;
mod conformance;
mod crash;
mod damage;
mod files;
mod folder;
mod full;
mod group;
mod listing;
mod pages;
mod processes;
mod read_only;
mod removal;
mod tampered;
mod traced;
mod version;

/// A file that is not named above would not be compiled.
#[test]
fn every_file_is_named() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/sqlite");
    for file in std::fs::read_dir(folder).unwrap() {
        let file = file.unwrap();
        let name = file.file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        let named = include_str!("mod.rs").contains(&format!("mod {module};"));
        assert!(named || module == "mod", "{name} is not named in mod.rs");
    }
}
