use super::*;

fn read(args: &[&str]) -> Result<Plan, String> {
    Plan::read(&args.iter().map(ToString::to_string).collect::<Vec<_>>())
}

#[test]
fn a_plan_is_read_of_its_arguments() {
    let plan = |seed, runs, targets: &[&str]| {
        Ok(Plan { seed, runs, targets: targets.iter().map(ToString::to_string).collect() })
    };
    assert_eq!(read(&[]), plan(None, RUNS, &[]));
    assert_eq!(read(&["sse", "--runs", "9", "chat"]), plan(None, 9, &["sse", "chat"]));
    assert_eq!(read(&["--seed", "3", "--runs", "1"]), plan(Some(3), 1, &[]));
    assert!(read(&["--seed"]).is_err() && read(&["--run", "1"]).is_err());
}
