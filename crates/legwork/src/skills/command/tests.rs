#![allow(clippy::unwrap_used)]

use super::Pattern;

#[test]
fn a_beginning_is_whole_words_of_one_plain_command() {
    for pattern in ["git:*", "git *"] {
        let git = Pattern::parse(pattern).unwrap();
        for command in ["git", "git status", " git  log -n 3", "git commit -m 'a; b $(c)'"] {
            assert!(git.admits(command), "{command}");
        }
        for command in [
            "",
            "gitx",
            "git-shell",
            "ls",
            "git status; rm -rf /",
            "git status && ls",
            "git log | sh",
            "git log > /etc/passwd",
            "git log < x",
            "git $(ls)",
            "git `ls`",
            "git $HOME",
            "git status\nrm x",
            "git status\r\nrm x",
            "git \\\n; rm x",
            "git \"$(rm x)\"",
            "git \"`rm x`\"",
            "git 'a",
            "git \"a",
            "git \\",
            "(git status)",
            "X=1 git status",
            "git & rm x",
            "git <(rm x)",
            "git\0 x",
            "! git status",
        ] {
            assert!(!git.admits(command), "{command:?}");
        }
    }
}

#[test]
fn what_a_quote_hides_is_the_word_that_runs() {
    let log = Pattern::parse("git log:*").unwrap();
    assert!(log.admits("'git' \"log\" x"));
    assert!(log.admits("g\\it log"));
    assert!(!log.admits("git 'log x'"));
    assert!(!log.admits("'git log'"));
    assert!(!log.admits("git status"));
}

#[test]
fn a_whole_command_is_nothing_more() {
    let status = Pattern::parse("git status").unwrap();
    assert!(status.admits("git status"));
    assert!(!status.admits("git status -s"));
    assert!(!status.admits("git"));
}

#[test]
fn patterns_that_cannot_be_enforced_are_refused() {
    for pattern in
        ["", ":*", " *", "git*", "*:*", "git *:*", "a; b", "$X:*", "npm run test?", "[a]"]
    {
        assert!(Pattern::parse(pattern).is_err(), "{pattern}");
    }
}
