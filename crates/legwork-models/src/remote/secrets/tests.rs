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
