//! How the errors of a step affect whether the execution goes on.

use crate::continuation::criteria::fault::{self, Fault, Origin};
use crate::continuation::{Criterion, Decision, Error, StopReason, StopSignal};
use crate::error::ErrorKind;
use crate::state::AgentState;

/// The reaction to an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reaction {
    /// The execution fails.
    Stop,
    /// The execution goes on, as often as limits allow.
    Ignore,
    /// The execution goes on after up to this many steps in a row, and fails after one more.
    ///
    /// Counts the steps with an error of the class.
    Retry(u32),
}

/// Votes by the errors of the step: `errors`.
///
/// Errors of tools are calls that failed; the model reads them. All other errors ended their
/// step without an answer: going on after one is a new step with a new inference. Errors of
/// hooks are recorded and never stop an execution.
///
/// By default an execution fails after an error that ended a step and after a hard failure of
/// a tool, goes on after other failed calls, and goes on when the driver fails to read the
/// model's decision, up to twice in a row.
///
/// `Retry(n)` counts the steps in a row, this one included, with an error of the same class. A
/// class is what one reaction is set for: a kind set by [`Self::on`], tools, or all others. Of
/// several errors in a step the strictest reaction applies.
///
/// ```
/// use legwork_core::ErrorKind;
/// use legwork_core::continuation::{ErrorPolicy, Reaction};
/// let patient = ErrorPolicy::retry_tool_errors(3).on(ErrorKind::RateLimit, Reaction::Retry(5));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorPolicy {
    tools: Reaction,
    others: Reaction,
    hard: Option<Reaction>,
    unreadable: Option<Reaction>,
    kinds: Vec<(ErrorKind, Reaction)>,
}

impl Default for ErrorPolicy {
    fn default() -> Self {
        Self {
            hard: Some(Reaction::Stop),
            unreadable: Some(Reaction::Retry(2)),
            ..Self::new(Reaction::Ignore, Reaction::Stop)
        }
    }
}

impl ErrorPolicy {
    /// One reaction to errors of tools, hard ones included, and one to all others.
    pub fn new(tools: Reaction, others: Reaction) -> Self {
        Self { tools, others, hard: None, unreadable: None, kinds: Vec::new() }
    }

    /// Fails after any error, of tools too.
    pub fn stop_on_any() -> Self {
        Self::new(Reaction::Stop, Reaction::Stop)
    }

    /// Goes on after up to `most` steps in a row in which a tool failed, hard or not.
    ///
    /// The reaction to other errors is the default.
    pub fn retry_tool_errors(most: u32) -> Self {
        Self { tools: Reaction::Retry(most), hard: None, ..Self::default() }
    }

    /// Goes on after any failure of a tool, hard ones included.
    ///
    /// The reaction to other errors is the default.
    pub fn ignore_tool_errors() -> Self {
        Self { tools: Reaction::Ignore, hard: None, ..Self::default() }
    }

    /// Goes on after up to `most` steps in a row with errors of any source.
    pub fn retry_all(most: u32) -> Self {
        Self::new(Reaction::Retry(most), Reaction::Retry(most))
    }

    /// Sets the reaction to errors of a kind, whatever their source.
    ///
    /// A timeout of a call is `timeout`, invalid arguments and exhausted retries are
    /// `validation`, all other failures of calls are `tool`, hard ones included.
    #[must_use]
    pub fn on(mut self, kind: ErrorKind, reaction: Reaction) -> Self {
        self.kinds.retain(|(known, _)| *known != kind);
        self.kinds.push((kind, reaction));
        self
    }

    /// The reaction to an error, and the class in which it counts.
    fn reaction(&self, fault: &Fault) -> (Class, Reaction) {
        if let Some((kind, reaction)) =
            self.kinds.iter().find(|(kind, _)| *kind == fault.error.kind)
        {
            return (Class::Kind(kind.clone()), *reaction);
        }
        let (own, class, rest) = match fault.origin {
            Origin::HardTool => (self.hard, Class::Tools, self.tools),
            Origin::Tool => (None, Class::Tools, self.tools),
            Origin::Unreadable => (self.unreadable, Class::Others, self.others),
            Origin::Other => (None, Class::Others, self.others),
        };
        own.map_or((class, rest), |own| (Class::Own(fault.origin), own))
    }

    fn judge(&self, state: &AgentState, fault: &Fault) -> Option<Decision> {
        let (class, reaction) = self.reaction(fault);
        let most = match reaction {
            Reaction::Stop => {
                let signal = StopSignal::error("errors", fault.error.clone());
                return Some(Decision::Forbid(signal));
            }
            // Whether to go on after a failed call is for other criteria to say.
            Reaction::Ignore => return (!fault.origin.is_call()).then_some(Decision::Request),
            Reaction::Retry(most) => most as usize,
        };
        let row = 1 + self.ended_in_a_row(state, &class);
        if row <= most {
            return Some(Decision::Request);
        }
        let steps = if row == 1 { "1 step".to_owned() } else { format!("{row} steps in a row") };
        let kind = fault.error.kind.as_str().replace('_', " ");
        let words = format!(
            "{steps} failed ({kind}), {most} may be retried; the last: {}",
            fault.error.message,
        );
        let signal = StopSignal::new(StopReason::RetryLimit, "errors", words);
        Some(Decision::Forbid(signal.with_error(fault.error.clone())))
    }

    /// The number of consecutive steps before this one with an error of the class.
    fn ended_in_a_row(&self, state: &AgentState, class: &Class) -> usize {
        let ended = state.step_results().rev();
        let same = |fault: &Fault| self.reaction(fault).0 == *class;
        ended.take_while(|result| fault::of(&result.step).iter().any(same)).count()
    }
}

/// Errors for which one reaction is set.
#[derive(Debug, PartialEq, Eq)]
enum Class {
    Kind(ErrorKind),
    Own(Origin),
    Tools,
    Others,
}

impl Criterion for ErrorPolicy {
    fn name(&self) -> &str {
        "errors"
    }

    fn decide(&self, state: &AgentState) -> Result<Option<Decision>, Error> {
        let Some(step) = state.current_step() else { return Ok(None) };
        let faults = fault::of(step);
        let votes = faults.iter().filter_map(|fault| self.judge(state, fault));
        // The first of the strictest.
        Ok(votes.min_by_key(|vote| match vote {
            Decision::Forbid(signal) => signal.reason.priority(),
            _ => u8::MAX,
        }))
    }
}
