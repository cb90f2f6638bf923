use futures_util::future::FutureExt as _;

use super::*;

fn session(name: &str) -> SessionId {
    SessionId::new(name)
}

fn has_begun(turn: &mut Turn) -> bool {
    turn.begin().now_or_never().is_some()
}

#[test]
fn turns_of_a_session_come_one_after_another() {
    let turns = Turns::default();
    let (mut first, mut second) = (turns.take(&session("a")), turns.take(&session("a")));
    let mut other = turns.take(&session("b"));
    assert!(has_begun(&mut first) && has_begun(&mut other));
    assert!(second.begin().now_or_never().is_none());
    drop(first);
    // The one that waited was dropped meanwhile, and its turn goes on.
    assert!(has_begun(&mut turns.take(&session("c"))));
    drop((second, other));
    assert!(turns.lock().last.is_empty());
}

#[test]
fn a_turn_of_several_sessions_waits_for_each() {
    let turns = Turns::default();
    let (a, b) = (turns.take(&session("a")), turns.take(&session("b")));
    let mut both = turns.take_all(&BTreeSet::from([session("a"), session("b")]));
    let mut after = turns.take(&session("b"));
    let mut waiting = Box::pin(both.begin());
    assert!(waiting.as_mut().now_or_never().is_none());
    drop(b);
    assert!(waiting.as_mut().now_or_never().is_none());
    drop(a);
    assert!(waiting.as_mut().now_or_never().is_some());
    drop(waiting);
    assert!(after.begin().now_or_never().is_none());
    drop(both);
    assert!(turns.lock().last.contains_key(&session("b")));
    drop(after);
    assert!(turns.lock().last.is_empty());
}
