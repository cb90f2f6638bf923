use super::*;

const SAID: &str = "\
────────────
 Nextest run ID 0c3a with nextest profile: broken
    Starting 3 tests across 2 binaries (206 tests skipped)
        FAIL [   0.004s] (1/3) legwork-core::it continuation::s3_1_any_forbid_stops
     SIGABRT [   0.104s] (2/3) legwork-core state::tests::s3_1_deep
        SLOW [> 30.000s] (---) legwork-core::it properties::s3_1_order
 TERMINATING [> 60.000s] (---) legwork-core::it properties::s3_1_order
     SIGTERM [  12.004s] (2/3) legwork-core::it properties::s3_1_ended_for_another
     TIMEOUT [  60.004s] (3/3) legwork-core::it properties::s3_1_order
────────────
     Summary [  60.010s] 3 tests run: 0 passed, 2 failed, 1 timed out, 206 skipped
error: test run failed
";

#[test]
fn tests_that_failed_are_named() {
    let Some(Ran::Failed(names)) = ran(Some(100), SAID) else { panic!("not failed") };
    assert_eq!(
        names,
        [
            "continuation::s3_1_any_forbid_stops",
            "state::tests::s3_1_deep",
            "properties::s3_1_order"
        ]
    );
}

#[test]
fn only_a_failed_test_is_a_catch() {
    assert_eq!(ran(Some(0), SAID), Some(Ran::Passed));
    assert_eq!(ran(Some(4), "error: no tests to run"), Some(Ran::NoTests));
    let said = "   Compiling a\nwarning: x\nerror[E0308]: mismatched types\n --> a.rs:1:1\n";
    let Some(Ran::DoesNotBuild(error)) = ran(Some(101), said) else { panic!("it built") };
    assert_eq!(errors(&error), "error[E0308]: mismatched types\n --> a.rs:1:1");
    for other in [Some(1), Some(94), Some(102), None] {
        assert_eq!(ran(other, SAID), None, "{other:?}");
    }
}
