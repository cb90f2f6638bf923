//! The runtime, tried through its public face.

mod budget;
mod cancel;
mod crash;
mod executor;
mod hooks;
mod lifecycle;
mod run;
mod session;
mod tools;

/// Every file beside this one is part of the tests.
#[test]
fn no_file_is_forgotten() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it");
    let main = include_str!("main.rs");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(
            module == "main" || main.contains(&format!("mod {module};")),
            "{name} is no module"
        );
    }
}
