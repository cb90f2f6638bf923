use legwork::core::{SessionId, Timestamp};
use legwork::port::store::SessionInfo;

use super::offered;

const ONE: &str = "01990000-0000-7000-8000-0000a1b2c3d4";
const TWO: &str = "01990000-0000-7000-8000-0000a1b2ffff";

fn info(id: &str) -> SessionInfo {
    SessionInfo::new(SessionId::from(id)).with_entries(1, Timestamp(0), Timestamp(0))
}

fn check(typed: &str, expected: &[&str]) {
    let all = [ONE, TWO, &format!("{ONE}.7.0"), "mine"].map(info);
    let ids: Vec<_> = offered(typed, &all).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, expected, "{typed}");
}

#[test]
fn short_ids_go_before_whole_ones_and_subagents_are_left_out() {
    check("", &["a1b2c3d4", "a1b2ffff", "mine"]);
    check("a1b2", &["a1b2c3d4", "a1b2ffff"]);
    check("a1b2c", &["a1b2c3d4"]);
    check("01990000-0000-7000-8000-0000a1b2f", &[TWO]);
    check("m", &["mine"]);
    check("7", &[]);
}
