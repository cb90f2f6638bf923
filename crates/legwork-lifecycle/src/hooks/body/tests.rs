//! Memory of closures: used again when it is free, holding nothing while it is.

use std::future::{pending, ready};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Waker;
use std::time::Duration;

use legwork_core::{SessionId, Stamp};
use legwork_port::{Clock, Emitter, StepView, Trigger, unwind};

use super::*;

/// A clock that stands still.
struct Still;

impl Clock for Still {
    fn now(&self) -> Stamp {
        Stamp::default()
    }

    fn sleep(&self, _time: Duration) -> BoxFuture<'static, ()> {
        Box::pin(pending())
    }
}

fn cx() -> Cx {
    let clock = Arc::new(Still);
    let view = StepView::new(Emitter::none(SessionId::new("s")), clock, Default::default());
    Cx { trigger: Trigger::StepStart, view: Arc::new(view) }
}

fn begin(body: &dyn Body) -> Begun<'_> {
    let state = AgentState::new(SessionId::new("s"));
    body.begin(state, cx(), &mut Context::from_waker(Waker::noop()))
}

fn ended(begun: &Begun<'_>) -> bool {
    matches!(begun, Begun::Ended(Ok(_)))
}

#[test]
fn a_call_that_ended_leaves_its_memory_and_nothing_in_it() {
    let held = Arc::new(());
    let given = Arc::clone(&held);
    let body = Closure::new(move |state, _| {
        let given = Arc::clone(&given);
        async move {
            drop(given.clone());
            Ok(state)
        }
    });
    for _ in 0..3 {
        assert!(ended(&begin(&body)));
        assert!(body.memory.try_lock().unwrap().is_some());
        assert_eq!(Arc::strong_count(&held), 2);
    }
}

#[test]
fn a_call_that_waits_keeps_its_memory_and_the_next_one_takes_its_own() {
    let waits = Arc::new(AtomicBool::new(true));
    let asked = Arc::clone(&waits);
    let body = Closure::new(move |state, _| {
        let waits = asked.load(Ordering::Relaxed);
        async move {
            if waits {
                pending::<()>().await;
            }
            Ok(state)
        }
    });
    let first = begin(&body);
    let Begun::Waits(_running) = &first else { panic!("it waits") };
    assert!(body.memory.try_lock().unwrap().is_none());
    waits.store(false, Ordering::Relaxed);
    assert!(ended(&begin(&body)));
    assert!(matches!(begin(&body), Begun::Ended(Ok(_))));
    drop(first);
}

#[test]
fn a_call_while_the_memory_is_in_use_takes_its_own() {
    let body = Closure::new(|state, _| ready(Ok(state)));
    let in_use = body.memory.try_lock().unwrap();
    assert!(ended(&begin(&body)));
    assert!(in_use.is_none());
}

#[test]
fn a_call_that_panicked_leaves_nothing_that_the_next_one_trips_over() {
    let fails = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&fails);
    let body = Closure::new(move |state, _| {
        let fails = asked.load(Ordering::Relaxed);
        async move { if fails { panic!("it fell") } else { Ok(state) } }
    });
    assert!(ended(&begin(&body)));
    fails.store(true, Ordering::Relaxed);
    assert_eq!(unwind::call(|| begin(&body)).err().as_deref(), Some("it fell"));
    fails.store(false, Ordering::Relaxed);
    assert!(ended(&begin(&body)));
}
