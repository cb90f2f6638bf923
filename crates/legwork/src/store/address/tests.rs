//! Which addresses there are, and how they are shown.

use super::{Address, Scheme};

#[test]
fn an_address_names_its_kind_of_store() {
    let check = |text: &str, scheme, path: Option<&str>| {
        let address = Address::parse(text).unwrap();
        assert_eq!((address.scheme(), address.path()), (scheme, path), "{text}");
        assert_eq!(address.as_str(), text);
    };
    check("sqlite:a/b.db", Scheme::Sqlite, Some("a/b.db"));
    check("jsonl:sessions", Scheme::Jsonl, Some("sessions"));
    check("postgres://host/db", Scheme::Postgres, None);
    check("postgresql://host/db", Scheme::Postgres, None);
    check("redis://host:6379/1", Scheme::Redis, None);
    check("rediss://host", Scheme::Redis, None);
    check("memory:", Scheme::Memory, None);
    for text in ["", "x.db", "sqlite:", "jsonl:", "postgres:host", "memory:x", "mysql://host/db"] {
        let error = Address::parse(text).unwrap_err().to_string();
        assert!(error.contains("postgres://HOST/DATABASE"), "{error}");
    }
}

#[test]
fn s13_11_a_password_is_never_shown() {
    let check = |text: &str, shown: &str| {
        let address = Address::parse(text).unwrap();
        assert_eq!(address.to_string(), shown);
        assert_eq!(format!("{address:?}"), format!("Address({shown})"));
    };
    check("postgres://ann:s3cret@host/db", "postgres://ann@host/db");
    check("postgres://ann:a@b:c@host/db?x=1", "postgres://ann@host/db?x=1");
    check("postgres://host/db?password=s3cret&x=1", "postgres://host/db?x=1");
    check("postgres://host/db?password=s3cret", "postgres://host/db");
    check("redis://:s3cret@host", "redis://host");
    check("sqlite:a:b@c.db", "sqlite:a:b@c.db");
    let unknown = Address::parse("mysql://ann:s3cret@host").unwrap_err().to_string();
    assert!(!unknown.contains("s3cret"), "{unknown}");
}
