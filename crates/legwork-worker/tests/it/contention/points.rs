//! Points at which a worker stands still until the test lets it go on.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use tokio::sync::oneshot;

/// A point in a step of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Point {
    /// The model is asked.
    Infer,
    /// A call that is reported to the model where it is in doubt: before its effect, and after.
    NoteBegan,
    NoteDid,
    /// The same of a call about which a person is asked.
    SendBegan,
    SendDid,
}

const NAMES: [(Point, &str); 5] = [
    (Point::Infer, "infer"),
    (Point::NoteBegan, "note-began"),
    (Point::NoteDid, "note-did"),
    (Point::SendBegan, "send-began"),
    (Point::SendDid, "send-did"),
];

impl Point {
    fn name(self) -> &'static str {
        NAMES.iter().find(|(point, _)| *point == self).unwrap().1
    }

    /// The tool whose call stands there; none while the model is asked.
    pub(super) fn tool(self) -> Option<&'static str> {
        self.name().split_once('-').map(|(tool, _)| tool)
    }
}

impl FromStr for Point {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = NAMES.iter().find(|(_, name)| *name == text);
        found.map(|(point, _)| *point).ok_or_else(|| text.to_owned())
    }
}

/// The points of a worker's process.
#[derive(Debug, Default)]
pub(super) struct Points(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    last: u64,
    waiting: BTreeMap<u64, oneshot::Sender<()>>,
}

impl Points {
    /// Reports that a session is at a point, and waits until it may go on.
    pub(super) async fn reach(&self, point: Point, session: &str) {
        let (sender, receiver) = oneshot::channel();
        let at = self.wait(sender);
        says(format!("point {at} {} {session}", point.name()));
        receiver.await.unwrap();
    }

    fn wait(&self, sender: oneshot::Sender<()>) -> u64 {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.last += 1;
        let at = all.last;
        all.waiting.insert(at, sender);
        at
    }

    /// Lets what waits at a point go on, unless its run was dropped meanwhile.
    pub(super) fn go(&self, at: u64) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = all.waiting.remove(&at).map(|sender| sender.send(()));
    }
}

/// What the lines of a child begin with; the runner of the tests writes to the same place.
pub(super) const MARK: &str = "worker: ";

/// Says a line to the parent.
pub(super) fn says(text: impl std::fmt::Display) {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{MARK}{text}").and_then(|()| stdout.flush()).unwrap();
}
