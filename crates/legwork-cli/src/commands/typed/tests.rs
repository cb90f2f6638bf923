//! What stands for other words.

use super::put_in;

fn put(line: &str) -> String {
    let args = put_in(line.split(' ').map(Into::into).collect());
    args.join(" ".as_ref()).into_string().unwrap()
}

#[test]
fn going_on_is_a_flag_of_run() {
    assert_eq!(put("legwork -c more"), "legwork run -c more");
    assert_eq!(put("legwork --continue more -q"), "legwork run --continue more -q");
    assert_eq!(put("legwork --config x -c more"), "legwork --config x run -c more");
    assert_eq!(put("legwork --config=x -c more"), "legwork --config=x run -c more");
}

#[test]
fn all_else_stays() {
    for line in ["legwork", "legwork run -c x", "legwork --config -c", "legwork -cx", "legwork -q"]
    {
        assert_eq!(put(line), line);
    }
}
