//! Tests at the face of the crate: recorded answers, real HTTP, the request schema.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod abilities;
mod allocated;
mod answers;
#[cfg(feature = "anthropic")]
mod anthropic;
#[cfg(feature = "bedrock")]
mod bedrock;
mod bounds;
mod clock;
#[cfg(feature = "compression")]
mod compressed;
mod conformance;
mod counted;
mod embeddings;
mod failures;
mod faults;
#[cfg(all(feature = "anthropic", feature = "bedrock", feature = "gemini"))]
mod formats;
#[cfg(feature = "gemini")]
mod gemini;
mod growing;
#[cfg(feature = "compression")]
mod gzip;
mod idempotency;
mod layers;
mod models;
mod observed;
mod official;
mod oracle;
mod page;
#[cfg(feature = "anthropic")]
mod pauses;
#[cfg(all(feature = "anthropic", feature = "gemini"))]
mod provider_tools;
#[cfg(feature = "proxy")]
mod proxies;
#[cfg(feature = "proxy")]
mod proxy;
mod recorder;
mod recordings;
mod renewed;
mod requests;
mod responses;
mod server;
#[cfg(all(feature = "anthropic", feature = "gemini"))]
mod settings;
mod spelling;
mod streams;
mod time_limits;
mod traced;
mod traffic;
mod wires;

/// The data shared by all tests, or none with a line that says so.
fn shared(path: &str) -> Option<Vec<u8>> {
    let file = format!("{}/../../../shared/data/{path}", env!("CARGO_MANIFEST_DIR"));
    match std::fs::read(&file) {
        Ok(bytes) => Some(bytes),
        Err(_) => {
            println!("skipped: {path} is not there");
            None
        }
    }
}

/// Whether the official schema of its API takes a body; what it says against it is printed.
fn is_valid(api: legwork_models::Api, body: &serde_json::Value) -> bool {
    let problems = official::problems(api, body);
    problems.iter().for_each(|problem| println!("{problem} in {body}"));
    problems.is_empty()
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
