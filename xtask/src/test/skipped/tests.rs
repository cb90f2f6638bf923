//! Which tests of a report skipped something.

use super::{Skipped, read};

const REPORT: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="nextest-run" tests="4" failures="1">
    <testsuite name="legwork-cli::it" tests="4">
        <testcase name="sandbox::walls" classname="legwork-cli::it" time="0.1">
            <system-out>
running 1 test
skipped: `bwrap` says &quot;a &lt; b&quot; &amp; ends
test sandbox::walls ... ok
</system-out>
            <system-err></system-err>
        </testcase>
        <testcase name="one_by_one" classname="legwork-cli::it" time="0.1">
            <system-out>
test one_by_one ... skipped: not root
</system-out>
        </testcase>
        <testcase name="context::told" classname="legwork-cli::it" time="0.1">
            <system-out>warning: AGENTS.md: skipped: it is a pipe</system-out>
        </testcase>
        <testcase name="failed" classname="legwork-cli::it" time="0.1">
            <failure type="test failure">no</failure>
            <system-out>skipped: half of it</system-out>
        </testcase>
        <testcase name="silent" classname="legwork-core" time="0.1"/>
    </testsuite>
</testsuites>
"#;

#[test]
fn tests_that_passed_and_say_that_they_skip_are_read() {
    let skipped = |test: &str, why: &str| Skipped { test: test.to_owned(), why: why.to_owned() };
    let wanted = [
        skipped("legwork-cli::it sandbox::walls", "`bwrap` says \"a < b\" & ends"),
        skipped("legwork-cli::it one_by_one", "not root"),
    ];
    assert_eq!(read(REPORT), wanted);
    assert_eq!(wanted[1].to_string(), "legwork-cli::it one_by_one: not root");
    assert_eq!(read(""), []);
}
