use std::path::Path;

use super::*;

fn risk(appendonly: &str, appendfsync: &str, policy: &str) -> String {
    let pairs =
        [("appendonly", appendonly), ("appendfsync", appendfsync), ("maxmemory-policy", policy)];
    let set = pairs.into_iter().filter(|(_, value)| !value.is_empty());
    risks(&set.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()).join("; ")
}

#[test]
fn only_a_file_that_is_always_synced_loses_nothing() {
    assert_eq!(risk("yes", "always", "noeviction"), "");
    // None of our keys may be evicted by this one, for none has an end.
    assert_eq!(risk("yes", "always", "volatile-lru"), "");
    for (appendonly, appendfsync, policy, wanted) in [
        ("yes", "everysec", "noeviction", "the last second"),
        ("yes", "no", "noeviction", "not yet written to the disk"),
        ("no", "always", "noeviction", "since its last snapshot"),
        ("yes", "always", "allkeys-lru", "deletes keys"),
        ("", "", "", "does not tell how durable it is"),
    ] {
        let risk = risk(appendonly, appendfsync, policy);
        assert!(risk.contains(wanted), "{appendonly} {appendfsync} {policy}: {risk}");
    }
}

fn greeting(layout: Option<&str>, server: u32, is_cluster: bool) -> Greeting {
    let layout = layout.map(str::to_owned);
    let (refused, risks) = (String::new(), vec!["it forgets".to_owned()]);
    Greeting { layout, server: Some(server), is_cluster, refused, risks }
}

fn verdict(greeting: &Greeting, require_durable: bool) -> String {
    let terms = Terms { keys: Keys::new("legwork"), known: 1, read_only: false, require_durable };
    let checked = greeting.check(&Name::of(Path::new("redis://here")), &terms);
    checked.map_or_else(|error| error.to_string(), |()| "fine".to_owned())
}

#[test]
fn a_server_that_cannot_be_a_store_is_refused() {
    for layout in [None, Some("1")] {
        assert_eq!(verdict(&greeting(layout, 7, false), false), "fine");
    }
    for (greeting, wanted) in [
        (greeting(Some("2"), 7, false), "is of version 2, this Legwork knows up to 1"),
        (greeting(Some("a page"), 7, false), "holds something else"),
        (greeting(None, 6, false), "needs 7.0 or newer"),
        (greeting(None, 7, true), "Redis Cluster"),
    ] {
        let verdict = verdict(&greeting, false);
        assert!(verdict.contains(wanted), "{verdict}");
    }
    let verdict = verdict(&greeting(None, 7, false), true);
    assert!(verdict.contains("durable=require, but it forgets"), "{verdict}");
}

#[test]
fn fields_of_info_are_found() {
    let info = "# Server\r\nredis_version:7.0.15\r\nredis_mode:standalone\r\n";
    assert_eq!(field(info, "redis_version"), Some("7.0.15"));
    assert_eq!(field(info, "redis_mode"), Some("standalone"));
    assert_eq!(field(info, "redis"), None);
}
