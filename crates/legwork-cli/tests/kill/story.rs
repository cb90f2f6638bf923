//! What came of a run: the effects, and what the model was told about them.

use legwork::core::{Role, ToolOutcome};
use legwork_testkit::asked::Said;

use crate::kill::LAST;
use crate::scene::{ANSWER, Ended, Scene};
use crate::shell::Shell;

/// What came of a run of the command.
#[derive(Debug, PartialEq)]
pub(crate) struct Story {
    /// The lines that were appended.
    pub(crate) numbers: Vec<String>,
    /// The messages of the last request.
    pub(crate) said: Vec<Said>,
    /// How often the model was asked.
    pub(crate) requests: usize,
}

impl Story {
    /// The story of a session whose last process came to its end.
    pub(crate) fn of(scene: &Scene<Shell>, ended: &Ended) -> Self {
        completed(ended);
        let requests = scene.server.requests();
        let said = requests.last().unwrap().asked.messages.clone();
        Self { numbers: scene.numbers(), said, requests: requests.len() }
    }

    /// A run that nobody disturbs.
    pub(crate) fn undisturbed() -> Self {
        let mut scene = Scene::<Shell>::new();
        let ended = scene.finishes();
        let story = Self::of(&scene, &ended);
        let all: Vec<_> = (1..=LAST).map(|number| number.to_string()).collect();
        assert_eq!((&story.numbers, story.requests), (&all, LAST + 1));
        story
    }

    /// The numbers whose calls the model was told to have been interrupted.
    pub(crate) fn interrupted(&self) -> Vec<usize> {
        let told = ToolOutcome::Interrupted.to_text();
        let results = self.said.iter().filter(|said| said.role == Role::Tool);
        (1..).zip(results).filter(|(_, said)| said.text == told).map(|(n, _)| n).collect()
    }

    /// Whether a number was appended.
    pub(crate) fn has(&self, number: usize) -> bool {
        self.numbers.contains(&number.to_string())
    }

    /// No number stands twice; one is missing only where the model knows that it may be;
    /// all else that the model was told is what it is told in a run without kills.
    #[track_caller]
    pub(crate) fn holds(&self, undisturbed: &Self) {
        let mut once = self.numbers.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), self.numbers.len(), "a number stands twice: {:?}", self.numbers);
        let interrupted = self.interrupted();
        for number in 1..=LAST {
            assert!(self.has(number) || interrupted.contains(&number), "{number}: {self:?}");
        }
        assert_eq!(self.said.len(), undisturbed.said.len());
        let told = ToolOutcome::Interrupted.to_text();
        for (said, before) in self.said.iter().zip(&undisturbed.said) {
            let text = if said.text == told { &told } else { &before.text };
            assert_eq!(said, &Said { text: text.clone(), ..before.clone() });
        }
    }
}

/// The process ended as one that did everything.
#[track_caller]
pub(crate) fn completed(ended: &Ended) {
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    let last = ended.events.last().unwrap();
    assert_eq!(last["type"], "execution_finished", "{ended:#?}");
    assert_eq!((&last["status"], &last["text"]), (&"completed".into(), &ANSWER.into()));
}
