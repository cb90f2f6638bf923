use super::{paths, runs};

/// Each line with whether it may run the command.
fn check(command: &str, lines: &[(&str, bool)]) {
    for (line, may) in lines {
        assert_eq!(runs(line, command), *may, "{command}: {line}");
    }
}

#[test]
fn s6_11_a_rule_that_denies_finds_a_command_wherever_it_may_begin() {
    check(
        "rm",
        &[
            ("rm -r old", true),
            ("  rm", true),
            ("/bin/rm old", true),
            ("\\rm old", true),
            ("cd src && rm old", true),
            ("cd src;rm old", true),
            ("ls | xargs rm", true),
            ("(rm old)", true),
            ("echo `rm old`", true),
            ("echo $(rm old)", true),
            ("sh -c 'rm old'", true),
            ("FORCE=1 rm old", true),
            ("sudo -u me rm old", true),
            ("env A=1 B=2 rm old", true),
            ("if true; then rm old; fi", true),
            ("true\nrm old", true),
            ("true & rm old", true),
            ("git rm old", false),
            ("echo rm", false),
            ("rmdir old", false),
            ("ls --color", false),
            ("", false),
        ],
    );
}

#[test]
fn s6_11_a_rule_that_denies_looks_past_the_options_of_a_command() {
    check(
        "git push",
        &[
            ("git push", true),
            ("git push --force origin main", true),
            ("git -C ../other push", true),
            ("git --no-pager push", true),
            ("git \\\n push", true),
            ("git commit -am done && git push", true),
            ("git pull", false),
            ("git stash push", false),
            ("git", false),
            ("push git", false),
        ],
    );
    check("cargo publish", &[("cargo +nightly publish", true), ("cargo test publish", false)]);
}

#[test]
fn s6_11_a_path_counts_as_it_is_without_its_dots() {
    let all = |text: &str| paths(text).collect::<Vec<_>>();
    assert!(all("src/../.github/ci.yml").contains(&".github/ci.yml".to_owned()));
    assert!(all("./.github//ci.yml").contains(&".github/ci.yml".to_owned()));
    // From outside, each folder may be the one to work in.
    assert!(all("/work/p/.github/ci.yml").contains(&".github/ci.yml".to_owned()));
    assert!(all("/work/p/.github/ci.yml").contains(&"/work/p/.github/ci.yml".to_owned()));
    assert!(all("../p/.github/ci.yml").contains(&".github/ci.yml".to_owned()));
    assert!(!all("docs/.github/ci.yml").contains(&".github/ci.yml".to_owned()));
    assert!(all("https://docs.rs/x").contains(&"https://docs.rs/x".to_owned()));
}
