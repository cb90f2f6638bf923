//! Which faults hit the workers, and when.

use std::collections::VecDeque;

use fastrand::Rng;

use super::points::Point;

/// How much is played.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    /// How many sessions there are at least: more are submitted until each fault had its point.
    pub(super) sessions: usize,
    pub(super) kills: usize,
    pub(super) pauses: usize,
}

/// How many points a session has.
const POINTS: usize = 8;

/// What happens to a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// The worker that reached the point is killed.
    Kill,
    /// Another one is killed, wherever it is.
    KillAnother,
    /// The worker is paused until another one works in its session.
    PauseUntilTakenOver,
    /// The worker is paused until its lease has ended, whether or not another one is quicker.
    PausePastLease,
}

/// A fault, and the first point at which it may happen.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fault {
    /// How many points the workers have reached then, at least.
    after: usize,
    pub(super) point: Point,
    pub(super) what: What,
}

/// The kills and pauses, each in turn as often as there are any.
const KILLS: [(Point, What); 6] = [
    (Point::NoteDid, What::Kill),
    (Point::SendBegan, What::Kill),
    (Point::Infer, What::KillAnother),
    (Point::NoteBegan, What::Kill),
    (Point::SendDid, What::Kill),
    (Point::Infer, What::Kill),
];
const PAUSES: [(Point, What); 6] = [
    (Point::NoteBegan, What::PauseUntilTakenOver),
    (Point::SendDid, What::PausePastLease),
    (Point::Infer, What::PauseUntilTakenOver),
    (Point::NoteDid, What::PauseUntilTakenOver),
    (Point::Infer, What::PausePastLease),
    (Point::SendBegan, What::PauseUntilTakenOver),
];

/// The faults that are still to come.
#[derive(Debug)]
pub(super) struct Faults(VecDeque<Fault>);

impl Faults {
    /// Faults at random times of a run, from its first quarter on: they wait for each other.
    pub(super) fn plan(size: Size, rng: &mut Rng) -> Self {
        let kills = KILLS.iter().cycle().take(size.kills);
        let pauses = PAUSES.iter().cycle().take(size.pauses);
        let at = |(point, what): &(Point, What)| {
            let after = rng.usize(1..=size.sessions * POINTS / 4);
            Fault { after, point: *point, what: *what }
        };
        let mut faults: Vec<_> = kills.chain(pauses).map(at).collect();
        faults.sort_by_key(|fault| fault.after);
        Self(faults.into())
    }

    /// Takes the fault that happens at a point, the nth that the workers reached.
    pub(super) fn at(&mut self, nth: usize, point: Point) -> Option<Fault> {
        let due = |fault: &Fault| fault.after <= nth && fault.point == point;
        let found = self.0.iter().position(due)?;
        self.0.remove(found)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
