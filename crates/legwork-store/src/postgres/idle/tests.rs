use super::*;

#[tokio::test(start_paused = true)]
async fn the_task_ends_when_no_connection_waits() {
    let waiting = Waiting::default();
    lock(&waiting.0).is_tended = true;
    tend(Arc::downgrade(&waiting.0), Tended(Arc::downgrade(&waiting.0))).await;
    assert!(!lock(&waiting.0).is_tended);
    // It keeps nothing alive either.
    let list = Arc::downgrade(&waiting.0);
    drop(waiting);
    tend(list.clone(), Tended(list)).await;
}

#[tokio::test(start_paused = true)]
async fn a_task_that_is_aborted_leaves_room_for_another() {
    let waiting = Waiting::default();
    lock(&waiting.0).is_tended = true;
    let task = tokio::spawn(tend(Arc::downgrade(&waiting.0), Tended(Arc::downgrade(&waiting.0))));
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    assert!(!lock(&waiting.0).is_tended);
}
