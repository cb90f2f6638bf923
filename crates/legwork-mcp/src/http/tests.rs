use super::*;

fn error(result: Result<Endpoint, Error>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn addresses_that_are_none_of_http_are_refused_with_reasons() {
    assert!(error(Endpoint::new("ftp://a/b")).contains("neither `https://` nor `http://`"));
    assert!(error(Endpoint::new("/a/b")).contains("neither `https://` nor `http://`"));
    assert!(error(Endpoint::new("a b")).contains("not a URL"));
    let secret = error(Endpoint::new("https://me:secret@a/b"));
    assert!(secret.contains("headers") && !secret.contains("secret"), "{secret}");
}

#[test]
fn headers_are_checked_and_never_shown() {
    let endpoint = Endpoint::new("https://a/b").unwrap();
    let endpoint = endpoint.header("Authorization", "Bearer topsecret").unwrap();
    let shown = format!("{endpoint:?}");
    assert!(shown.contains("authorization") && !shown.contains("topsecret"), "{shown}");
    for (name, value) in [("Accept", "a"), ("Mcp-Session-Id", "a"), ("a b", "a"), ("a", "b\nc")] {
        assert!(endpoint.clone().header(name, value).is_err(), "{name}: {value}");
    }
}
