use super::*;

fn check(secret: &str, text: &str, masked: &str) {
    let mut secrets = Secrets::default();
    secrets.push(secret);
    assert_eq!(secrets.masked(text.to_owned()), masked);
}

#[test]
fn a_secret_is_masked_wherever_it_occurs() {
    let key = "sk-canary-0123456789";
    check(key, key, "[redacted]");
    check(key, "sk-canary-0123456789 twice sk-canary-0123456789", "[redacted] twice [redacted]");
    check(key, "Bearer sk-canary-0123456789!", "Bearer [redacted]!");
    check(key, "x", "x");
    check(key, "", "");
}

#[test]
fn a_piece_of_a_secret_is_masked_too() {
    check("sk-canary-0123456789", "got sk-canary-01...", "got [redacted]...");
    check("sk-canary-0123456789", "ends in -0123456789é", "ends in [redacted]é");
}

#[test]
fn a_short_secret_is_masked_as_a_word() {
    check("none", "none: nonesuch 'none'", "[redacted]: nonesuch '[redacted]'");
    check("é", "é", "[redacted]");
}

#[test]
fn nothing_is_masked_without_a_secret() {
    check("", "all of it", "all of it");
}

#[test]
fn the_secrets_of_a_header_are_masked_without_what_they_are_sent_with() {
    let table = [
        ("sk-canary-0123456789", "sk-canary-0123456789"),
        ("Bearer sk-canary-0123456789", "sk-canary-0123456789"),
        ("Token sk-canary-0123456789", "sk-canary-0123456789"),
        ("session=sk-canary-0123456789; theme=dark", "sk-canary-0123456789"),
        ("Digest user=\"me\", response=\"sk-canary-0123456789\"", "sk-canary-0123456789"),
        // `me:sk-canary-0123456789`
        ("Basic bWU6c2stY2FuYXJ5LTAxMjM0NTY3ODk=", "sk-canary-0123456789"),
        ("Basic bWU6c2stY2FuYXJ5LTAxMjM0NTY3ODk=", "bWU6c2stY2FuYXJ5LTAxMjM0NTY3ODk="),
        // `sk-canary-0123456789:`
        ("Basic c2stY2FuYXJ5LTAxMjM0NTY3ODk6", "sk-canary-0123456789"),
        ("sk-canary-0123456789 tenant", "sk-canary-0123456789"),
        ("skcanary0123456789 of tenant42", "skcanary0123456789"),
        ("Bearer short", "short"),
    ];
    for (header, secret) in table {
        let mut secrets = Secrets::default();
        secrets.push_all_of(header);
        let text = format!("no such key: {secret}.");
        assert_eq!(secrets.masked(text.clone()), "no such key: [redacted].", "{header}");
        if secret.len() >= legwork_core::mask::SHORTEST {
            assert_eq!(secrets.mask().text(&text), "no such key: [redacted].", "{header}");
        }
        let others = "a Token, a Bearer, Basic, a dark theme of the user";
        assert_eq!(secrets.masked(others.to_owned()), others, "{header}");
    }
}
