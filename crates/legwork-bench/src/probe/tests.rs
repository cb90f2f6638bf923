use super::{Probe, StepTime, around, step_times};
use std::time::Duration;

#[tokio::test]
async fn each_call_leaves_a_stamp_until_taken() {
    let probe = Probe::new(Duration::ZERO);
    assert_eq!(probe.add(17, 25).await, 42);
    probe.add(1, 1).await;
    let stamps = probe.take();
    assert_eq!(stamps.len(), 2);
    assert_eq!(step_times(&stamps).len(), 1);
    assert!(probe.take().is_empty());
}

#[test]
fn a_window_holds_ten_steps_also_at_the_end() {
    let times: Vec<_> =
        (1..=199).map(|number| StepTime { wall_us: f64::from(number), cpu_us: 0.0 }).collect();
    let ends = |number| {
        let window = around(&times, number);
        (window[0].wall_us, window[window.len() - 1].wall_us)
    };
    assert_eq!(ends(10), (6.0, 15.0));
    assert_eq!(ends(100), (96.0, 105.0));
    assert_eq!(ends(200), (190.0, 199.0));
    assert!(around(&[], 10).is_empty());
}
