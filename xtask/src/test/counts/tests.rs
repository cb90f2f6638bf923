use super::*;

fn check(line: &str, expected: (u64, u64, u64)) {
    let (passed, failed, skipped) = expected;
    let expected = Counts { passed, failed, skipped };
    assert_eq!(pass_on(line.as_bytes(), |_| {}), expected, "{line}");
}

#[test]
fn closing_lines_of_both_runners_are_read() {
    check("     Summary [   0.012s] 12 tests run: 12 passed, 0 skipped", (12, 0, 0));
    check(
        "     Summary [   1.300s] 9 tests run: 6 passed (1 slow, 2 leaky), 2 failed, 1 timed out, 4 skipped",
        (6, 3, 4),
    );
    check(
        "test result: FAILED. 3 passed; 1 failed; 2 ignored; 0 measured; 5 filtered out; finished in 0.1s",
        (3, 1, 2),
    );
    check(
        "\u{1b}[32;1m     Summary\u{1b}[0m [   0.1s] \u{1b}[1m2\u{1b}[0m tests run: \u{1b}[1m2\u{1b}[0m \u{1b}[32;1mpassed\u{1b}[0m, \u{1b}[1m0\u{1b}[0m skipped",
        (2, 0, 0),
    );
}

/// As nextest 0.9.143 says it, with the output of the test that failed.
const ONE_FAILED: &str = "
    Starting 2 tests across 1 binary
        PASS [   0.024s] (1/2) rec passes
        FAIL [   0.212s] (2/2) rec fails
  stdout ───

    running 1 test
    test fails ... FAILED

    failures:

    failures:
        fails

    test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 1 filtered out; finished in 0.20s

  stderr ───

    thread 'fails' (29248) panicked at src/lib.rs:4:14:
    assertion `left == right` failed
      left: 2
     right: 3

────────────
     Summary [   0.213s] 2 tests run: 1 passed, 1 failed, 0 skipped
        FAIL [   0.212s] (2/2) rec fails
error: test run failed
";

#[test]
fn the_output_of_a_failed_test_is_not_counted_beside_the_summary() {
    check(ONE_FAILED, (1, 1, 0));
}

#[test]
fn the_results_of_several_binaries_are_added() {
    let binaries = "
test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.1s
   Doc-tests b
test result: FAILED. 4 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s
";
    check(binaries, (7, 2, 1));
}

#[test]
fn a_test_that_skips_has_not_passed() {
    let mut counts = Counts { passed: 5, failed: 1, skipped: 2 };
    counts.skip(3);
    assert_eq!(counts, Counts { passed: 2, failed: 1, skipped: 5 });
}

#[test]
fn other_lines_count_nothing() {
    check("test a_test_that_has 3 passed ... ok", (0, 0, 0));
    check("        PASS [   0.005s] xtask layers::tests::x", (0, 0, 0));
}

#[test]
fn a_failed_test_is_counted_and_a_broken_runner_is_an_error() {
    let mut failing = Command::new("sh");
    failing.args(["-c", "echo 'test result: FAILED. 1 passed; 2 failed;'; exit 1"]);
    let counts = of(&mut failing).unwrap();
    assert_eq!(counts.to_string(), "1 passed, 2 failed");

    let mut broken = Command::new("sh");
    broken.args(["-c", "echo 'error: could not compile' >&2; exit 101"]);
    assert!(of(&mut broken).unwrap_err().contains("failed"));
}
