use std::path::Path;

use super::*;

/// The error that a client makes of what a server answers.
fn answered(line: &str) -> RedisError {
    let value = redis::parse_redis_value(format!("-{line}\r\n").as_bytes()).unwrap();
    value.extract_error().unwrap_err()
}

#[test]
fn an_answer_of_the_server_says_what_to_do() {
    let name = Name::of(Path::new("redis://here"));
    for (line, wanted) in [
        ("OOM command not allowed when used memory > 'maxmemory'.", "remove sessions or raise"),
        (
            "MISCONF Redis is configured to save RDB snapshots",
            "cannot save to its disk, so nothing",
        ),
        ("NOREPLICAS Not enough good replicas to write.", "fewer replicas than it requires"),
        ("LOADING Redis is loading the dataset in memory", "still loads its data"),
        ("BUSY Redis is busy running a script.", "`SCRIPT KILL`"),
        ("READONLY You can't write against a read only replica.", "the address of its primary"),
        ("NOAUTH Authentication required.", "give it in the address"),
        ("WRONGPASS invalid username-password pair", "refused the user name or the password"),
        ("NOPERM User clerk has no permissions to run", "`ACL SETUSER` allows it"),
        ("MOVED 3999 127.0.0.1:6381", "a node of a Redis Cluster"),
        ("CROSSSLOT Keys in request don't hash to the same slot", "a node of a Redis Cluster"),
        ("WRONGTYPE Operation against a key", "choose another prefix"),
        ("ERR something else", "something else"),
    ] {
        let error = name.redis("appending to a journal", &answered(line));
        let text = error.to_string();
        assert!(text.contains(wanted), "{line}: {text}");
        assert!(text.contains("appending to a journal: "), "{line}: {text}");
        let is_final = ["READONLY", "NOAUTH", "WRONGPASS", "NOPERM", "MOVED", "CROSS", "WRONGTYPE"];
        let is_final = is_final.iter().any(|code| line.starts_with(code));
        assert_eq!(error.is_retryable(), !is_final, "{line}: {error:?}");
    }
}

#[test]
fn what_passes_by_itself_is_tried_again() {
    for line in ["LOADING Redis is loading", "TRYAGAIN Multiple keys request"] {
        assert!(is_passing(&answered(line)), "{line}");
    }
    for line in ["OOM command not allowed", "ERR no", "NOAUTH no"] {
        assert!(!is_passing(&answered(line)) && !is_broken(&answered(line)), "{line}");
    }
    assert!(is_broken(&std::io::Error::from(std::io::ErrorKind::BrokenPipe).into()));
    assert!(is_broken(&std::io::Error::from(std::io::ErrorKind::TimedOut).into()));
}

#[test]
fn a_certificate_that_is_not_trusted_is_said_so() {
    let name = Name::of(Path::new("rediss://here"));
    let error = std::io::Error::other("invalid peer certificate: UnknownIssuer");
    let text = name.unreachable("claiming a session", &error.into()).to_string();
    assert!(text.contains("its certificate is not trusted") && text.contains("SSL_CERT_FILE"));
}
