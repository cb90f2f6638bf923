use super::*;
use proptest::prelude::*;

fn answer(status: u16) -> Failure {
    Failure::Answer { status, retry_after: None, lasting: Lasting::Passing }
}

fn after(status: u16, seconds: u64) -> Failure {
    let retry_after = Some(Duration::from_secs(seconds));
    Failure::Answer { status, retry_after, lasting: Lasting::Passing }
}

fn judge(attempt: u32, failure: Failure) -> Verdict {
    Policy::default().judge(attempt, failure, Shown::Nothing, 1.0)
}

#[test]
fn only_what_may_heal_is_tried_again() {
    for status in [408, 429, 500, 502, 503, 504, 529, 599] {
        assert!(answer(status).retryable(), "{status}");
    }
    for status in [301, 400, 401, 402, 403, 404, 409, 413, 422, 499, 600] {
        assert!(!answer(status).retryable(), "{status}");
    }
    assert!(Failure::Network.retryable());
    assert!(!Failure::Final.retryable());
}

#[test]
fn a_spent_quota_is_not_tried_again() {
    let spent = Failure::Answer { status: 429, retry_after: None, lasting: Lasting::Permanent };
    assert_eq!(judge(0, spent), Verdict::GiveUp);
}

#[test]
fn nothing_is_tried_again_once_deltas_were_shown() {
    let verdict = Policy::default().judge(0, Failure::Network, Shown::Deltas, 0.5);
    assert_eq!(verdict, Verdict::GiveUp);
}

#[test]
fn the_wait_doubles_up_to_the_cap_and_the_retries_end() {
    let policy = Policy { retries: 9, ..Policy::default() };
    let waits: Vec<u128> = (0..9)
        .map(|attempt| match policy.judge(attempt, Failure::Network, Shown::Nothing, 1.0) {
            Verdict::Again(wait) => wait.as_millis(),
            Verdict::GiveUp => panic!("gave up at {attempt}"),
        })
        .collect();
    assert_eq!(waits, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
    assert_eq!(policy.judge(9, Failure::Network, Shown::Nothing, 1.0), Verdict::GiveUp);
    assert_eq!(Policy::never().judge(0, Failure::Network, Shown::Nothing, 1.0), Verdict::GiveUp);
}

#[test]
fn retry_after_is_taken_at_its_word_but_not_beyond_patience() {
    assert_eq!(judge(0, after(429, 7)), Verdict::Again(Duration::from_secs(7)));
    assert_eq!(judge(0, after(503, 0)), Verdict::Again(Duration::ZERO));
    assert_eq!(judge(0, after(429, 3600)), Verdict::GiveUp);
    assert_eq!(judge(0, after(400, 7)), Verdict::GiveUp);
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
    fn jitter_stays_between_half_and_all(attempt in 0u32..200, chance in 0.0f64..1.0) {
        let policy = Policy { retries: 1000, ..Policy::default() };
        let Verdict::Again(wait) = policy.judge(attempt, Failure::Network, Shown::Nothing, chance)
        else { panic!() };
        let Verdict::Again(most) = policy.judge(attempt, Failure::Network, Shown::Nothing, 1.0)
        else { panic!() };
        prop_assert!(wait <= most && wait >= most / 2);
    }
}
