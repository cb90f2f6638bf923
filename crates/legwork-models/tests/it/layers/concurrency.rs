//! So many inferences at once.

use futures_util::FutureExt as _;
use legwork_models::layers::{ModelExt as _, Permits};
use legwork_port::model::Model;
use legwork_testkit::{Gate, ScriptedModel, Turn};

use super::{ask, request};

#[tokio::test]
async fn so_many_are_made_at_once_in_the_order_they_came() {
    let gate = Gate::new();
    let scripted = ScriptedModel::new([Turn::text("done").behind(&gate)]);
    let model = scripted.clone().with_concurrency(2);
    let mut calls: Vec<_> =
        ["a", "b", "c", "d"].map(|text| model.infer(request(text), None)).into_iter().collect();
    // Polled backwards after the first time: the order is that of the first.
    for call in &mut calls {
        assert!(call.now_or_never().is_none());
    }
    let texts = || -> Vec<_> {
        let requests = scripted.requests();
        requests.iter().map(|one| one.messages().iter().next().unwrap().text()).collect()
    };
    assert_eq!(texts(), ["a", "b"]);
    gate.open();
    let rest = calls.split_off(2);
    for call in calls {
        assert_eq!(call.await.unwrap().text(), "done");
    }
    for call in rest.into_iter().rev() {
        assert_eq!(call.await.unwrap().text(), "done");
    }
    assert_eq!(texts(), ["a", "b", "d", "c"], "both had their permit");
}

#[tokio::test]
async fn a_dropped_inference_gives_its_permit_back() {
    let permits = Permits::new(1);
    let stuck = ScriptedModel::new([Turn::stall()]).with_concurrency(permits.clone());
    let model = ScriptedModel::new([Turn::text("done")]).with_concurrency(permits);
    let mut first = stuck.infer(request("hi"), None);
    assert!((&mut first).now_or_never().is_none());
    let mut leaves = model.infer(request("hi"), None);
    let mut waits = model.infer(request("hi"), None);
    assert!((&mut leaves).now_or_never().is_none() && (&mut waits).now_or_never().is_none());
    drop(first);
    // Its turn came, and it never saw that.
    drop(leaves);
    assert_eq!(waits.now_or_never().unwrap().unwrap().text(), "done");
    assert_eq!(ask(&model).await.unwrap().text(), "done");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn tasks_on_many_threads_all_come_through() {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    let permits = Permits::new(3);
    let (now, most) = (&*Box::leak(Box::new(AtomicUsize::new(0))), &*Box::leak(Box::default()));
    let task = |at: usize| {
        let permits = permits.clone();
        tokio::spawn(async move {
            for round in 0..20usize {
                if (at + round).is_multiple_of(5) {
                    // One that is left at some point of the queue.
                    let _ = permits.acquire().now_or_never();
                }
                let _permit = permits.acquire().await;
                AtomicUsize::fetch_max(most, now.fetch_add(1, SeqCst) + 1, SeqCst);
                tokio::task::yield_now().await;
                now.fetch_sub(1, SeqCst);
            }
        })
    };
    for task in (0..40).map(task).collect::<Vec<_>>() {
        task.await.unwrap();
    }
    assert!((1..=3).contains(&most.load(SeqCst)));
    assert_eq!(format!("{permits:?}"), "Permits { free: 3, waiting: 0 }");
}
