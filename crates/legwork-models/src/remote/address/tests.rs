use super::*;

#[test]
fn s13_11_a_base_url_is_taken_as_it_is_or_not_at_all() {
    for (good, endpoint_of_it) in [
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/chat"),
        ("https://api.example.com", "https://api.example.com/chat"),
        ("https://api.example.com/", "https://api.example.com/chat"),
        ("https://[::1]:9/a/b/", "https://[::1]:9/a/b/chat"),
        ("HTTPS://API.Example.com/V1", "https://api.example.com/V1/chat"),
        ("http://a:80/v1", "http://a/v1/chat"),
        ("https://a:443", "https://a/chat"),
        ("https://a:80//", "https://a:80/chat"),
        ("http://xn--bcher-kva.example/v1", "http://xn--bcher-kva.example/v1/chat"),
        ("http://model_server:8000/v1", "http://model_server:8000/v1/chat"),
        ("http://1.example/v1", "http://1.example/v1/chat"),
        ("http://0xg.a/v1", "http://0xg.a/v1/chat"),
        ("http://[::FFFF:127.0.0.1]/v1", "http://[::ffff:127.0.0.1]/v1/chat"),
        ("http://a/%7Bv1%7D/@x:1", "http://a/%7Bv1%7D/@x:1/chat"),
    ] {
        assert_eq!(endpoint(good, "chat").unwrap().to_string(), endpoint_of_it);
    }
    for (bad, problem) in [
        ("", "empty"),
        (" http://a/v1", "white space around"),
        ("http://a/v1\n", "white space around"),
        ("http://a/v 1", "white space in"),
        ("http://a\tb/v1", "white space in"),
        ("http://a/\u{7}", "control character"),
        ("http://a\u{200b}b/v1", "not seen"),
        ("http:\\\\a\\v1", "backslash"),
        ("http:a/v1", "`://`"),
        ("http:/a/v1", "`://`"),
        ("http:///a/v1", "no host"),
        ("http://", "host"),
        ("//a/v1", "`://`"),
        ("a.example/v1", "`://`"),
        ("ftp://a/v1", "not http or https"),
        ("file:///etc", "host"),
        ("http://me@a/v1", "name or password"),
        ("http://me:hunter2@a/v1", "name or password"),
        ("http://:hunter2@a/v1", "name or password"),
        ("http://a/v1?key=hunter2", "query"),
        ("http://a/v1#there", "fragment"),
        ("http://a:0/v1", "port is 0"),
        ("http://a:99999/v1", "port"),
        ("http://a:8o/v1", "port"),
        ("http://a b/v1", "white space"),
        ("http://[::1/v1", "IPv6"),
        ("http://[::1]9/v1", "IPv6"),
        ("http://[fe80::1%25eth0]/v1", "IPv6"),
        ("http://a:+8/v1", "port"),
        ("http://a:8:9/v1", "port"),
        ("https:http://a/v1", "not http or https"),
        ("http:b://a/v1", "not http or https"),
        ("http:?://a/v1", "not http or https"),
        ("http:#://a/v1", "not http or https"),
        ("me:hunter2@http://a/v1", "not http or https"),
        ("http://me:hun/ter2@a/v1", "port is not a number"),
        ("http://127.1/v1", "read as http://127.0.0.1/v1"),
        ("http://127.0.0.1./v1", "read as http://127.0.0.1/v1"),
        ("http://0x7f.0.0.1/v1", "read as http://127.0.0.1/v1"),
        ("http://0X7F000001/v1", "read as http://127.0.0.1/v1"),
        ("http://017700000001/v1", "read as http://127.0.0.1/v1"),
        ("http://2130706433/v1", "read as http://127.0.0.1/v1"),
        ("http://127.65535/v1", "read as http://127.0.255.255/v1"),
        ("http://127.16777216/v1", "not an IPv4 address"),
        ("http://256.0.0.1/v1", "not an IPv4 address"),
        ("http://1.2.3.4.5/v1", "not an IPv4 address"),
        ("http://1.2.3.08/v1", "not an IPv4 address"),
        ("http://a.example.1/v1", "not an IPv4 address"),
        ("http://%61.example/v1", "character in its host that names do not have, '%'"),
        ("http://a!b.example/v1", "character in its host that names do not have, '!'"),
        ("http://\u{ff41}.example/v1", "not ASCII, '\u{ff41}'"),
        ("http://b\u{fc}cher.example/v1", "not ASCII, '\u{fc}'"),
        ("http://a:/v1", "read as http://a/v1"),
        ("http://a:080/v1", "read as http://a/v1"),
        ("http://a/v1/../v2", "read as http://a/v2"),
        ("http://a/%2e%2e/v2", "read as http://a/v2"),
        ("http://a/v1/.%2E/v2", "read as http://a/v2"),
        ("http://a/./v1", "read as http://a/v1"),
        ("http://a/{v1}", "read as http://a/%7Bv1%7D"),
        ("http://a/\u{e9}", "read as http://a/%C3%A9"),
    ] {
        let error = endpoint(bad, "chat").unwrap_err().to_string();
        assert!(error.contains(problem) && !error.contains("hunter2"), "{bad}: {error}");
    }
}

#[test]
fn s13_11_only_plain_http_to_another_machine_is_in_clear() {
    let clear = |url: &str| in_clear(&Uri::try_from(url).unwrap());
    for here in [
        "http://127.0.0.1:1/v1",
        "http://127.9.9.9/",
        "http://localhost:8080",
        "http://api.localhost",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "https://10.0.0.7/",
        "https://api.example.com",
    ] {
        assert_eq!(clear(here), None, "{here}");
    }
    for (there, host) in [
        ("http://10.0.0.7:8000/v1", "10.0.0.7"),
        ("http://api.example.com/v1", "api.example.com"),
        ("http://localhost.example.com", "localhost.example.com"),
        ("http://127.0.0.1.example.com", "127.0.0.1.example.com"),
        ("http://[fe80::1]/", "[fe80::1]"),
    ] {
        assert_eq!(clear(there).as_deref(), Some(host), "{there}");
    }
}
