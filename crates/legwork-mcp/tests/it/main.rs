//! Agents whose tools are those of a server, in this process and in a child.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may fail loudly"
)]

mod asked;
mod asking;
mod calls;
mod changes;
mod child;
mod ends;
mod fixture;
mod http;
mod listing;
#[cfg(feature = "oauth")]
mod oauth;
mod offers;
mod prompting;
mod sampling;

#[test]
fn no_file_of_this_folder_is_forgotten() {
    let main = include_str!("main.rs");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it");
    for file in std::fs::read_dir(folder).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || main.contains(&format!("mod {module};")), "{name}");
    }
}
