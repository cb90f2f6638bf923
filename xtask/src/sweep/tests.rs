use super::*;

fn read(line: &str) -> Result<Plan, String> {
    let args: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
    Plan::read(&args)
}

#[test]
fn arguments_choose_the_cases() {
    let plan = |wanted: &str, is_full, seed| Plan { wanted: wanted.to_owned(), is_full, seed };
    assert_eq!(read(""), Ok(plan("all", false, None)));
    assert_eq!(read("--store redis --full --seed 7"), Ok(plan("redis", true, Some(7))));
    assert_eq!(read("--case jsonl/eio-write-99"), Ok(plan("jsonl/eio-write-99", false, None)));
}

#[test]
fn wrong_arguments_say_what_there_is() {
    for line in ["--store mysql", "--store", "--case eio-write-99", "--case", "--all", "--seed x"] {
        let error = read(line).unwrap_err();
        assert!(error.contains("want") || error.contains("takes --store"), "{error}");
    }
}
