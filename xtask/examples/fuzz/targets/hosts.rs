//! Hosts that a command may reach: what is on the list is written as it is read.

use fastrand::Rng;
use legwork_tools::sandbox::Host;

use super::{MIB, Target, texts};

pub(super) const TARGET: Target = Target {
    name: "hosts",
    seeds,
    grammar: None,
    words: &[
        "*.",
        "*",
        ".",
        "..",
        ":",
        ":80",
        ":0",
        ":65536",
        "[",
        "]",
        "[::1]",
        "%eth0",
        "127.1",
        "0x7f.",
        "::ffff:",
        "xn--",
        "-",
        "_",
        "@",
        "/",
        ".example.com",
        "\u{ff0e}",
        "\u{130}",
    ],
    longest: 64 << 10,
    memory: MIB,
    one_of: 1,
    run,
};

fn seeds() -> Vec<Vec<u8>> {
    let long = ["a".repeat(63), "b".repeat(63), "c".repeat(63), "d".repeat(61)].join(".");
    texts([
        "api.example.com",
        "*.npmjs.org",
        "Example.COM:8443",
        "192.0.2.1:8080",
        "[2001:db8::1]",
        "[::ffff:10.0.0.7]:443",
        &long,
    ])
}

fn run(input: &[u8], _: &mut Rng) -> bool {
    let text = String::from_utf8_lossy(input);
    let host = match text.parse::<Host>() {
        Ok(host) => host,
        Err(error) => {
            let told = error.to_string();
            assert!(told.len() < 4_096, "an error of {} bytes", told.len());
            return false;
        }
    };
    let written = host.to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || ".-_:*[]".contains(c);
    assert!(written.len() < 300 && written.chars().all(plain), "{text:?} is {written:?}");
    assert!(written.parse() == Ok(host.clone()), "{text:?} is written as {written:?}");
    assert!(host.covers(&host), "{written} does not cover itself");
    let below: Option<Host> =
        written.strip_prefix('*').map(|rest| format!("a{rest}")).and_then(|name| name.parse().ok());
    assert!(
        below.is_none_or(|below| host.covers(&below) && !below.covers(&host)),
        "{written} and below"
    );
    true
}
