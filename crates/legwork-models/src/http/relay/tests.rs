use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use super::{MOST_POLLS, Relay};

/// A task that counts how often it is woken.
#[derive(Default)]
struct Task(AtomicUsize);

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Polls once, with so many polls that wake themselves; how often it polled, and woke its task.
fn polled(restless: usize) -> (usize, usize) {
    let (task, relay) = (Arc::<Task>::default(), Arc::<Relay>::default());
    let (outer, own) = (Waker::from(Arc::clone(&task)), Waker::from(Arc::clone(&relay)));
    let mut polls = 0;
    let poll = relay.poll(&own, &mut Context::from_waker(&outer), |cx| {
        polls += 1;
        if polls <= restless {
            cx.waker().wake_by_ref();
        }
        Poll::<()>::Pending
    });
    assert!(poll.is_pending());
    (polls, task.0.load(Ordering::Relaxed))
}

#[test]
fn a_wake_up_while_it_polls_repeats_the_poll() {
    assert_eq!(polled(0), (1, 0));
    assert_eq!(polled(3), (4, 0));
}

#[test]
fn others_get_their_turn() {
    assert_eq!(polled(usize::MAX), (MOST_POLLS, 1));
}

#[test]
fn a_wake_up_from_elsewhere_is_passed_on_once() {
    let (task, relay) = (Arc::<Task>::default(), Arc::<Relay>::default());
    let (outer, own) = (Waker::from(Arc::clone(&task)), Waker::from(Arc::clone(&relay)));
    let poll = relay.poll(&own, &mut Context::from_waker(&outer), |_| Poll::<()>::Pending);
    assert!(poll.is_pending());
    own.wake_by_ref();
    own.wake();
    assert_eq!(task.0.load(Ordering::Relaxed), 1);
}
