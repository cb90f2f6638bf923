use super::{Address, Error, Scheme};

fn parsed(text: &str) -> Address {
    Address::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn an_address_says_what_is_connected_to_and_asked_for() {
    for (text, target, path, host) in [
        ("https://example.com", "example.com:443", "/", "example.com"),
        ("HTTP://Example.COM./a?b=c#d", "example.com:80", "/a?b=c", "example.com"),
        ("http://example.com:8080/?x", "example.com:8080", "/?x", "example.com:8080"),
        ("https://[::1]:443/", "[::1]:443", "/", "[::1]"),
        ("https://[::ffff:7f00:1]/", "127.0.0.1:443", "/", "127.0.0.1"),
        ("http://example.com/ä b", "example.com:80", "/%C3%A4%20b", "example.com"),
    ] {
        let address = parsed(text);
        assert_eq!(address.target().to_string(), target, "{text}");
        assert_eq!((address.path_and_query(), address.authority()), (path.into(), host.into()));
    }
    assert_eq!(parsed("https://example.com").scheme(), Scheme::Https);
}

#[test]
fn s13_14_what_is_no_address_of_a_page_is_refused() {
    let error = |text: &str| Address::parse(text).expect_err(text);
    for text in ["file:///etc/passwd", "ftp://example.com", "data:text/plain,x", "gopher://a.b/"] {
        assert!(matches!(error(text), Error::Scheme(_)), "{text}");
    }
    for text in ["http://user@example.com", "http://user:pw@example.com", "http://@example.com"] {
        assert_eq!(error(text), Error::Credentials, "{text}");
    }
    for text in [
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://bücher.de/",
        "http://a\\b.com/",
        "http://%31.com/",
        "http:///path",
        "http://exa mple.com/",
    ] {
        assert!(matches!(error(text), Error::Host(_) | Error::NotAUrl(_)), "{text}");
    }
    for text in ["http://a.com:0/", "http://a.com:65536/"] {
        assert_eq!(error(text), Error::Port, "{text}");
    }
    for text in ["", "example.com", "/path", "http:", "https:example.com", "http://a.com:x/"] {
        assert!(Address::parse(text).is_err(), "{text}");
    }
    assert_eq!(error(&format!("http://a.com/{}", "x".repeat(9_000))), Error::TooLong);
}

#[test]
fn references_are_resolved_as_rfc_3986_says() {
    let base = parsed("http://a.com/b/c/d;p?q#f");
    for (reference, whole) in [
        ("g", "http://a.com/b/c/g"),
        ("./g", "http://a.com/b/c/g"),
        ("g/", "http://a.com/b/c/g/"),
        ("/g", "http://a.com/g"),
        ("//g.com", "http://g.com"),
        ("?y", "http://a.com/b/c/d;p?y"),
        ("g?y#s", "http://a.com/b/c/g?y#s"),
        ("", "http://a.com/b/c/d;p?q"),
        ("..", "http://a.com/b/"),
        ("../../g", "http://a.com/g"),
        ("../../../g", "http://a.com/g"),
        ("https://b.com/x y", "https://b.com/x%20y"),
    ] {
        assert_eq!(base.join(reference).unwrap().as_str(), whole, "{reference}");
    }
    assert_eq!(base.join("//u:p@g.com").unwrap_err(), Error::Credentials);
    assert!(matches!(base.join("javascript:1").unwrap_err(), Error::Scheme(_)));
}
