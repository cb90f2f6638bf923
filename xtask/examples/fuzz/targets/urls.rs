//! Base URLs: taken as they are, or refused.

use fastrand::Rng;
use legwork_models::openai;

use super::{MIB, Target, texts};

pub(super) const TARGET: Target = Target {
    name: "urls",
    seeds,
    grammar: None,
    words: &[
        "http://",
        "https://",
        "://",
        "//",
        "@",
        "user:pass@",
        "#",
        "?k=v",
        ":0",
        ":65536",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "127.1",
        "0x7f.1",
        "xn--",
        "%2e%2e/",
        "%00",
        "\\",
        " ",
        "\t",
        "\u{ff0e}",
        "\u{ad}",
        "file:///",
        "..",
    ],
    longest: 64 << 10,
    memory: 4 * MIB,
    one_of: 1,
    run,
};

fn seeds() -> Vec<Vec<u8>> {
    texts([
        "http://127.0.0.1:8080/v1",
        "https://api.openai.com/v1",
        "http://[::1]:8000/a/b",
        "https://example.com",
        "http://xn--bcher-kva.example/v1/",
        "https://user:pw@h/v1?x=y#z",
    ])
}

fn run(input: &[u8], _: &mut Rng) -> bool {
    let text = String::from_utf8_lossy(input);
    match openai::chat(&*text, "model").api_key("a-key-of-some-length").build() {
        Ok(_) => {
            let odd = |c: char| c.is_whitespace() || c.is_control() || "\\?#@".contains(c);
            let (scheme, rest) = text.split_once("://").unwrap_or_default();
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let fits = |c: char| c.is_ascii_alphanumeric() || "-._~:[]!$&'()*+,;=".contains(c);
            let http = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
            assert!(http && !host.is_empty() && host.chars().all(fits), "{text:?} is taken");
            assert!(!path.contains(|c| odd(c) && c != '@'), "{text:?} is taken");
            true
        }
        Err(error) => {
            let told = error.to_string();
            assert!(told.len() < 8 * text.len() + 4_096, "an error of {} bytes", told.len());
            false
        }
    }
}
