//! The votes of one evaluation, while they are collected.

use std::borrow::Cow;

use crate::outcome::{Decision, Vote};

/// A vote whose name is not copied.
#[derive(Debug)]
pub(crate) struct Cast<'a> {
    pub(crate) by: &'a str,
    pub(crate) decision: Cow<'a, Decision>,
}

impl Cast<'_> {
    pub(super) fn to_vote(&self) -> Vote {
        Vote { by: self.by.to_owned(), decision: self.decision.clone().into_owned() }
    }
}

/// Votes in any order. Mostly there is one, which needs no memory of its own.
#[derive(Debug, Default)]
pub(crate) struct Ballot<'a> {
    first: Option<Cast<'a>>,
    others: Vec<Cast<'a>>,
}

impl<'a> Ballot<'a> {
    /// These votes, of hooks for example.
    pub(crate) fn of(votes: impl IntoIterator<Item = &'a Vote>) -> Self {
        let mut ballot = Self::default();
        for vote in votes {
            ballot.cast(&vote.by, Cow::Borrowed(&vote.decision));
        }
        ballot
    }

    pub(crate) fn cast(&mut self, by: &'a str, decision: Cow<'a, Decision>) {
        let cast = Cast { by, decision };
        match &self.first {
            None => self.first = Some(cast),
            Some(_) => self.others.push(cast),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Cast<'a>> {
        self.first.iter().chain(&self.others)
    }

    /// The vote, if there is one alone.
    pub(super) fn only(&self) -> Option<&Cast<'a>> {
        self.first.as_ref().filter(|_| self.others.is_empty())
    }
}
