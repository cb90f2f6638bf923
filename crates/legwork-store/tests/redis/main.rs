//! Tests of the Redis store, on real servers.
#![cfg(feature = "redis")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may fail loudly and says what it skips"
)]

mod conformance;
mod damage;
mod durable;
mod full;
mod lease;
mod many;
mod outage;
mod proxy;
#[path = "../../../legwork-models/tests/it/recorder.rs"]
mod recorder;
mod refused;
mod removal;
mod sample;
mod tls;
mod traced;
mod watched;

/// A file that is not named above would not be compiled.
#[test]
fn every_file_is_named() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/redis");
    for file in std::fs::read_dir(folder).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        let named = include_str!("main.rs").contains(&format!("mod {module};"));
        assert!(named || module == "main", "{name} is not named in main.rs");
    }
}
