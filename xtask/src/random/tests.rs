//! What the arguments ask for.

use super::Plan;

#[test]
fn a_seed_alone_is_one_program_and_minutes_alone_as_many_as_fit() {
    let plan = |args: &str| {
        let args: Vec<_> = args.split_whitespace().map(str::to_owned).collect();
        Plan::read(&args)
    };
    let first = |first, runs, minutes| Ok(Plan { first, runs, minutes });
    assert_eq!(plan(""), first(None, 100_000, 0));
    assert_eq!(plan("--seed 7"), first(Some(7), 1, 0));
    assert_eq!(plan("--seed 7 --runs 20"), first(Some(7), 20, 0));
    assert_eq!(plan("--minutes 5"), first(None, u64::MAX, 5));
    assert!(plan("--runs").unwrap_err().contains("whole number"));
    assert!(plan("--fast").unwrap_err().contains("--fast"));
}
