//! The workers of a test: started, killed, paused and replaced.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::{Duration, Instant};

use fastrand::Rng;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::process::{Process, Said, Setup};

/// A worker that is alive.
struct Member {
    process: Process,
    is_paused: bool,
    /// The sessions that it began and that do not rest yet.
    under_way: BTreeSet<String>,
    /// The sessions whose claims others took while it was paused, until it finds that out.
    to_lose: BTreeSet<String>,
}

impl Member {
    /// Whether it works, and nothing is expected of it.
    fn is_free(&self) -> bool {
        !self.is_paused && self.to_lose.is_empty()
    }
}

impl fmt::Debug for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { is_paused, under_way, to_lose, .. } = self;
        write!(f, "paused: {is_paused}, under way: {under_way:?}, to lose: {to_lose:?}")
    }
}

/// A worker that was killed, until others have taken over all that it had under way.
#[derive(Debug)]
struct Dead {
    number: usize,
    since: Instant,
    left: BTreeSet<String>,
}

/// The workers by their numbers; a replacement has a new one.
pub(super) struct Crew {
    setup: Setup,
    said: UnboundedSender<(usize, Said)>,
    heard: UnboundedReceiver<(usize, Said)>,
    started: usize,
    members: BTreeMap<usize, Member>,
    dead: Vec<Dead>,
    /// How long it took until another worker was seen in a session of a dead one.
    pub(super) takeovers: Vec<Duration>,
}

impl Crew {
    pub(super) fn start(setup: Setup, workers: usize) -> Self {
        let (said, heard) = unbounded_channel();
        let (members, dead, takeovers) = <_>::default();
        let mut crew = Self { setup, said, heard, started: 0, members, dead, takeovers };
        (0..workers).for_each(|_| crew.add());
        crew
    }

    fn add(&mut self) {
        let process = Process::start(self.started, &self.setup, self.said.clone());
        let (under_way, to_lose) = <_>::default();
        let member = Member { process, is_paused: false, under_way, to_lose };
        self.members.insert(self.started, member);
        self.started += 1;
    }

    /// The next thing that a worker says; none if none says anything for a while.
    pub(super) async fn next(&mut self) -> Option<(usize, Said)> {
        let next = tokio::time::timeout(Duration::from_millis(50), self.heard.recv());
        let (number, said) = next.await.ok().flatten()?;
        if let Said::At { session, .. } = &said {
            self.taken_over(session, |dead| dead != number);
        }
        if let Some(member) = self.members.get_mut(&number) {
            match &said {
                Said::Began(session) => drop(member.under_way.insert(session.clone())),
                Said::Rested(session) => drop(member.under_way.remove(session)),
                Said::Lost(session) => {
                    member.under_way.remove(session);
                    member.to_lose.remove(session);
                }
                _ => {}
            }
        }
        Some((number, said))
    }

    /// A session of dead workers, of those that are meant, goes on elsewhere or is settled.
    pub(super) fn taken_over(&mut self, session: &str, of: impl Fn(usize) -> bool) {
        for dead in self.dead.iter_mut().filter(|dead| of(dead.number)) {
            if dead.left.remove(session) {
                self.takeovers.push(dead.since.elapsed());
            }
        }
    }

    /// Replaces the dead whose sessions were all taken over: until then no worker began.
    pub(super) fn replace(&mut self) {
        let before = self.dead.len();
        self.dead.retain(|dead| !dead.left.is_empty());
        (self.dead.len()..before).for_each(|_| self.add());
    }

    /// Whether a worker may be hit: another one works, and nothing is expected of it.
    pub(super) fn may_hit(&self, number: usize) -> bool {
        self.members.get(&number).is_some_and(Member::is_free) && self.may_hit_any()
    }

    /// Whether any worker may be hit.
    pub(super) fn may_hit_any(&self) -> bool {
        self.members.values().filter(|member| member.is_free()).count() > 1
    }

    /// A worker that may be hit, other than this one.
    pub(super) fn another(&self, number: usize, rng: &mut Rng) -> Option<usize> {
        let all = self.members.keys().copied();
        rng.choice(all.filter(|other| *other != number && self.may_hit(*other)).collect::<Vec<_>>())
    }

    pub(super) fn go(&mut self, number: usize, at: u64) {
        if let Some(member) = self.members.get_mut(&number) {
            member.process.go(at);
        }
    }

    pub(super) fn kill(&mut self, number: usize) {
        let mut member = self.members.remove(&number).unwrap();
        member.process.kill();
        self.dead.push(Dead { number, since: Instant::now(), left: member.under_way });
    }

    pub(super) fn pause(&mut self, number: usize) {
        let member = self.members.get_mut(&number).unwrap();
        member.process.pause();
        member.is_paused = true;
    }

    /// Lets a worker go on, which has to find that it lost a session, if it did.
    pub(super) fn resume(&mut self, number: usize, lost: Option<String>) {
        let member = self.members.get_mut(&number).unwrap();
        member.to_lose.extend(lost);
        member.process.resume();
        member.is_paused = false;
    }

    /// Whether nothing is expected of any worker any more.
    pub(super) fn is_settled(&self) -> bool {
        self.dead.is_empty() && self.members.values().all(Member::is_free)
    }

    /// Lets all of them end by themselves; returns how long takeovers took.
    pub(super) fn rest(self) -> Vec<Duration> {
        self.members.into_values().for_each(|member| member.process.rests());
        self.takeovers
    }
}

impl fmt::Debug for Crew {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Crew")
            .field("members", &self.members)
            .field("dead", &self.dead)
            .finish_non_exhaustive()
    }
}
