use super::Script;

#[test]
fn a_script_survives_its_own_name() {
    let script = Script::steps(20).calls(3).latency(50).tokens(4000);
    assert_eq!(script.to_string().parse::<Script>().unwrap(), script);
    assert_eq!(script.to_string(), "script-n20-k3-l50-t4000");
}

#[test]
fn missing_parts_have_defaults() {
    assert_eq!("script".parse::<Script>().unwrap(), Script::steps(1));
    assert_eq!("script-n7".parse::<Script>().unwrap(), Script::steps(7));
}

#[test]
fn only_the_last_answer_asks_for_nothing() {
    let script = Script::steps(3).calls(8);
    assert_eq!([0, 1, 2].map(|turn| script.asks(turn)), [true, true, false]);
    assert_eq!(script.total_calls(), 16);
}

#[test]
fn a_name_that_is_no_script_says_what_is_wrong() {
    for (name, problem) in [
        ("gpt-5", "does not begin"),
        ("script-n", "lacks its number"),
        ("script-x3", "letters are"),
    ] {
        let said = name.parse::<Script>().unwrap_err().to_string();
        assert!(said.contains(problem), "{name}: {said}");
    }
}
