//! S3.2: how long a step may go on, and what forbids it then.

use std::sync::Arc;
use std::time::Duration;

use legwork_core::budget::Budget;
use legwork_core::continuation::{
    CumulativeTimeLimit, Deadline, Error, StepsLimit, StopReason, TimeLimit, defaults, time_left,
    time_up,
};
use legwork_core::event::Worked;
use legwork_core::{AgentState, Criterion, Decision, Event, Micros, StopSignal, Timestamp};

use crate::story::{blank, go_on, stamp, tell};

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A step that is under way for 40 ms, after 60 ms at work; it is 1,040 ms past the epoch.
fn under_way() -> AgentState {
    let state = tell("user: hi; inference");
    let state = state.with(Event::Worked(Worked::on(Micros(60_000))));
    state.at(stamp(1_040))
}

#[track_caller]
fn check(limit: impl Criterion + 'static, left: Option<u64>) {
    let left = left.map(|left| Micros(left * 1_000));
    assert_eq!(limit.time_left(&under_way()), left, "{}", limit.name());
    let criteria: Vec<Arc<dyn Criterion>> = vec![Arc::new(limit)];
    assert_eq!(time_left(&criteria, &under_way()), left);
    let up = time_up(&criteria, &under_way());
    assert_eq!(up.is_some(), left == Some(Micros::ZERO));
    assert!(up.is_none_or(|signal| signal.reason == StopReason::TimeLimit));
}

#[test]
fn s3_2_each_limit_on_time_says_how_much_it_leaves() {
    check(TimeLimit::at(millis(150)), Some(50));
    check(TimeLimit::at(millis(101)), Some(1));
    check(TimeLimit::at(millis(100)), Some(0));
    check(TimeLimit::at(millis(99)), Some(0));
    check(TimeLimit::new(), None);
    check(CumulativeTimeLimit::at(millis(150)), Some(50));
    check(CumulativeTimeLimit::at(millis(100)), Some(0));
    check(Deadline::at(Timestamp(1_050)), Some(10));
    check(Deadline::at(Timestamp(1_041)), Some(1));
    check(Deadline::at(Timestamp(1_040)), Some(0));
    check(Deadline::at(Timestamp(3)), Some(0));
    check(Deadline::new(), None);
    // What counts something else leaves any time.
    check(StepsLimit::at(0), None);
}

#[test]
fn s3_2_the_limits_of_the_budget_count_where_there_is_no_own_number() {
    let with = |budget: Budget| go_on(blank().with_budget(budget), "user: hi; inference");
    let left = |budget| time_left(&defaults(), &with(budget).at(stamp(1_040)));
    assert_eq!(left(Budget::unlimited()), None);
    assert_eq!(left(Budget::unlimited().time(millis(50))), Some(Micros(10_000)));
    assert_eq!(left(Budget::unlimited().deadline(Timestamp(1_070))), Some(Micros(30_000)));
    let both = Budget::unlimited().time(millis(50)).deadline(Timestamp(1_070));
    assert_eq!(left(both), Some(Micros(10_000)), "the first of them");
    let state = with(Budget::unlimited().time(millis(50))).at(stamp(1_040));
    assert_eq!(TimeLimit::at(millis(45)).time_left(&state), Some(Micros(5_000)));
    let state = with(Budget::unlimited().deadline(Timestamp(1_070))).at(stamp(1_040));
    assert_eq!(Deadline::at(Timestamp(1_045)).time_left(&state), Some(Micros(5_000)));
}

/// A criterion that says how much time it leaves, and how it votes.
struct Told(Option<Micros>, fn() -> Voted);

type Voted = Result<Option<Decision>, Error>;

impl Criterion for Told {
    fn name(&self) -> &str {
        "told"
    }

    fn time_left(&self, _: &AgentState) -> Option<Micros> {
        if self.0 == Some(Micros(13)) { panic!("on fire") } else { self.0 }
    }

    fn decide(&self, _: &AgentState) -> Result<Option<Decision>, Error> {
        (self.1)()
    }
}

fn forbids() -> Voted {
    Ok(Some(Decision::Forbid(StopSignal::new(StopReason::StopRequested, "told", "enough"))))
}

#[test]
fn s3_2_the_first_whose_time_is_up_and_that_forbids_ends_the_step() {
    let up = |told: Vec<Told>| {
        let criteria: Vec<_> =
            told.into_iter().map(|told| Arc::new(told) as Arc<dyn Criterion>).collect();
        time_up(&criteria, &under_way()).map(|signal| signal.reason)
    };
    let now = Some(Micros::ZERO);
    assert_eq!(up(vec![Told(now, forbids)]), Some(StopReason::StopRequested));
    assert_eq!(up(vec![Told(Some(Micros(1)), forbids), Told(None, forbids)]), None);
    // A vote that does not forbid, an abstention or a failure leaves it to the next.
    let others: [fn() -> Voted; 4] = [
        || Ok(Some(Decision::Allow)),
        || Ok(None),
        || Err("it broke".into()),
        || panic!("it fell over"),
    ];
    for other in others {
        assert_eq!(up(vec![Told(now, other)]), None);
    }
    let both = vec![Told(now, || Ok(Some(Decision::Request))), Told(now, forbids)];
    assert_eq!(up(both), Some(StopReason::StopRequested));
}

#[test]
fn s3_2_a_criterion_that_panics_has_no_time_limit() {
    let criteria: Vec<Arc<dyn Criterion>> =
        vec![Arc::new(Told(Some(Micros(13)), forbids)), Arc::new(Told(Some(Micros(20)), forbids))];
    assert_eq!(time_left(&criteria, &under_way()), Some(Micros(20)));
    assert_eq!(time_left(&criteria[..1], &under_way()), None);
    assert_eq!(time_up(&criteria[..1], &under_way()), None);
}

#[test]
fn s3_2_between_steps_only_what_was_charged_counts() {
    let state = tell("user: hi").at(stamp(9_000));
    assert_eq!(TimeLimit::at(millis(5)).time_left(&state), Some(Micros(5_000)));
    assert_eq!(CumulativeTimeLimit::at(millis(5)).time_left(&state), Some(Micros(5_000)));
}
