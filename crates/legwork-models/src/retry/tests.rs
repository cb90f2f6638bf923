use std::time::Duration;

use legwork_core::inference::{Incomplete, Response};
use legwork_core::{FinishReason, Message, Micros};
use legwork_port::model::{Error, Kind};
use proptest::prelude::*;

use super::*;

const PASSING: Failure = Failure::Passing(None);

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn after(wait: Duration) -> Failure {
    Failure::Passing(Some(wait))
}

/// The longest wait after one failure, and the time that is left.
fn first(policy: &Policy, failure: Failure) -> Verdict {
    Attempts::default().judge(policy, failure, Micros::ZERO, 1.0)
}

fn wait_of(verdict: Verdict) -> Option<Duration> {
    match verdict {
        Verdict::Again { wait, .. } => Some(wait),
        Verdict::GiveUp(_) => None,
    }
}

/// All waits of attempts that fail at once, and why there were no more.
fn story(policy: &Policy, failure: Failure, chance: f64) -> (Vec<Duration>, GiveUp) {
    let (mut attempts, mut waits, mut now) = (Attempts::default(), Vec::new(), Micros::ZERO);
    loop {
        match attempts.judge(policy, failure, now, chance) {
            Verdict::Again { wait, left } => {
                assert_eq!(left, policy.time_limit() - Duration::from(now));
                // Clocks count microseconds.
                let wait = Micros::from(wait);
                waits.push(Duration::from(wait));
                now = now.plus(wait);
            }
            Verdict::GiveUp(why) => {
                assert_eq!(attempts.failed() as usize, waits.len() + 1);
                assert_eq!(attempts.lasted(now), Duration::from(now));
                return (waits, why);
            }
        }
    }
}

#[test]
fn s11_5_the_waits_double_up_to_the_longest_and_fill_the_time() {
    let (waits, why) = story(&Policy::default(), PASSING, 1.0);
    let millis: Vec<_> = waits.iter().map(Duration::as_millis).collect();
    assert_eq!(millis[..8], [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    assert_eq!(waits.iter().sum::<Duration>(), seconds(120));
    assert_eq!((waits.len(), why), (9, GiveUp::Time));
    // The last one is cut to what is left.
    assert_eq!(waits[8], seconds(120) - waits[..8].iter().sum::<Duration>());
    assert!(waits[8] < seconds(30) && waits[7] == seconds(30), "{waits:?}");
}

#[test]
fn each_setting_of_a_policy_counts() {
    let policy = Policy::default()
        .with_time_limit(seconds(100))
        .with_first_wait(seconds(3))
        .with_longest_wait(seconds(7));
    assert_eq!(policy.time_limit(), seconds(100));
    let (waits, why) = story(&policy, PASSING, 1.0);
    assert_eq!(waits[..4], [3, 6, 7, 7].map(seconds));
    assert_eq!((waits.iter().sum(), why), (seconds(100), GiveUp::Time));
    let (waits, why) = story(&policy.clone().with_max_retries(3), PASSING, 1.0);
    assert_eq!((waits.len(), why), (3, GiveUp::Attempts));
    let (waits, why) = story(&policy.with_max_broken_answers(2), Failure::Broken, 1.0);
    assert_eq!((waits.len(), why), (2, GiveUp::BrokenAnswers));
}

#[test]
fn one_attempt_is_made_where_retries_are_switched_off() {
    assert_eq!(first(&Policy::never(), PASSING), Verdict::GiveUp(GiveUp::Attempts));
    let no_time = Policy::default().with_time_limit(Duration::ZERO);
    assert_eq!(first(&no_time, PASSING), Verdict::GiveUp(GiveUp::Time));
    let none = Policy::default().with_max_broken_answers(0);
    assert_eq!(first(&none, Failure::Broken), Verdict::GiveUp(GiveUp::BrokenAnswers));
    assert_eq!(wait_of(first(&none, PASSING)), Some(Duration::from_millis(500)));
}

#[test]
fn s11_5_the_time_counts_from_the_first_failure() {
    let policy = Policy::default().with_time_limit(seconds(60));
    let mut attempts = Attempts::default();
    let late = |after: u64| Micros::from(seconds(5_000 + after));
    let Verdict::Again { left, .. } = attempts.judge(&policy, PASSING, late(0), 1.0) else {
        panic!("a first attempt that took long is tried again")
    };
    assert_eq!(left, seconds(60));
    let Verdict::Again { left, .. } = attempts.judge(&policy, PASSING, late(59), 1.0) else {
        panic!("there is a second left")
    };
    assert_eq!(left, seconds(1));
    let last = attempts.judge(&policy, PASSING, late(60), 1.0);
    assert_eq!(last, Verdict::GiveUp(GiveUp::Time));
}

#[test]
fn s11_5_broken_answers_are_counted_apart() {
    let policy = Policy::default().with_max_broken_answers(1);
    let mut attempts = Attempts::default();
    let mut judge = |failure| wait_of(attempts.judge(&policy, failure, Micros::ZERO, 1.0));
    assert_eq!(judge(PASSING), Some(Duration::from_millis(500)));
    assert_eq!(judge(Failure::Broken), Some(seconds(1)));
    assert_eq!(judge(PASSING), Some(seconds(2)));
    assert_eq!(judge(Failure::Broken), None, "as many broke off as may");
}

#[test]
fn s11_5_what_is_permanent_is_not_tried_again() {
    assert_eq!(first(&Policy::default(), Failure::Permanent), Verdict::GiveUp(GiveUp::Permanent));
}

#[test]
fn s11_5_a_server_is_waited_for_as_long_as_it_asks_within_the_time() {
    let policy = Policy::default();
    assert_eq!(wait_of(first(&policy, after(seconds(7)))), Some(seconds(7)));
    assert_eq!(wait_of(first(&policy, after(seconds(120)))), Some(seconds(120)));
    let longer = seconds(120) + Duration::from_nanos(1);
    assert_eq!(first(&policy, after(longer)), Verdict::GiveUp(GiveUp::TooLong(longer)));
    // One that asks for next to nothing is not hurried.
    assert_eq!(wait_of(first(&policy, after(Duration::ZERO))), Some(Duration::from_millis(500)));
    let (waits, _) = story(&policy, after(seconds(2)), 1.0);
    assert_eq!(waits[..4], [2, 2, 2, 4].map(seconds));
}

#[test]
fn s11_5_only_what_may_pass_is_tried_again() {
    let failure = |kind| Failure::of(&Err(Error::new(kind, "it failed")), false);
    for kind in [Kind::Unreachable, Kind::Timeout, Kind::RateLimited, Kind::Server] {
        assert_eq!(failure(kind), Some(PASSING), "{kind:?}");
    }
    let permanent = [
        Kind::Untrusted,
        Kind::Unauthorized,
        Kind::UnknownModel,
        Kind::BadRequest,
        Kind::ContextOverflow,
        Kind::QuotaExceeded,
        Kind::Malformed,
    ];
    for kind in permanent {
        assert_eq!(failure(kind), Some(Failure::Permanent), "{kind:?}");
        let shown = Failure::of(&Err(Error::new(kind, "it failed")), true);
        assert_eq!(shown, Some(Failure::Permanent), "{kind:?}");
    }
    let mut full = Error::new(Kind::RateLimited, "later");
    full.retry_after = Some(seconds(7));
    assert_eq!(Failure::of(&Err(full), false), Some(after(seconds(7))));
    let late = Err(Error::new(Kind::Server, "it fell over in the middle"));
    assert_eq!(Failure::of(&late, true), Some(Failure::Broken));
}

#[test]
fn s11_3_an_answer_that_broke_off_is_a_failed_attempt() {
    let failure = |incomplete| {
        let mut response = Response::new(Message::assistant(Vec::new()), FinishReason::Stop);
        response.incomplete = incomplete;
        Failure::of(&Ok(response), true)
    };
    assert_eq!(failure(None), None);
    assert_eq!(failure(Some(Incomplete::Cut)), Some(Failure::Broken));
    assert_eq!(failure(Some(Incomplete::NoEnd)), Some(Failure::Broken));
    // The same request gives the same again, or we cut it ourselves.
    assert_eq!(failure(Some(Incomplete::LengthInCall)), None);
    assert_eq!(failure(Some(Incomplete::OverReserve)), None);
}

#[test]
fn the_reason_for_giving_up_is_named() {
    let said = |why: GiveUp| why.to_string();
    assert_eq!(said(GiveUp::Time), "the time for retries is used up");
    assert_eq!(said(GiveUp::Attempts), "no more attempts are allowed");
    assert_eq!(said(GiveUp::BrokenAnswers), "the answer broke off each time");
    assert_eq!(said(GiveUp::Permanent), "trying again does not help");
    assert!(said(GiveUp::TooLong(seconds(3600))).contains("asks to wait 3600s"));
}

#[test]
fn retry_after_is_read_in_both_forms() {
    let now = httpdate::parse_http_date("Wed, 21 Oct 2015 07:28:00 GMT").unwrap();
    let seconds = |s| Some(Duration::from_secs(s));
    let cases = [
        ("120", seconds(120)),
        (" 0 ", seconds(0)),
        ("1.5", Some(Duration::from_millis(1500))),
        ("Wed, 21 Oct 2015 07:28:30 GMT", seconds(30)),
        ("Wednesday, 21-Oct-15 07:29:00 GMT", seconds(60)),
        ("Wed Oct 21 07:28:01 2015", seconds(1)),
        ("Wed, 21 Oct 2015 07:27:00 GMT", seconds(0)),
        ("-1", None),
        ("NaN", None),
        ("inf", None),
        ("soon", None),
        ("", None),
    ];
    for (value, wait) in cases {
        assert_eq!(retry_after(value, now), wait, "{value:?}");
    }
    assert_eq!(retry_after_ms("1500"), Some(Duration::from_millis(1500)));
    assert_eq!(retry_after_ms("x"), None);
}

proptest! {
    #[test]
    fn jitter_takes_between_half_and_all(failed in 1u32..200, chance in 0.0f64..1.0) {
        let policy = Policy::default();
        let (wait, most) = (policy.backoff(failed, chance), policy.backoff(failed, 1.0));
        prop_assert!(wait <= most && wait >= most / 2);
        prop_assert_eq!(policy.backoff(failed, 0.0), most / 2);
        prop_assert!(chance == 0.0 || wait > most / 2, "chance counts");
    }

    #[test]
    fn s11_5_retries_end_when_the_time_does(chance in 0.0f64..1.0, limit in 1u64..5_000) {
        let policy = Policy::default().with_time_limit(seconds(limit));
        let (waits, why) = story(&policy, PASSING, chance);
        prop_assert_eq!(why, GiveUp::Time);
        prop_assert_eq!(waits.iter().sum::<Duration>(), seconds(limit));
    }
}
