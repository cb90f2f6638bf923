//! Permits: so many at once, first come, first served.

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// So many inferences at once, in the order in which they came; clones share the permits.
#[derive(Clone)]
pub struct Permits(Arc<Mutex<Queue>>);

#[derive(Debug)]
struct Queue {
    free: usize,
    /// The number of the next that has to wait.
    next: u64,
    waiting: VecDeque<(u64, Waker)>,
    /// Those that were handed a permit and have not seen it yet.
    granted: BTreeSet<u64>,
}

impl Permits {
    /// So many permits, at least one.
    pub fn new(count: usize) -> Self {
        Self(Arc::new(Mutex::new(Queue {
            free: count.max(1),
            next: 0,
            waiting: VecDeque::new(),
            granted: BTreeSet::new(),
        })))
    }

    /// Waits for a permit. Dropping the future leaves the queue.
    pub fn acquire(&self) -> impl Future<Output = Permit> + Send + use<> {
        Acquire { permits: self.clone(), number: None }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands a permit to the first that waits.
    fn release(&self) {
        let mut queue = self.lock();
        let Some((number, waker)) = queue.waiting.pop_front() else {
            queue.free += 1;
            return;
        };
        queue.granted.insert(number);
        drop(queue);
        waker.wake();
    }
}

impl From<usize> for Permits {
    fn from(count: usize) -> Self {
        Self::new(count)
    }
}

impl fmt::Debug for Permits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let queue = self.lock();
        f.debug_struct("Permits")
            .field("free", &queue.free)
            .field("waiting", &queue.waiting.len())
            .finish()
    }
}

/// A permit; dropping it hands it to the first that waits.
#[derive(Debug)]
pub struct Permit(Permits);

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.release();
    }
}

struct Acquire {
    permits: Permits,
    /// Its number in the queue; none before it waits, and after it got its permit.
    number: Option<u64>,
}

impl Future for Acquire {
    type Output = Permit;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Permit> {
        let permits = self.permits.clone();
        let mut queue = permits.lock();
        let Some(number) = self.number else {
            // A permit is free only while nobody waits.
            if queue.free > 0 {
                queue.free -= 1;
                return Poll::Ready(Permit(self.permits.clone()));
            }
            let number = queue.next;
            queue.next += 1;
            queue.waiting.push_back((number, cx.waker().clone()));
            self.number = Some(number);
            return Poll::Pending;
        };
        if queue.granted.remove(&number) {
            self.number = None;
            return Poll::Ready(Permit(self.permits.clone()));
        }
        if let Some((_, waker)) = queue.waiting.iter_mut().find(|(waits, _)| *waits == number) {
            waker.clone_from(cx.waker());
        }
        Poll::Pending
    }
}

impl Drop for Acquire {
    fn drop(&mut self) {
        let Some(number) = self.number else { return };
        let mut queue = self.permits.lock();
        queue.waiting.retain(|(waits, _)| *waits != number);
        let unused = queue.granted.remove(&number);
        drop(queue);
        if unused {
            self.permits.release();
        }
    }
}
