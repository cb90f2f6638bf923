//! The messages as a model reads them: the only place that makes them.

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_core::message::Role;
use legwork_core::state::{Measured, Tokens};
use legwork_core::{AgentState, Message, Seq, Transcript};
use legwork_port::Profile;

use crate::chain::Chain;
use crate::renderers::{Rendered, Renderers, Why};
use crate::report::LeftOut;
use crate::unit::Unit;

/// The messages that were made of units, and what is known of them.
#[derive(Default)]
pub(crate) struct Output {
    pub(crate) messages: Transcript,
    pub(crate) chain: Chain,
    /// How many messages there are up to the end of each unit.
    ends: Vec<usize>,
    /// The lowest index of a unit that changed since messages were made.
    behind: Option<usize>,
    left_out: BTreeMap<(Arc<str>, Why), Vec<Seq>>,
    /// Where the provider counted tokens.
    counted: Option<Counted>,
    /// A response whose usage says nothing of these messages, for they were others then.
    stale: Option<Seq>,
}

#[derive(Clone, Copy)]
struct Counted {
    messages: usize,
    weight: u64,
    tokens: u64,
}

impl Output {
    /// Notes the first index that changed of the units that were there.
    pub(crate) fn changed_before(&mut self, index: Option<usize>) {
        self.behind = self.behind.into_iter().chain(index).min();
    }

    /// Makes the messages of units, from the first changed one on; returns how many were made.
    pub(crate) fn update(
        &mut self,
        units: &[Unit],
        renderers: &Renderers,
        state: &AgentState,
        profile: &Profile,
    ) -> usize {
        let measured = state.context().measured;
        let kept =
            self.behind.take().map_or(self.ends.len(), |changed| changed.min(self.ends.len()));
        if kept < self.ends.len() {
            self.cut(kept, measured, units);
        }
        let before = self.messages.messages().len();
        for unit in units.get(kept..).unwrap_or_default() {
            self.take(unit, measured, renderers, profile);
        }
        self.messages.messages().len() - before
    }

    fn cut(&mut self, units: usize, measured: Option<Measured>, now: &[Unit]) {
        self.ends.truncate(units);
        let len = self.ends.last().copied().unwrap_or(0);
        self.messages.truncate(len);
        self.chain.truncate(len);
        // What was counted is not what the next request has.
        self.counted = self.counted.filter(|counted| counted.messages <= len);
        self.stale = measured.map(|measured| measured.entry);
        if self.left_out.is_empty() {
            return;
        }
        let stays: Vec<_> = now.iter().take(units).map(Unit::entry).collect();
        self.left_out.values_mut().for_each(|entries| entries.retain(|one| stays.contains(one)));
        self.left_out.retain(|_, entries| !entries.is_empty());
    }

    fn take(
        &mut self,
        unit: &Unit,
        measured: Option<Measured>,
        renderers: &Renderers,
        profile: &Profile,
    ) {
        let head = self.as_read(unit, renderers, profile);
        if let Some(head) = head {
            self.push(unit.entry(), &head);
            let counts = |measured: &Measured| {
                measured.entry == unit.entry() && self.stale != Some(measured.entry)
            };
            if let Some(measured) = measured.filter(counts).filter(|_| !unit.is_user()) {
                let (messages, weight) = (self.messages.messages().len(), self.messages.weight());
                self.counted = Some(Counted { messages, weight, tokens: measured.tokens });
            }
            unit.messages().skip(1).for_each(|message| self.push(unit.entry(), message));
        }
        self.ends.push(self.messages.messages().len());
    }

    fn push(&mut self, entry: Seq, message: &Arc<Message>) {
        self.messages.push(entry, Arc::clone(message));
        self.chain.push(message);
    }

    /// The first message of a unit as a model reads it; none if it is left out.
    fn as_read(
        &mut self,
        unit: &Unit,
        renderers: &Renderers,
        profile: &Profile,
    ) -> Option<Arc<Message>> {
        let head = unit.head();
        let Some(app) = &head.app else { return Some(Arc::clone(head)) };
        match renderers.render(app, profile) {
            Rendered::Parts(parts) => {
                let author = head.author.clone();
                let message = Message::new(Role::User, parts);
                let message = author.map_or(message.clone(), |author| message.by(author));
                Some(Arc::new(message))
            }
            Rendered::Silent => None,
            Rendered::LeftOut(why) => {
                let key = (Arc::clone(&app.kind), why);
                self.left_out.entry(key).or_default().push(unit.entry());
                None
            }
        }
    }

    /// The number of messages before the unit at an index.
    pub(crate) fn messages_before(&self, unit: usize) -> usize {
        unit.checked_sub(1).and_then(|unit| self.ends.get(unit)).copied().unwrap_or(0)
    }

    /// The kinds of messages that are left out.
    pub(crate) fn left_out(&self) -> Vec<LeftOut> {
        let all = self.left_out.iter().map(|((kind, why), entries)| {
            let (kind, why, messages) = (Arc::clone(kind), *why, entries.len());
            LeftOut { kind, why, messages }
        });
        all.collect()
    }

    /// How many tokens a request of these messages has.
    pub(crate) fn tokens(&self, state: &AgentState) -> Tokens {
        let weight = self.messages.weight();
        match self.counted {
            Some(counted) => {
                let since = weight.saturating_sub(counted.weight);
                Tokens { measured: counted.tokens, estimated: Tokens::of_weight(since) }
            }
            None => {
                let estimated = Tokens::of_weight(weight + state.prompt_weight());
                Tokens { measured: 0, estimated }
            }
        }
    }
}
