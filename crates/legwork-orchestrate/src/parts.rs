//! The settings that the builders of chats and collaborations have in common.

use std::collections::BTreeSet;
use std::sync::Arc;

use legwork_agent::memory::{RandomIds, SystemClock};
use legwork_core::Criterion;
use legwork_core::budget::Budget;
use legwork_core::continuation::{self, Signals};
use legwork_core::orchestrate::{BudgetLimit, Concluded, Conversation, Said, TurnErrors, Turns};
use legwork_port::{Clock, Ids, NoObserver, Observer};
use legwork_runtime::{Error, price_unknown};

use crate::Participant;
use crate::iteration::USER;
use crate::turn_driver::StepEnd;

pub(super) struct Parts<S> {
    pub(super) budget: Budget,
    /// The maximum number of turns, in place of the budget's steps.
    pub(super) turns: Option<u64>,
    pub(super) criteria: Vec<Arc<dyn Criterion<S>>>,
    pub(super) observers: Vec<(String, StepEnd<S>)>,
    pub(super) observer: Arc<dyn Observer>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ids: Arc<dyn Ids>,
    pub(super) problems: Vec<String>,
}

impl<S: Conversation> Default for Parts<S> {
    fn default() -> Self {
        Self {
            budget: Budget::guards(),
            turns: None,
            criteria: vec![
                Arc::new(Signals),
                Arc::new(TurnErrors),
                Arc::new(BudgetLimit),
                Arc::new(Concluded),
                Arc::new(Turns),
            ],
            observers: Vec::new(),
            observer: Arc::new(NoObserver),
            clock: Arc::new(SystemClock::default()),
            ids: Arc::new(RandomIds),
            problems: Vec::new(),
        }
    }
}

impl<S: Conversation> Parts<S> {
    /// The limits of the conversation.
    pub(super) fn limits(&self) -> Budget {
        Budget { steps: self.turns.or(self.budget.steps), ..self.budget.clone() }
    }

    pub(super) fn criterion(&mut self, criterion: Arc<dyn Criterion<S>>) {
        continuation::put(&mut self.criteria, criterion);
    }

    pub(super) fn said(&mut self, words: String) {
        if words.trim().is_empty() {
            self.problems.push("the words to stop at are empty: give some".to_owned());
        }
        self.criterion(Arc::new(Said::new(words)));
    }

    pub(super) fn without_criterion(&mut self, name: &str) {
        if let Err(unknown) = continuation::remove(&mut self.criteria, name) {
            self.problems.push(unknown.to_string());
        }
    }

    pub(super) fn observer<F, R>(&mut self, name: String, observer: F)
    where
        F: Fn(S) -> R + Send + Sync + 'static,
        R: Future<Output = Result<S, String>> + Send + 'static,
    {
        self.observers.push((name, Arc::new(move |state| Box::pin(observer(state)))));
    }

    /// Checks the participants: names must be distinct and unambiguous in lines, and a limit on
    /// money needs the price of each model.
    pub(super) fn check(&self, participants: &[Participant]) -> Result<(), Error> {
        let mut problems = self.problems.clone();
        let mut seen = BTreeSet::from([USER]);
        for participant in participants {
            let name = participant.name();
            let speaks = name.chars().any(|c| c.is_control() || c == ':');
            if name.trim() != name || name.is_empty() || speaks {
                problems.push(format!(
                    "`{}` is not a valid name: use one without colons, line breaks and surrounding spaces",
                    name.escape_debug()
                ));
            }
            if !seen.insert(name) {
                problems.push(format!("two participants are named `{name}`: rename or remove one"));
            }
            for model in participant.models().iter().filter(|m| m.profile().prices.is_none()) {
                if self.budget.cost.is_some() {
                    problems.push(price_unknown(model.name()));
                }
            }
        }
        if participants.is_empty() {
            problems.push("there are no participants: give at least one".to_owned());
        }
        if problems.is_empty() { Ok(()) } else { Err(Error::Build(problems)) }
    }
}

/// A criterion that stops, as completed, once a predicate holds.
pub(super) struct Until<F>(pub(super) String, pub(super) F);

impl<S, F: Fn(&S) -> bool + Send + Sync> Criterion<S> for Until<F> {
    fn name(&self) -> &str {
        &self.0
    }

    fn decide(&self, state: &S) -> Result<Option<continuation::Decision>, continuation::Error> {
        let words = format!("`{}` is so", self.0);
        let signal =
            || continuation::StopSignal::new(continuation::StopReason::Completed, &*self.0, words);
        Ok((self.1)(state).then(|| continuation::Decision::Stop(signal())))
    }
}
