use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use super::Cancellation;

/// Counts how often it was woken.
#[derive(Default)]
struct Task(AtomicU32);

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn task() -> (Arc<Task>, Waker) {
    let task = Arc::new(Task::default());
    (Arc::clone(&task), Waker::from(task))
}

/// A request raised itself, and one raised by what it descends from.
fn requests() -> Vec<(Cancellation, Cancellation)> {
    let (alone, root) = (Cancellation::new(), Cancellation::new());
    vec![(alone.clone(), alone), (root.child().child(), root)]
}

#[test]
fn s7_7_a_waiting_task_is_woken_after_any_number_of_polls() {
    for (waited_for, raised) in requests() {
        let (task, waker) = task();
        let mut waits = pin!(waited_for.cancelled());
        for _ in 0..3 {
            assert!(waits.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        }
        raised.cancel();
        assert_eq!(task.0.load(Ordering::SeqCst), 1);
        assert_eq!(waits.as_mut().poll(&mut Context::from_waker(&waker)), Poll::Ready(()));
    }
}

#[test]
fn s7_7_the_task_that_polled_last_is_woken() {
    for (waited_for, raised) in requests() {
        let ((first, one), (last, other)) = (task(), task());
        let mut waits = pin!(waited_for.cancelled());
        for waker in [&one, &one, &other, &other] {
            assert!(waits.as_mut().poll(&mut Context::from_waker(waker)).is_pending());
        }
        raised.cancel();
        let woken = |task: &Task| task.0.load(Ordering::SeqCst);
        assert_eq!((woken(&first), woken(&last)), (0, 1));
    }
}

#[test]
fn s7_7_an_earlier_cancellation_completes_at_once() {
    for (waited_for, raised) in requests() {
        raised.cancel();
        let (_, waker) = task();
        let mut waits = pin!(waited_for.cancelled());
        assert_eq!(waits.as_mut().poll(&mut Context::from_waker(&waker)), Poll::Ready(()));
    }
}

/// All pairs of requests, with what raises the one and the other.
fn pairs() -> Vec<[(Cancellation, Cancellation); 2]> {
    let pair = |(one, other): (usize, usize)| {
        Some([requests().get(one)?.clone(), requests().get(other)?.clone()])
    };
    [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter().filter_map(pair).collect()
}

#[test]
fn s7_7_a_task_that_waits_for_two_tokens_is_woken_by_either() {
    for at in 0..2 {
        for pair in pairs() {
            let [(one, _), (other, _)] = &pair;
            let (task, waker) = task();
            let mut cx = Context::from_waker(&waker);
            let mut waits = pin!(one.cancelled_or(other));
            for _ in 0..3 {
                assert!(waits.as_mut().poll(&mut cx).is_pending());
            }
            pair[at].1.cancel();
            assert_eq!(task.0.load(Ordering::SeqCst), 1);
            assert_eq!(waits.as_mut().poll(&mut cx), Poll::Ready(()));
        }
    }
}
