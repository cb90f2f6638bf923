//! Tests at the face of the crate: test vectors, random texts, scripted models.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod dialects;
mod extraction;
mod linear;
mod prefixes;
mod vectors;

/// What the shared data has in a folder, by name, or none with a line that says so.
fn shared(folder: &str) -> Vec<(String, Vec<u8>)> {
    let path = format!("{}/../../../shared/data/{folder}", env!("CARGO_MANIFEST_DIR"));
    let Ok(files) = std::fs::read_dir(&path) else {
        println!("skipped: {folder} is not there");
        return Vec::new();
    };
    let read = |file: std::io::Result<std::fs::DirEntry>| {
        let file = file.unwrap();
        (file.file_name().into_string().unwrap(), std::fs::read(file.path()).unwrap())
    };
    files.map(read).collect()
}

#[test]
fn no_file_of_this_folder_is_forgotten() {
    let source = include_str!("main.rs");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it");
    for file in std::fs::read_dir(folder).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || source.contains(&format!("mod {module};")), "{name}");
    }
}
