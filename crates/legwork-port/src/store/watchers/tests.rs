use std::task::{Context, Waker};

use super::*;

fn is_woken(watching: &mut BoxFuture<'static, ()>) -> bool {
    watching.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready()
}

#[test]
fn a_change_wakes_all_who_watch_its_session_and_nobody_else() {
    let watchers = Watchers::new();
    let (one, other) = (SessionId::new("one"), SessionId::new("other"));
    let [mut polled, mut unpolled, mut elsewhere] =
        [&one, &one, &other].map(|session| watchers.watch(session));
    assert!(!is_woken(&mut polled) && !is_woken(&mut elsewhere));
    watchers.clone().notify(&one);
    let mut late = watchers.watch(&one);
    assert!(is_woken(&mut polled) && is_woken(&mut unpolled));
    assert!(!is_woken(&mut elsewhere) && !is_woken(&mut late));
    watchers.notify(&one);
    assert!(is_woken(&mut late));
}

#[test]
fn a_session_that_nobody_watches_takes_no_memory() {
    let watchers = Watchers::new();
    let one = SessionId::new("one");
    watchers.notify(&one);
    assert!(watchers.0.lock().is_empty());
    let (first, second) = (watchers.watch(&one), watchers.watch(&one));
    assert_eq!(watchers.0.lock().len(), 1);
    drop(first);
    assert_eq!(watchers.0.lock().len(), 1);
    drop(second);
    assert!(watchers.0.lock().is_empty());
    let mut third = watchers.watch(&one);
    watchers.notify(&one);
    assert!(is_woken(&mut third));
    assert!(watchers.0.lock().is_empty());
}
