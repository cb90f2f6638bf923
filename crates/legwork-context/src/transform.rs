//! What changes a conversation on its way to a model.

use std::ops::Range;

use legwork_core::AgentState;
use legwork_port::Profile;

use crate::recorded::Recorded;
use crate::view::View;

/// Changes what a model reads of a conversation; the transcript stays as it is.
///
/// A transform is a function of the conversation and the state: the view that it leaves must be
/// the same whether units came one by one, all at once, or were rebuilt. So it asks no clock
/// and no randomness, and remembers things only in [`View::memory`].
///
/// Transforms run in the order of their priority, the lowest first, each on what the one before
/// it left. Those that shipped change single units first (redaction at 100, summaries 200,
/// truncation 300), then leave units out (traces 400, window 500, budget 600), and then refer
/// from one unit to another (repeats 700 and 800), since what they refer to must still be there.
pub trait Transform: Send + Sync {
    /// Its name, in reports.
    fn name(&self) -> &str;

    /// Its place in the order, the lowest first; of equals the one that was added first.
    fn priority(&self) -> i32;

    /// Takes in the units that were appended to the view, which end at the end of it.
    ///
    /// It should cost what was added. It may change the view before these units, at the price
    /// of the provider's prompt cache from there on: do so rarely, and much at once.
    fn extend(&self, view: &mut View, added: Range<usize>, cx: &Cx<'_>) -> Extended;

    /// Takes in a conversation as a whole: the view has all units, and there is no memory.
    fn rebuild(&self, view: &mut View, cx: &Cx<'_>) {
        let all = 0..view.len();
        self.extend(view, all, cx);
    }
}

/// What became of units that were added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extended {
    /// They are taken in.
    Done,
    /// They cannot be taken in by themselves: the whole conversation is to be rebuilt.
    Rebuild,
}

/// What a transform may look at beside the conversation.
#[derive(Clone, Copy)]
pub struct Cx<'a> {
    /// The state of the session.
    pub state: &'a AgentState,
    /// The model that reads the conversation.
    pub profile: &'a Profile,
    pub(crate) recorded: &'a Recorded,
}
