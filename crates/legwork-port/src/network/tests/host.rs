//! Names of hosts, and what they allow.

use crate::network::{Host, Target};

#[test]
fn s13_7_a_host_is_a_name_with_a_dot_a_pattern_or_an_address() {
    for (text, shown) in [
        ("API.Example.com", "api.example.com"),
        ("*.example.com", "*.example.com"),
        ("example.com:8443", "example.com:8443"),
        ("192.0.2.1", "192.0.2.1"),
        ("127.0.0.1:5432", "127.0.0.1:5432"),
        ("2001:db8::1", "[2001:db8::1]"),
        ("[2001:db8::1]:443", "[2001:db8::1]:443"),
        ("::ffff:127.0.0.1", "127.0.0.1"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("_acme.example.com", "_acme.example.com"),
    ] {
        let host: Host = text.parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(host.to_string(), shown, "{text}");
        assert_eq!(host.to_string().parse(), Ok(host), "{text}");
    }
}

#[test]
fn s13_7_a_text_that_is_not_a_host_is_refused_with_the_reason() {
    let long = format!("{}.com", "a".repeat(64));
    for text in [
        "",
        "*",
        "*.",
        "**.com",
        "a*.com",
        "*example.com",
        "example",
        "localhost",
        "example.com.",
        ".example.com",
        "exa mple.com",
        "example.com/path",
        "http://example.com",
        "user@example.com",
        "bücher.example",
        "127.1",
        "0x7f.0x1",
        "1.2.3.4.5",
        "example.com:0",
        "example.com:",
        "example.com:65536",
        "example.com:+80",
        "[::1",
        "[127.0.0.1]",
        "[*.example.com]",
        "off",
        long.as_str(),
    ] {
        let error = text.parse::<Host>().expect_err(text);
        assert!(error.to_string().contains("is not a host: "), "{error}");
    }
}

#[test]
fn s13_7_a_host_allows_itself_alone() {
    let allows = |host: &str, asked: (&str, u16)| {
        let host: Host = host.parse().expect("a host");
        Target::new(asked.0, asked.1).is_some_and(|target| host.allows(&target))
    };
    for (host, asked) in [
        ("example.com", ("example.com", 443)),
        ("example.com", ("EXAMPLE.com.", 80)),
        ("example.com:22", ("example.com", 22)),
        ("*.example.com", ("a.example.com", 443)),
        ("*.example.com", ("a.b.example.com", 443)),
        ("127.0.0.1:5432", ("127.0.0.1", 5432)),
        ("127.0.0.1:5432", ("[::ffff:7f00:1]", 5432)),
        ("::1", ("[0:0:0:0:0:0:0:1]", 80)),
    ] {
        assert!(allows(host, asked), "{host} does not allow {asked:?}");
    }
    for (host, asked) in [
        ("example.com", ("www.example.com", 443)),
        ("example.com", ("badexample.com", 443)),
        ("example.com", ("example.com.evil.net", 443)),
        ("example.com", ("example.com", 22)),
        ("example.com:8443", ("example.com", 443)),
        ("*.example.com", ("example.com", 443)),
        ("*.example.com", ("badexample.com", 443)),
        ("*.example.com", (".example.com", 443)),
        ("*.example.com", ("*.example.com", 443)),
        ("127.0.0.1", ("localhost", 80)),
        ("127.0.0.1", ("127.1", 80)),
        ("127.0.0.1", ("2130706433", 80)),
        ("127.0.0.1", ("0x7f000001", 80)),
        ("127.0.0.1", ("127.0.0.01", 80)),
        ("127.0.0.1", ("127.0.0.1.", 80)),
        ("example.com", ("example.com\0.evil.net", 443)),
        ("example.com", ("example.com:443", 443)),
        ("example.com", ("", 443)),
    ] {
        assert!(!allows(host, asked), "{host} allows {asked:?}");
    }
}

#[test]
fn s13_7_a_host_covers_what_is_narrower() {
    let covers = |wide: &str, narrow: &str| {
        wide.parse::<Host>().expect("a host").covers(&narrow.parse().expect("a host"))
    };
    for (wide, narrow) in [
        ("example.com", "example.com"),
        ("example.com", "example.com:443"),
        ("*.example.com", "a.example.com"),
        ("*.example.com", "*.a.example.com:80"),
        ("*.example.com", "*.example.com"),
    ] {
        assert!(covers(wide, narrow), "{wide} does not cover {narrow}");
    }
    for (wide, narrow) in [
        ("example.com:443", "example.com"),
        ("example.com", "example.com:22"),
        ("*.example.com", "example.com"),
        ("a.example.com", "*.example.com"),
        ("*.a.example.com", "*.example.com"),
        ("127.0.0.1", "127.0.0.2"),
    ] {
        assert!(!covers(wide, narrow), "{wide} covers {narrow}");
    }
}

#[test]
fn a_text_that_is_not_a_host_is_shown_in_short() {
    let error = "a".repeat(100_000).parse::<Host>().unwrap_err().to_string();
    assert!(error.starts_with("\"aaa") && error.len() < 500, "{} bytes", error.len());
}
