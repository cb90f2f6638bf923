use legwork_core::{AgentState, EffectKey, Seq, SessionId};
use legwork_port::Cancellation;
use rmcp::model::NumberOrString;

use super::*;

fn context() -> ToolContext {
    let session = SessionId::new("a");
    let key = EffectKey { session: session.clone(), entry: Seq(1), index: 0 };
    ToolContext::new(AgentState::new(session), key, Cancellation::new())
}

fn token(number: i64) -> ProgressToken {
    ProgressToken(NumberOrString::Number(number))
}

fn says(calls: &Calls, number: i64, reached: f64) -> bool {
    let progress = ProgressNotificationParam::new(token(number), reached);
    calls.lock().reach(&progress).is_some()
}

#[test]
fn s18_7_progress_goes_on_and_never_back() {
    let calls = Calls::default();
    let _followed = calls.follow(token(1), &context());
    let told = [1.0, 3.0, 2.0, 3.0, 4.0].map(|reached| says(&calls, 1, reached));
    assert_eq!(told, [true, true, false, false, true]);
}

#[test]
fn s18_7_progress_that_comes_before_its_call_is_followed_is_told() {
    let calls = Calls::default();
    assert!(!says(&calls, 1, 1.0) && !says(&calls, 2, 1.0));
    let one = calls.follow(token(1), &context());
    assert!(!says(&calls, 1, 1.0), "it was told when the call was followed");
    let _two = calls.follow(token(2), &context());
    assert!(!says(&calls, 2, 1.0), "it was kept for its call");
    drop(one);
    assert!(!says(&calls, 1, 2.0), "the call has ended");
}

#[test]
fn s18_7_progress_that_nobody_follows_has_bounds() {
    let calls = Calls::default();
    for number in 0..100 {
        says(&calls, number, 1.0);
    }
    assert_eq!(calls.lock().early.len(), EARLY);
}
