use super::*;

fn read(text: &str) -> Result<Address, String> {
    Address::read(text).map_err(|error| error.to_string())
}

fn shown(text: &str) -> String {
    read(text).map_or_else(|error| error, |address| address.name.to_string())
}

#[test]
fn an_address_is_shown_without_its_password() {
    for (text, wanted) in [
        ("redis://localhost", "redis://localhost:6379/0"),
        ("redis://:secret@localhost:7000/2", "redis://localhost:7000/2"),
        ("redis://clerk:se%3Fcret@10.0.0.1/1?prefix=a.b", "redis://10.0.0.1:6379/1?prefix=a.b"),
        ("rediss://:secret@example.com?durable=require", "rediss://example.com:6379/0"),
        ("redis+unix:///run/redis.sock?db=3&pass=secret", "redis+unix:///run/redis.sock?db=3"),
    ] {
        assert_eq!(shown(text), wanted);
    }
}

#[test]
fn parameters_are_read() {
    let plain = read("redis://localhost").unwrap();
    assert_eq!((plain.prefix.as_str(), plain.require_durable), ("legwork", false));
    let all = read("redis://:secret@localhost/4?durable=require&prefix=clerk").unwrap();
    assert_eq!((all.prefix.as_str(), all.require_durable), ("clerk", true));
    let settings = all.server.redis_settings();
    assert_eq!((settings.db(), settings.password()), (4, Some("secret")));
    let unix = read("redis+unix:///run/redis.sock?db=3&pass=secret&prefix=clerk").unwrap();
    let settings = unix.server.redis_settings();
    assert_eq!((settings.db(), settings.password()), (3, Some("secret")));
}

#[test]
fn an_address_that_cannot_be_read_is_refused_without_its_password() {
    for text in [
        "",
        "secret",
        "http://:secret@localhost",
        "redis://:secret@localhost:port",
        "redis://:secret@localhost/one",
        "redis://:secret@localhost?prefix=",
        "redis://:secret@localhost?prefix=a{b",
        "redis://:secret@localhost?durable=maybe",
        "redis://:secret@localhost?prefx=a",
        "rediss://:secret@localhost/#secret",
    ] {
        let error = read(text).map(|_| ()).unwrap_err();
        assert!(error.starts_with("the store redis cannot be used: "), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }
}
