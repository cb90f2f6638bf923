//! Futures that are dropped at each of their polls.

use std::sync::Mutex;

use legwork_testkit::polls;

#[tokio::test]
async fn a_future_is_dropped_at_each_of_its_polls() {
    let done = Mutex::new(0);
    let make = || async {
        for _ in 0..3 {
            polls::others(1).await;
            *done.lock().unwrap() += 1;
        }
        "whole"
    };
    let mut seen = Vec::new();
    let polls = polls::drop_at_each(make, async |polls, output| {
        seen.push((polls, std::mem::take(&mut *done.lock().unwrap()), output));
    });
    assert_eq!(polls.await, 4);
    assert_eq!(seen, [(1, 0, None), (2, 1, None), (3, 2, None), (4, 3, Some("whole"))]);
}

#[tokio::test]
async fn nothing_is_polled_more_often_than_it_may() {
    assert_eq!(polls::at_most(0, std::future::ready(1)).await, None);
    assert_eq!(polls::at_most(1, std::future::ready(1)).await, Some(1));
    assert_eq!(polls::at_most(2, polls::others(2)).await, None);
    assert_eq!(polls::at_most(3, polls::others(2)).await, Some(()));
}
