//! Which part of an id is shown, and which parts name a session.

use legwork::core::SessionId;

use super::{Length, meant};

/// Made within the same milliseconds.
const ONE: &str = "0198c3f2-7a10-7b51-9c3d-2e66a1b2c3d4";
const TWO: &str = "0198c3f2-7a10-7b52-8c3d-11115e6f7081";

fn ids(ids: &[&str]) -> Vec<SessionId> {
    ids.iter().map(|id| SessionId::from(*id)).collect()
}

fn shown(all: &[&str]) -> Vec<String> {
    let all = ids(all);
    let length = Length::apart(all.iter());
    all.iter().map(|id| length.of(id)).collect()
}

#[test]
fn ids_made_at_one_time_are_told_apart_by_their_ends() {
    assert_eq!(shown(&[ONE, TWO]), ["a1b2c3d4", "5e6f7081"]);
    let child = format!("{ONE}.12-0");
    assert_eq!(shown(&[ONE, &child]), ["a1b2c3d4", "a1b2c3d4.12-0"]);
    // Those that somebody gave are names.
    assert_eq!(shown(&["nightly", "a", ONE]), ["nightly", "a", "a1b2c3d4"]);
    let near = "0198c3f2-7a10-7b52-8c3d-1111a1b2c3d4";
    assert_eq!(shown(&[ONE, near]), ["2e66a1b2c3d4", "1111a1b2c3d4"]);
    let nearer = "0198c3f2-7a10-7b52-8c3d-2e66a1b2c3d4";
    assert_eq!(shown(&[ONE, nearer]), [ONE, nearer]);
}

#[test]
fn a_session_is_named_by_its_beginning_and_by_its_end_and_its_subagents_do_not_matter() {
    let child = format!("{ONE}.12-0");
    let deep = format!("{ONE}.12-0.7-1");
    let all = ids(&[&deep, ONE, TWO, &child, "nightly", "nightly.3-0"]);
    let named = |asked: &str| -> Vec<_> {
        meant(asked, all.iter()).into_iter().map(SessionId::as_str).collect()
    };
    assert_eq!(named(ONE), [ONE]);
    assert_eq!(named("0198c3f2-7a10-7b51"), [ONE]);
    assert_eq!(named("a1b2c3d4"), [ONE]);
    assert_eq!(named("2e66a1b2c3d4"), [ONE]);
    assert_eq!(named("a1b2c3d4.12-0"), [&child]);
    assert_eq!(named("a1b2c3d4.12-0.7-1"), [&deep]);
    assert_eq!(named(&format!("{ONE}.1")), [&child]);
    assert_eq!(named("night"), ["nightly"]);
    assert_eq!(named("0198c3f2"), [ONE, TWO]);
    // So short an end is an accident.
    assert_eq!(named("081"), [""; 0]);
    assert_eq!(named("7081"), [TWO]);
    assert_eq!(named("nothing"), [""; 0]);
}
