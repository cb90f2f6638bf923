//! Virtual time and predictable names.

use std::sync::Mutex;
use std::time::Duration;

use legwork_core::Micros;
use legwork_port::{Clock as _, Ids as _};
use legwork_testkit::{CountingIds, VirtualClock};

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn time_stands_still_until_it_is_advanced() {
    let clock = VirtualClock::new();
    let start = clock.now();
    assert_eq!(clock.now(), start);
    clock.advance(SECOND * 3);
    let later = clock.now();
    assert_eq!(later.mono.since(start.mono), Micros::from(SECOND * 3));
    assert_eq!(later.wall.0 - start.wall.0, 3_000);
    assert_eq!(VirtualClock::new().now(), start);
}

/// Sleeps for these seconds at once, and says in which order and when they woke.
async fn woken(clock: &VirtualClock, seconds: [u32; 4]) -> Vec<(u32, u64)> {
    let woken = Mutex::new(Vec::new());
    let sleep = |length: u32| {
        let woken = &woken;
        let sleep = clock.sleep(SECOND * length);
        async move {
            sleep.await;
            woken.lock().unwrap().push((length, clock.now().mono.0 / 1_000_000));
        }
    };
    futures_util::future::join_all(seconds.map(sleep)).await;
    woken.into_inner().unwrap()
}

#[tokio::test]
async fn sleepers_wake_when_their_time_comes_in_order() {
    let clock = VirtualClock::new();
    let turn = async {
        for _ in 0..4 {
            clock.until_asleep(1).await;
            clock.advance(SECOND);
            tokio::task::yield_now().await;
        }
    };
    let (woken, ()) = futures_util::future::join(woken(&clock, [3, 1, 2, 4]), turn).await;
    assert_eq!(woken, [(1, 1), (2, 2), (3, 3), (4, 4)]);
    assert_eq!(clock.sleepers(), 0);
}

#[tokio::test]
async fn one_advance_wakes_all_whose_time_came() {
    let clock = VirtualClock::new();
    let (first, second) = (clock.sleep(SECOND), clock.sleep(SECOND * 2));
    clock.advance(SECOND * 2);
    first.await;
    second.await;
    let third = clock.sleep(SECOND);
    clock.advance(SECOND / 2);
    assert_eq!(clock.sleepers(), 1);
    drop(third);
    assert_eq!(clock.sleepers(), 0);
}

#[tokio::test]
async fn an_automatic_clock_moves_from_sleeper_to_sleeper() {
    let clock = VirtualClock::auto();
    assert_eq!(woken(&clock, [3, 1, 7, 1]).await, [(1, 1), (1, 1), (3, 3), (7, 7)]);
    clock.sleep(Duration::ZERO).await;
    clock.sleep(SECOND).await;
    assert_eq!(clock.now().mono, Micros::from(SECOND * 8));
}

#[tokio::test]
async fn a_dropped_sleeper_holds_nobody_up() {
    let clock = VirtualClock::auto();
    let early = clock.sleep(SECOND);
    let late = tokio::spawn(clock.sleep(SECOND * 2));
    tokio::task::yield_now().await;
    tokio::task::yield_now().await;
    drop(early);
    late.await.unwrap();
    assert_eq!(clock.now().mono, Micros::from(SECOND * 2));
}

#[test]
fn names_count_up() {
    let ids = CountingIds::new();
    assert_eq!(ids.session().as_str(), "session-1");
    assert_eq!(ids.session().as_str(), "session-2");
}
